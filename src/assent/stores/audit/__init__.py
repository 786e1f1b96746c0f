"""The audit in SQL databases: chains, outbox, verification, archives and queries."""
