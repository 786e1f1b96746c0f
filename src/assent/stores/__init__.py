"""The stores keep approvals, policy and the audit: in memory, in a file, or in PostgreSQL."""
