"""Who is there: tokens, log-ins, and what a request must look like before anything else sees it."""
