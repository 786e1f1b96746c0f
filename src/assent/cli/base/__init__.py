"""What every command uses."""
