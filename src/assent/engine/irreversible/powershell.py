"""Find the irreversible acts of cmdlets; programs are handled as in any other shell."""

from collections.abc import Iterator

from assent.engine.irreversible import sql
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.irreversible.commands import find_command_acts, find_file_removal_act
from assent.engine.irreversible.words import MAX_WORDS, find_option_values, is_flag
from assent.engine.lines.command import Command
from assent.engine.powershell import cmdlets
from assent.engine.programs.losses import Loss

_SESSION_NOUNS = frozenset(
    """variable alias module job event eventsubscriber psdrive pssession psbreakpoint typedata
    psreadlinekeyhandler itemproperty psreadlineoption cimsession member""".split()
)
"""Nouns of `Remove-` cmdlets that only change the session, or that can be undone."""
_CMDLET_LOSSES = {
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
"""The loss and the kind of thing of other cmdlets."""
_NAMING_PARAMETERS = frozenset(
    "-name -path -literalpath -to -resourcegroupname -driveletter -number -id -identity".split()
)
_WEB_CMDLETS = frozenset({"invoke-restmethod", "invoke-webrequest"})


def find_powershell_acts(command: Command) -> Iterator[IrreversibleAct]:
    """Yield the irreversible acts of one PowerShell command."""
    texts = [word.text for word in command.words[:MAX_WORDS]]
    if not texts:
        return
    name = cmdlets.canonical_name(texts[0]).lower()
    lowered = [text.lower() for text in texts[1:]]
    if {"-whatif", "-wi"}.intersection(lowered):
        return
    verb, dash, noun = name.partition("-")
    if name == "remove-item":
        yield from _file_removal_acts(command)
    elif dash and verb == "remove" and noun and noun not in _SESSION_NOUNS:
        yield IrreversibleAct(Loss.DELETES, noun, _name_of_lost_thing(texts[1:], lowered))
    elif name in _CMDLET_LOSSES:
        loss, kind = _CMDLET_LOSSES[name]
        yield IrreversibleAct(loss, kind, _name_of_lost_thing(texts[1:], lowered))
    elif name == "invoke-sqlcmd":
        for text in texts[1:]:
            yield from sql.find_sql_acts(text)
    elif name in _WEB_CMDLETS and "delete" in find_option_values(lowered, frozenset({"-method", "-me"})):
        addresses = [text for text in texts[1:] if "/" in text]
        yield IrreversibleAct(Loss.DELETES, "resource", join_names(addresses[:1]))
    else:
        yield from find_command_acts(command)


def _file_removal_acts(command: Command) -> Iterator[IrreversibleAct]:
    """Yield the act of the files that `Remove-Item` or an alias removes."""
    words = tuple(
        word._replace(text=word.text.replace("\\", "/")) for word in command.words if word.text != ","
    )
    found = find_file_removal_act("rm", command._replace(words=words))
    if found is not None:
        yield found


def _name_of_lost_thing(texts: list[str], lowered: list[str]) -> str:
    """The name of the lost thing: the value of a naming parameter, or the first word."""
    named = [texts[at + 1] for at, text in enumerate(lowered[:-1]) if text in _NAMING_PARAMETERS]
    return join_names(named or [text for text in texts[:1] if not is_flag(text)])
