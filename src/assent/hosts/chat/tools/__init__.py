"""The tools of a chat: each one small, and each call of one decided by the gate first."""
