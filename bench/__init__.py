"""Measures Assent beside its peers: one module for each row of the table, all in one run."""
