"""The JSON of the gate's values, shared by all surfaces and stores."""
