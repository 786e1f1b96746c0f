"""The services behind the workbench page: files, terminals, and calls of agents that the page carries out."""
