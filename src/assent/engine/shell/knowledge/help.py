"""Sub-commands that explain themselves: alone with `--help`, also those that do more than read."""

from collections.abc import Mapping

from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads


def helped(commands: Mapping[str, Entry], more: str = "", *, flag: str = "--help") -> dict[str, Entry]:
    """These sub-commands, and more of them by name, which only explain themselves with nothing but the flag.

    More words may change that: `docker run image --help` runs the image.
    """
    known = {name: _helped(entry, flag) for name, entry in commands.items()}
    return {**dict.fromkeys(more.split(), Reads(flag, Operands.NONE, only=True)), **known}


def _helped(entry: Entry, flag: str) -> Entry:
    if isinstance(entry, Commands):
        inner = helped(entry.commands, flag=flag)
        return entry._replace(commands=inner, flags=f"{entry.flags} {flag}", bare=True)
    # An entry that has a check and no flags is read by that check alone.
    return entry if entry.check and not entry.flags else entry._replace(flags=f"{entry.flags} {flag}")
