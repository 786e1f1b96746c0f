"""PowerShell, read like the other shell: what a line would run, and what is known about it."""
