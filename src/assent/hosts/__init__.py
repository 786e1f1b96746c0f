"""Hosts: the places where tool calls come from."""
