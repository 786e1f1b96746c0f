"""Where people answer: over HTTP, in a terminal, in a notification."""
