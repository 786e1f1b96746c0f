"""What every shell has: commands, their parts, the code nested in them, and what they read and write."""
