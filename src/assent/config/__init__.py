"""Reading configuration: policy files, presets, settings and trust; and the facts about a workspace."""
