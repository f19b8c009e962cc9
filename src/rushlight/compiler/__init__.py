"""Formulas and restricted Python as machine code for large arrays, through LLVM."""
