"""Authentication, and the checks that every request must pass first."""
