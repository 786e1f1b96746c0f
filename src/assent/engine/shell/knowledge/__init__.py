"""What we know of programs: which flags are harmless, what operands are, who runs whom."""
