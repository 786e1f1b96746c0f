"""Reads policy files, presets, settings and trust; collects facts about a workspace from the disk."""
