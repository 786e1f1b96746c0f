"""The irreversible acts of PowerShell's own commands; programs are read as in any other shell."""

from collections.abc import Iterator

from assent.engine.irreversible import sql
from assent.engine.irreversible.act import Irreversible, to_name
from assent.engine.irreversible.commands import acts_of
from assent.engine.irreversible.files import lost_files
from assent.engine.irreversible.words import MOST_WORDS, is_flag, values
from assent.engine.lines.command import Command
from assent.engine.powershell import cmdlets
from assent.engine.programs.program import Loss

_OF_THE_SESSION = frozenset(
    """variable alias module job event eventsubscriber psdrive pssession psbreakpoint typedata
    psreadlinekeyhandler itemproperty psreadlineoption cimsession member""".split()
)
"""What `Remove-` takes away from the session alone, or what can be set again."""
_OTHERS = {
    "clear-content": (Loss.EMPTIES, "file"),
    "clear-item": (Loss.EMPTIES, "item"),
    "clear-eventlog": (Loss.EMPTIES, "event log"),
    "clear-recyclebin": (Loss.EMPTIES, "recycle bin"),
    "format-volume": (Loss.ERASES, ""),
    "clear-disk": (Loss.ERASES, ""),
    "initialize-disk": (Loss.ERASES, ""),
    "publish-module": (Loss.PUBLISHES, ""),
    "publish-script": (Loss.PUBLISHES, ""),
    "publish-psresource": (Loss.PUBLISHES, ""),
}
_NAMED = frozenset(
    "-name -path -literalpath -to -resourcegroupname -driveletter -number -id -identity".split()
)
_WEB = frozenset({"invoke-restmethod", "invoke-webrequest"})


def acts_in_powershell(command: Command) -> Iterator[Irreversible]:
    """What one command does that cannot be undone."""
    texts = [word.text for word in command.words[:MOST_WORDS]]
    if not texts:
        return
    name = cmdlets.canonical_name(texts[0]).lower()
    lowered = [text.lower() for text in texts[1:]]
    if {"-whatif", "-wi"}.intersection(lowered):
        return
    verb, dash, noun = name.partition("-")
    if name == "remove-item":
        yield from _removed(command)
    elif dash and verb == "remove" and noun and noun not in _OF_THE_SESSION:
        yield Irreversible(Loss.DELETES, noun, _name(texts[1:], lowered))
    elif name in _OTHERS:
        loss, kind = _OTHERS[name]
        yield Irreversible(loss, kind, _name(texts[1:], lowered))
    elif name == "invoke-sqlcmd":
        for text in texts[1:]:
            yield from sql.in_sql(text)
    elif name in _WEB and "delete" in values(lowered, frozenset({"-method", "-me"})):
        addresses = [text for text in texts[1:] if "/" in text]
        yield Irreversible(Loss.DELETES, "resource", to_name(addresses[:1]))
    else:
        yield from acts_of(command)


def _removed(command: Command) -> Iterator[Irreversible]:
    """`Remove-Item` and its many names, as `rm` in other shells; paths are written either way."""
    words = tuple(
        word._replace(text=word.text.replace("\\", "/")) for word in command.words if word.text != ","
    )
    found = lost_files("rm", command._replace(words=words))
    if found is not None:
        yield found


def _name(texts: list[str], lowered: list[str]) -> str:
    """Which one: the value of a parameter that names it, or the first word that is no parameter."""
    named = [texts[at + 1] for at, text in enumerate(lowered[:-1]) if text in _NAMED]
    return to_name(named or [text for text in texts[:1] if not is_flag(text)])
