"""Commands and code that a PowerShell command runs besides itself, in PowerShell, `cmd` or another shell."""

import re
import string
from typing import NamedTuple

from assent.engine.lines import nesting as programs
from assent.engine.lines.command import Access, Command
from assent.engine.lines.nested import Carried
from assent.engine.lines.program_part import language_of
from assent.engine.model import Dialect
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import Piped
from assent.engine.powershell.cmdlets import Argument, Cmdlet
from assent.engine.powershell.paths import may_have_chosen_properties
from assent.engine.powershell.state import automatic_value
from assent.engine.powershell.writes import with_run_scripts
from assent.engine.programs.word import HOLE, Word, base_name
from assent.engine.regex import regex

_POWERSHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
_VALUE_OPTIONS = frozenset(
    """command encodedcommand ec file executionpolicy ep version psconsolefile outputformat inputformat of if
    windowstyle configurationname workingdirectory wd settingsfile custompipename encodedarguments""".split()
)
_SWITCH_OPTIONS = frozenset(
    "noprofile nop nologo noninteractive noexit sta mta login interactive help".split()
)
"""Options of `pwsh` with and without a value; any beginning of a name is enough."""

_QUIET = frozenset({"noprofile", "nop", "nologo", "noninteractive"})
_BASE_64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_WORDS = regex(r'"[^"]*"|\S+')


def carried(command: Command) -> Carried | None:
    """What a command runs besides itself, one level deep; None when it runs only itself."""
    if not command.words:
        return None
    found = _nested_in(command)
    return with_run_scripts(found, command) if command.drafts else found


