"""The kernel: nodes that each do one thing, and workflows that are graphs of them."""
