"""The workflow kernel behind the chat's node and workflow tools; optional, see README.md."""