def _nested_in(command: Command) -> Carried | None:
    cmdlet = cmdlets.find(command.program)
    if cmdlet is not None:
        return _nested_in_cmdlet(cmdlet, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _POWERSHELLS:
        return _nested_in_powershell(command)
    if name == "cmd":
        return _nested_in_cmd(command)
    # Only a program that is called without a directory is the one that we know.
    path = command.program.replace("\\", "/")
    program = Word(path if "/" in path else name)
    found = programs.carried(command._replace(words=(program, *command.words[1:])))
    return None if found is None else _read_as_bash(found)


def _nested_in_cmdlet(cmdlet: Cmdlet, command: Command) -> Carried | None:
    words = command.words
    arguments = cmdlets.bind(cmdlet, words[1:])
    match cmdlet.name:
        case "Invoke-Expression":
            return _expression(command, arguments)
        case "Start-Process":
            return _process(words, arguments)
        case "Set-Alias" | "New-Alias":
            return _named_program(_first_value(arguments, "Value"), words)
        case "Invoke-Item":
            return _named_program(_first_value(arguments, "Path"), words)
        case "Invoke-CimMethod" | "Invoke-WmiMethod":
            starts = any("win32_process" in word.text.lower() or HOLE in word.text for word in words[1:])
            return Carried(computed=True) if starts else None
        case _:
            return _with_piped_input(cmdlet, command, arguments)


def _with_piped_input(
    cmdlet: Cmdlet, command: Command, arguments: tuple[Argument, ...] | None
) -> Carried | None:
    """The command as it runs with its piped input: paths, or objects whose properties may name one."""
    if not command.piped or arguments is None:
        return None
    match cmdlet.entry.piped:
        case Piped.PATHS:
            return _with_piped_paths(cmdlet, command, arguments)
        case Piped.OBJECTS:
            if command.fed is not None and "path" in cmdlet.parameters:
                return _with_piped_paths(cmdlet, command, arguments)
            objects = command.fed or command.given
            unknown = objects is None or any(may_have_chosen_properties(word) for word in objects)
            return Carried() if unknown else None
        case Piped.UNKNOWN | Piped.CODE | Piped.TEXT_TO_FILE | Piped.CLIPBOARD:
            return None


def _with_piped_paths(cmdlet: Cmdlet, command: Command, arguments: tuple[Argument, ...]) -> Carried | None:
    """A command that takes its paths from the pipe runs as if they were among its words."""
    first = cmdlet.positions[0]
    target = first.name if first.kind.is_path else "Path"
    if any(argument.parameter.name in (target, "LiteralPath") for argument in arguments):
        return None
    paths = command.fed or command.given
    if not paths:
        return Carried() if cmdlet.entry.reads else None
    listed = [part for path in paths for part in (Word(","), path._replace(quoted=True))][1:]
    return Carried(((*command.words, Word(f"-{target}"), *listed),), transparent=True, covers=True)


def _expression(command: Command, arguments: tuple[Argument, ...] | None) -> Carried:
    text = _first_value(arguments, "Command")
    texts = (text,) if text is not None else command.given or ()
    return Carried(texts=texts, at=1, computed=not texts)


def _process(words: tuple[Word, ...], arguments: tuple[Argument, ...] | None) -> Carried | None:
    program = _first_value(arguments, "FilePath")
    if arguments is None or program is None:
        return Carried(computed=True, certain=False)
    given = [argument for argument in arguments if argument.parameter.name == "ArgumentList"]
    rest = [word for argument in given for value in argument.values for word in _split(value)]
    runs_as = any(argument.parameter.name in ("Verb", "Credential") for argument in arguments)
    return Carried(
        ((program, *rest),), at=_position(words, program), privilege=runs_as, computed=HOLE in program.text
    )


def _split(value: Word) -> tuple[Word, ...]:
    if " " not in value.text:
        return (value,)
    return tuple(value._replace(text=text.strip('"'), quoted=False) for text in _WORDS.findall(value.text))


def _named_program(program: Word | None, words: tuple[Word, ...]) -> Carried | None:
    """A program that a command names, which runs now or later."""
    if program is None:
        return None
    return Carried(((program,),), at=_position(words, program), computed=HOLE in program.text)


def _nested_in_powershell(command: Command) -> Carried | None:
    """What another PowerShell runs; its options may be abbreviated, in any case."""
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
        at += 2 if option in _VALUE_OPTIONS else 1
    if at < len(words):
        return _given_text(command, at, options)
    piped = Carried(texts=command.given or (), at=at, computed=command.given is None)
    return piped if command.piped else None


def _option(name: str) -> str | None:
    options = sorted(_VALUE_OPTIONS | _SWITCH_OPTIONS)
    if name in options:
        return name
    found = [option for option in options if name and option.startswith(name)]
    # `-e` and `-enc` mean an encoded command and `-c` a command, even if other options begin like that.
    preferred = [option for option in found if option in ("command", "encodedcommand", "file", "noprofile")]
    return next(iter(preferred or found), None)


def _given_text(command: Command, at: int, options: list[str]) -> Carried:
    rest = command.words[at:]
    if options and options[-1] in ("encodedcommand", "ec"):
        text = _decode(rest[0].text) if rest else None
        return Carried(texts=() if text is None else (Word(text, quoted=True),), at=at, computed=text is None)
    if not rest or rest[0].text == "-":
        return Carried(texts=command.given or (), at=at, computed=command.given is None)
    # Without an option, one version runs a file and the other a text.
    certain = bool(options) and options[-1] == "command"
    joined = " ".join(_without_braces(word) for word in rest)
    return Carried(
        texts=(Word(joined, quoted=True),),
        at=at,
        transparent=certain and _QUIET.issuperset(options[:-1]),
        certain=certain,
    )


def _without_braces(word: Word) -> str:
    """The text of a script block, without its braces."""
    return word.text[1:-1] if word.text.startswith("{") and not word.quoted else word.text


def _decode(text: str) -> str | None:
    """Decode the text of an encoded command, which is UTF-16 in Base64; None when it is not."""
    places = [_BASE_64.find(character) for character in text.rstrip("=")]
    if not places or min(places) < 0:
        return None
    bits = "".join(f"{place:06b}" for place in places)
    whole = bits[: len(bits) // 8 * 8]
    try:
        return int(whole or "0", 2).to_bytes(len(whole) // 8, "big").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


def _nested_in_cmd(command: Command) -> Carried | None:
    """What `cmd /c` and `cmd /k` run."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        if word.text[:2].lower() in ("/c", "/k", "/r"):
            attached = (word._replace(text=word.text[2:]),) if word.text[2:] else ()
            line = read_cmd(join_line((*attached, *words[at + 1 :])))
            return Carried(line.commands, at=min(at + 1, len(words) - 1), computed=not line.complete)
    return Carried(at=len(words), computed=True) if command.piped else None


def _read_as_bash(found: Carried) -> Carried:
    """Texts for other shells are read by the rules of those shells, and are never covered."""
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


def _first_value(arguments: tuple[Argument, ...] | None, name: str) -> Word | None:
    values = [value for one in arguments or () if one.parameter.name == name for value in one.values]
    return values[0] if values else None


def _position(words: tuple[Word, ...], word: Word) -> int:
    return next((at for at, one in enumerate(words) if one.text == word.text and at), 1)


_VARIABLE = regex(r"[%!]([^%!\s]+)[%!]")
_ATTACHED_FLAGS = regex(r"([A-Za-z]+)(/[^\s]*)")
_FLAG = regex(r"/[^/]*")


class CommandLine(NamedTuple):
    """A line of `cmd`, cut into commands."""

    commands: tuple[tuple[Word, ...], ...]
    complete: bool
    """False when it holds blocks or redirections, which are not read."""


def read_cmd(text: str) -> CommandLine:
    """Split a line of `cmd` at its separators; carets escape and quotes protect."""
    pieces, complete = _split_commands(_VARIABLE.sub(_expand, text))
    commands = tuple(_command(words) for words in pieces if words)
    return CommandLine(commands, complete and bool(commands))


def join_line(words: tuple[Word, ...]) -> str:
    """Words as one line: a single word is the line, several words are quoted where needed."""
    if len(words) == 1:
        return words[0].text
    return " ".join(
        f'"{word.text}"' if " " in word.text and '"' not in word.text else word.text for word in words
    )


def _expand(variable: re.Match[str]) -> str:
    known = automatic_value(f"env:{variable[1]}")
    return HOLE if known is None else known.text


def _split_commands(text: str) -> tuple[list[list[str]], bool]:
    """The words of each command, and whether all of the line was read."""
    commands: list[list[str]] = [[]]
    word: str | None = None
    quoted, complete, at = False, True, 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == '"':
            quoted, word = not quoted, word or ""
        elif not quoted and character in " \t,;=&|\n":
            commands[-1].extend(() if word is None else (word,))
            commands.extend([[]] if character in "&|\n" else ())
            word = None
        else:
            complete = complete and (quoted or character not in "<>()")
            if character == "^" and not quoted and at < len(text):
                character = text[at]
                at += 1
            word = (word or "") + character
    commands[-1].extend(() if word is None else (word,))
    return commands, complete and not quoted


def _command(words: list[str]) -> tuple[Word, ...]:
    """The words of a command; its flags may follow its name without a blank, as in `del/s/q`."""
    name, *rest = words
    name = name.lstrip("@")
    attached_flags = _ATTACHED_FLAGS.fullmatch(name)
    if attached_flags is not None:
        name, rest = attached_flags[1], [*_FLAG.findall(attached_flags[2]), *rest]
    found = [Word(name or HOLE)]
    found.extend(Word(text, tilde=text == "~" or text.startswith(("~\\", "~/"))) for text in rest)
    return tuple(found)
