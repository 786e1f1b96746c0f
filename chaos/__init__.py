"""Chaos tests of the gate: workers are killed, stores fail, and the recorded histories are checked."""
