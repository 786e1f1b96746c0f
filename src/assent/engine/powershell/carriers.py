"""What a PowerShell command would run besides itself."""

import string

from assent.engine.languages import language_of
from assent.engine.lines import nesting as other
from assent.engine.lines.command import Access, Command
from assent.engine.lines.nested import Carried
from assent.engine.model import Dialect
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlets import Cmdlet, Given
from assent.engine.powershell.drafts import with_drafts
from assent.engine.powershell.listing import is_made_up
from assent.engine.powershell.readers import PIPED_OBJECTS, PIPED_PATHS
from assent.engine.powershell.windows import read_cmd, spelled_line
from assent.engine.programs.word import HOLE, Word, base_name
from assent.engine.regex import regex

_POWERSHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
_VALUES = frozenset(
    """command encodedcommand ec file executionpolicy ep version psconsolefile outputformat inputformat of if
    windowstyle configurationname workingdirectory wd settingsfile custompipename encodedarguments""".split()
)
_SWITCHES = frozenset("noprofile nop nologo noninteractive noexit sta mta login interactive help".split())
"""What `pwsh` takes, with a value and without; any beginning of a name will do."""

_QUIET = frozenset({"noprofile", "nop", "nologo", "noninteractive"})
_CHANGERS = frozenset(
    """Remove-Item Move-Item Copy-Item Rename-Item Clear-Content Clear-Item Set-ItemProperty
    Invoke-Item""".split()
)
"""Commands that change the paths that are piped to them."""
_PATH_KINDS = frozenset("<^~")
_BASE_64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_WORDS = regex(r'"[^"]*"|\S+')


def carried(command: Command) -> Carried | None:
    """What a command would run besides itself, one level deep; None when it only runs itself."""
    if not command.words:
        return None
    found = _by_words(command)
    return with_drafts(found, command) if command.drafts else found


