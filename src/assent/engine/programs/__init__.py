"""What is known about programs: one entry for each program, and the functions that read special words."""
