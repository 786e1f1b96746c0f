"""What a call would do that cannot be undone: shown to people, never part of a verdict."""
