"""The gate asks people, remembers what they said, and lets an approved call run once."""
