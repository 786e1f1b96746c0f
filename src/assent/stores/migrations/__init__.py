"""The way from each schema to the next."""
