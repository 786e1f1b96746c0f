"""Benchmarks of Assent and its peers: one module per row of the table."""
