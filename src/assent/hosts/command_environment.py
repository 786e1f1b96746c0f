"""The environment of the commands that agents run: what it inherits, and what is always set."""

INHERITED_VARIABLES = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME TZ".split()
)
"""Environment variables that a command inherits; none of them contains a key or token."""
FIXED_VARIABLES = {
    # A command must not wait for keys in a pager or at a prompt.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    # Without these, a repository's configuration can make `git status` start a program.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}
"""Environment variables that every command gets."""
