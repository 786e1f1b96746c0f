"""Hosts: the places that calls come from."""
