"""PowerShell: the syntax of its lines, its cmdlets, and the commands that a line runs."""
