"""What is read of the package and not run, written from the declarations: type stubs, and the table of operators."""
