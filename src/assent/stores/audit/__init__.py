"""The audit in SQL databases: chains, outbox, verification and queries."""
