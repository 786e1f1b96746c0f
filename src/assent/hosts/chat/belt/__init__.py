"""The toolbelt: what a model in a chat can do, each tool small and real."""
