"""Reads what people wrote down: policy files, presets, trust, and the facts of a workspace."""
