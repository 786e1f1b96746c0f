"""The JSON that the API takes and gives, one module for each noun."""
