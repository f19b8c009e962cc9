"""What machine code does to large arrays: functions of restricted Python, a file per family."""
