"""Scripts that a PowerShell line writes and then runs: what they say, as far as the line spells it out."""

from assent.engine.lines.command import Access, Command, Content
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.printing import MOST_DRAFTS, UNKNOWN, bounded, together
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cursor import Unreadable
from assent.engine.powershell.writes import written
from assent.engine.programs.word import HOLE, Word, base_name

_SAYING = frozenset("Set-Content Add-Content Out-File Tee-Object New-Item Write-Output Write-Host".split())
"""Commands that write what they are given."""
_LOADING = frozenset("Invoke-WebRequest Invoke-RestMethod Start-BitsTransfer".split())
_COPYING = frozenset({"Copy-Item", "Move-Item", "Rename-Item"})
_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
_SCRIPTS = (".ps1", ".psm1")


def told(commands: list[Command]) -> list[Command]:
    """The commands of a line, each with the files among its words that those before it wrote."""
    files: dict[str, Content] = {}
    found: list[Command] = []
    for given in commands:
        named = dict.fromkeys(_name(word) for word in given.words) if files else {}
        drafts = tuple((name, files[name]) for name in named if name in files)
        command = given._replace(drafts=drafts) if drafts else given
        found.append(command)
        for name, content in _drafted(command):
            files[name] = together((files[name], content)) if name in files else content
        if len(files) > MOST_DRAFTS:
            raise Unreadable(f"writes more than {MOST_DRAFTS} files")
    return found


def with_drafts(found: Carried | None, command: Command) -> Carried | None:
    """Add what the scripts of the line's own would run that a command runs."""
    runs = base_name(command.program).lower().removesuffix(".exe") in _SHELLS
    itself = _name(command.words[0])
    texts = [one for name, one in command.drafts if name.endswith(_SCRIPTS) and (runs or name == itself)]
    if any(one.unknown for one in texts):
        found = (found or Carried(at=-1))._replace(computed=True)
    return beside(found, texts=tuple(Word(one.text, quoted=True) for one in texts if one.text.strip()))


def _drafted(command: Command) -> list[tuple[str, Content]]:
    """The files that a command writes, and what it puts there."""
    cmdlet = cmdlets.find(command.program) if command.words else None
    kind = "" if cmdlet is None else cmdlet.name
    targets = [one.target for one in command.redirects if one.access is Access.WRITE]
    if kind in _COPYING:
        return [(_name(word), one) for _, one in command.drafts for word in command.words[1:]]
    changes = written(command.words) if kind in _SAYING or kind in _LOADING else None
    targets.extend(() if changes is None else changes.paths)
    content = _said(command) if kind in _SAYING else UNKNOWN
    return [(name, content) for name in map(_name, targets) if name and HOLE not in name]


def _said(command: Command) -> Content:
    """What a command writes that is given its text: by a pipe, or among its words."""
    given = command.given or (() if command.piped else command.words[1:])
    lines = [word.text for word in given if word.quoted or " " in word.text]
    known = bool(lines) and not any(HOLE in line for line in lines)
    return bounded(Content("\n".join(lines) + "\n")) if known else UNKNOWN


def _name(word: Word) -> str:
    return base_name(word.text).lower()
