"""What both SQL stores share: tables, statements, rows and edits."""
