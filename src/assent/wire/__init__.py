"""The JSON of the gate's values, in one place for every surface and store."""
