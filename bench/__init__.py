"""Benchmarks of Assent and comparable projects: one module for each row of the results table."""
