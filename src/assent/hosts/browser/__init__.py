"""Tools that live in web pages: their declarations, and the relay of calls to the page."""