def _by_words(command: Command) -> Carried | None:
    cmdlet = cmdlets.find(command.program)
    if cmdlet is not None:
        return _of_cmdlet(cmdlet, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _POWERSHELLS:
        return _powershell(command)
    if name == "cmd":
        return _cmd(command)
    # Only a program that is called by its mere name is the one we know.
    path = command.program.replace("\\", "/")
    program = Word(path if "/" in path else name)
    found = other.carried(command._replace(words=(program, *command.words[1:])))
    return None if found is None else _in_bash(found)


def _of_cmdlet(cmdlet: Cmdlet, command: Command) -> Carried | None:
    words = command.words
    given = cmdlets.bind(cmdlet, words[1:])
    match cmdlet.name:
        case "Invoke-Expression":
            return _expression(command, given)
        case "Start-Process":
            return _process(words, given)
        case "Set-Alias" | "New-Alias":
            return _commands([_first(given, "Value")], words)
        case "Invoke-Item":
            return _commands([_first(given, "Path")], words)
        case "Invoke-CimMethod" | "Invoke-WmiMethod":
            starts = any("win32_process" in word.text.lower() or HOLE in word.text for word in words[1:])
            return Carried(computed=True) if starts else None
        case _:
            return _fed(cmdlet, command, given)


def _fed(cmdlet: Cmdlet, command: Command, given: tuple[Given, ...] | None) -> Carried | None:
    """What a command takes from the pipe: paths, or objects whose properties may say one."""
    if not command.piped or given is None:
        return None
    if cmdlet.name in PIPED_PATHS or cmdlet.name in _CHANGERS:
        return _given_paths(cmdlet, command, given)
    if cmdlet.name not in PIPED_OBJECTS:
        return None
    if command.fed is not None and "path" in cmdlet.named:
        return _given_paths(cmdlet, command, given)
    objects = command.fed or command.given
    return Carried() if objects is None or any(is_made_up(word) for word in objects) else None


def _given_paths(cmdlet: Cmdlet, command: Command, given: tuple[Given, ...]) -> Carried | None:
    """A command that takes its paths from the pipe runs as if they were among its words."""
    first = cmdlet.places[0]
    target = first.name if first.kind in _PATH_KINDS else "Path"
    if any(item.parameter.name in (target, "LiteralPath") for item in given):
        return None
    paths = command.fed or command.given
    if not paths:
        return None if cmdlet.name in _CHANGERS else Carried()
    listed = [part for path in paths for part in (Word(","), path._replace(quoted=True))][1:]
    return Carried(((*command.words, Word(f"-{target}"), *listed),), transparent=True, covers=True)


def _expression(command: Command, given: tuple[Given, ...] | None) -> Carried:
    text = _first(given, "Command")
    texts = (text,) if text is not None else command.given or ()
    return Carried(texts=texts, at=1, computed=not texts)


def _process(words: tuple[Word, ...], given: tuple[Given, ...] | None) -> Carried | None:
    program = _first(given, "FilePath")
    if given is None or program is None:
        return Carried(computed=True, certain=False)
    arguments = [value for item in given if item.parameter.name == "ArgumentList" for value in item.values]
    rest = [word for value in arguments for word in _split(value)]
    runs_as = any(item.parameter.name in ("Verb", "Credential") for item in given)
    return Carried(
        ((program, *rest),), at=_place(words, program), privilege=runs_as, computed=HOLE in program.text
    )


def _split(value: Word) -> tuple[Word, ...]:
    if " " not in value.text:
        return (value,)
    return tuple(value._replace(text=text.strip('"'), quoted=False) for text in _WORDS.findall(value.text))


def _commands(programs: list[Word | None], words: tuple[Word, ...]) -> Carried | None:
    """Programs that a command names, to be run now or later."""
    known = [program for program in programs if program is not None]
    if not known:
        return None
    computed = any(HOLE in program.text for program in known)
    return Carried(tuple((program,) for program in known), at=_place(words, known[0]), computed=computed)


def _powershell(command: Command) -> Carried | None:
    """What another PowerShell would run; its options may be abbreviated and spelled in any case."""
    words = command.words
    options: list[str] = []
    at = 1
    while at < len(words):
        text = words[at].text
        if text[:1] not in ("-", "/") or text == "-":
            break
        option = _option(text[1:].lower().lstrip("-"))
        if option is None:
            return Carried(computed=True, certain=False, at=at)
        options.append(option)
        if option == "command" or option in ("encodedcommand", "ec"):
            return _given_text(command, at + 1, options)
        if option == "file":
            return None
        at += 2 if option in _VALUES else 1
    if at < len(words):
        return _given_text(command, at, options)
    piped = Carried(texts=command.given or (), at=at, computed=command.given is None)
    return piped if command.piped else None


def _option(name: str) -> str | None:
    options = sorted(_VALUES | _SWITCHES)
    if name in options:
        return name
    found = [option for option in options if name and option.startswith(name)]
    # `-e` and `-enc` are taken for an encoded command, `-c` for a command, whatever else begins like that.
    preferred = [option for option in found if option in ("command", "encodedcommand", "file", "noprofile")]
    return next(iter(preferred or found), None)


def _given_text(command: Command, at: int, options: list[str]) -> Carried:
    rest = command.words[at:]
    if options and options[-1] in ("encodedcommand", "ec"):
        text = _decoded(rest[0].text) if rest else None
        return Carried(texts=() if text is None else (Word(text, quoted=True),), at=at, computed=text is None)
    if not rest or rest[0].text == "-":
        return Carried(texts=command.given or (), at=at, computed=command.given is None)
    # Without an option one version runs a file and the other a text.
    sure = bool(options) and options[-1] == "command"
    joined = " ".join(_unwrapped(word) for word in rest)
    return Carried(
        texts=(Word(joined, quoted=True),),
        at=at,
        transparent=sure and _QUIET.issuperset(options[:-1]),
        certain=sure,
    )


def _unwrapped(word: Word) -> str:
    """A script block is its text without the braces."""
    return word.text[1:-1] if word.text.startswith("{") and not word.quoted else word.text


def _decoded(text: str) -> str | None:
    """The text in an encoded command, which is UTF-16 in base 64."""
    places = [_BASE_64.find(character) for character in text.rstrip("=")]
    if not places or min(places) < 0:
        return None
    bits = "".join(f"{place:06b}" for place in places)
    whole = bits[: len(bits) // 8 * 8]
    try:
        return int(whole or "0", 2).to_bytes(len(whole) // 8, "big").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


def _cmd(command: Command) -> Carried | None:
    """What `cmd /c` and `cmd /k` would run."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        if word.text[:2].lower() in ("/c", "/k", "/r"):
            attached = (word._replace(text=word.text[2:]),) if word.text[2:] else ()
            line = read_cmd(spelled_line((*attached, *words[at + 1 :])))
            return Carried(line.commands, at=min(at + 1, len(words) - 1), computed=not line.sure)
    return Carried(at=len(words), computed=True) if command.piped else None


def _in_bash(found: Carried) -> Carried:
    """Texts for other shells are read as those shells do, and only for what they must not do."""
    if not found.texts:
        return found
    commands, computed = list(found.commands), found.computed
    for text in found.texts:
        line = language_of(Dialect.SHELL).read(text.text)
        commands.extend(command.words for command in line.commands if command.words)
        computed = (
            computed or line.unreadable is not None or any(_writes(command) for command in line.commands)
        )
    return found._replace(
        commands=tuple(commands), texts=(), transparent=False, covers=False, computed=computed
    )


def _writes(command: Command) -> bool:
    return any(
        redirect.access is Access.WRITE and redirect.target.text != "/dev/null"
        for redirect in command.redirects
    )


def _first(given: tuple[Given, ...] | None, name: str) -> Word | None:
    values = [value for item in given or () if item.parameter.name == name for value in item.values]
    return values[0] if values else None


def _place(words: tuple[Word, ...], word: Word) -> int:
    return next((at for at, one in enumerate(words) if one.text == word.text and at), 1)
