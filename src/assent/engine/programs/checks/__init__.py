"""Checks: functions that read the words of programs which a list of flags cannot describe."""
