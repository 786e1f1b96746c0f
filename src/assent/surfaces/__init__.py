"""The interfaces where people read and answer questions; at present HTTP."""
