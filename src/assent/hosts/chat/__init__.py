"""The chat host: conversations with a model; the gate decides each of its tool calls."""
