"""What a call would do that cannot be undone: shown to people and held for, never part of a verdict."""
