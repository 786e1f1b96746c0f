"""The gate: asks people, keeps their answers, and runs each approved call once."""
