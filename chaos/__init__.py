"""Chaos tests of the gate: kill workers, inject faults into stores, and check the recorded histories."""
