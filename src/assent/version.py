"""The version of Assent, which hosts and surfaces read without importing the whole package."""

__version__ = "0.1.0"
