"""Policy: rules, grants, tiers, modes, and the verdicts that follow from them."""
