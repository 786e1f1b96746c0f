"""Hosts: the programs that submit the calls of agents."""
