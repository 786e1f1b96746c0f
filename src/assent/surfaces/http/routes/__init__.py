"""The routes, one module per noun; they convert between JSON and the values of the gate."""
