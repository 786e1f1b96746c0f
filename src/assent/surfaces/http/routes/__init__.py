"""The routes, one module for each noun; they translate between JSON and the gate, and decide nothing."""
