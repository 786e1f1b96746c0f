"""Policy: rules, grants, tiers, and what they say about a call."""
