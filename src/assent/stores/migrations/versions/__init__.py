"""One file for each step of the schema; one that was released is never edited."""
