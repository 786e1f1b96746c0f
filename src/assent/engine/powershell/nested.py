"""Find the commands and code that a PowerShell command runs in addition to itself, in any shell."""

import re
import string
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.base.tool import Dialect
from assent.engine.lines import nested as programs
from assent.engine.lines.command import Command, NestedCode, RedirectAccess
from assent.engine.lines.line import load_language
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import PipedInput
from assent.engine.powershell.cmdlets import Argument, Cmdlet
from assent.engine.powershell.file_access import add_scripts_that_run
from assent.engine.powershell.paths import may_have_chosen_properties
from assent.engine.powershell.state import initial_variable_value
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

_POWERSHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
"""Names of the programs of PowerShell."""
_VALUE_OPTIONS = frozenset(
    """command encodedcommand ec file executionpolicy ep version psconsolefile outputformat inputformat of if
    windowstyle configurationname workingdirectory wd settingsfile custompipename encodedarguments""".split()
)
"""Options of `pwsh` with a value."""
_SWITCH_OPTIONS = frozenset(
    "noprofile nop nologo noninteractive noexit sta mta login interactive help".split()
)
"""Options of `pwsh` without a value. All options may be abbreviated."""

_HARMLESS_OPTIONS = frozenset({"noprofile", "nop", "nologo", "noninteractive"})
"""Options of `pwsh` that do not change which code runs."""
_BASE_64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_QUOTED_OR_PLAIN_WORD = regex(r'"[^"]*"|\S+')


def find_nested(command: Command) -> NestedCode | None:
    """The nested commands of a command, one level deep; None if it runs only itself."""
    if not command.words:
        return None
    found = _nested_in_command(command)
    return add_scripts_that_run(found, command) if command.written_files else found


def _nested_in_command(command: Command) -> NestedCode | None:
    """The nested commands in the words of a command."""
    cmdlet = cmdlets.find_cmdlet(command.program)
    if cmdlet is not None:
        return _nested_in_cmdlet(cmdlet, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _POWERSHELLS:
        return _nested_in_powershell(command)
    if name == "cmd":
        return _nested_in_cmd(command)
    # A program with a directory before its name may not be the known program.
    path = command.program.replace("\\", "/")
    program = Word(path if "/" in path else name)
    found = programs.find_nested(command._replace(words=(program, *command.words[1:])))
    return None if found is None else _parse_as_bash(found)


def _nested_in_cmdlet(cmdlet: Cmdlet, command: Command) -> NestedCode | None:
    """The commands that a cmdlet runs."""
    words = command.words
    arguments = cmdlets.bind_arguments(cmdlet, words[1:])
    match cmdlet.name:
        case "Invoke-Expression":
            return _nested_in_expression(command, arguments)
        case "Start-Process":
            return _nested_in_process(words, arguments)
        case "Set-Alias" | "New-Alias":
            return _nested_named_program(_first_value(arguments, "Value"), words)
        case "Invoke-Item":
            return _nested_named_program(_first_value(arguments, "Path"), words)
        case "Invoke-CimMethod" | "Invoke-WmiMethod":
            starts = any(
                "win32_process" in word.text.lower() or UNKNOWN_MARK in word.text for word in words[1:]
            )
            return NestedCode(computed=True) if starts else None
        case _:
            return _with_piped_input(cmdlet, command, arguments)


def _with_piped_input(
    cmdlet: Cmdlet, command: Command, arguments: tuple[Argument, ...] | None
) -> NestedCode | None:
    """The command with its piped paths, or an empty result if piped objects may name a path."""
    if not command.piped or arguments is None:
        return None
    match cmdlet.entry.piped:
        case PipedInput.PATHS:
            return _with_piped_paths(cmdlet, command, arguments)
        case PipedInput.OBJECTS:
            if command.listing_roots is not None and "path" in cmdlet.parameters:
                return _with_piped_paths(cmdlet, command, arguments)
            objects = command.listing_roots or command.input_words
            unknown = objects is None or any(may_have_chosen_properties(word) for word in objects)
            return NestedCode() if unknown else None
        case PipedInput.UNKNOWN | PipedInput.CODE | PipedInput.TEXT_TO_FILE | PipedInput.CLIPBOARD:
            return None


def _with_piped_paths(cmdlet: Cmdlet, command: Command, arguments: tuple[Argument, ...]) -> NestedCode | None:
    """The command with the piped paths among its words; None if its arguments already name the paths."""
    first = cmdlet.positions[0]
    target = first.name if first.kind.is_path else "Path"
    if any(argument.parameter.name in (target, "LiteralPath") for argument in arguments):
        return None
    paths = command.listing_roots or command.input_words
    if not paths:
        return NestedCode() if cmdlet.entry.reads else None
    listed = [part for path in paths for part in (Word(","), path._replace(quoted=True))][1:]
    return NestedCode(((*command.words, Word(f"-{target}"), *listed),), transparent=True, covers=True)


def _nested_in_expression(command: Command, arguments: tuple[Argument, ...] | None) -> NestedCode:
    """The text that `Invoke-Expression` runs."""
    text = _first_value(arguments, "Command")
    texts = (text,) if text is not None else command.input_words or ()
    return NestedCode(texts=texts, at=1, computed=not texts)


def _nested_in_process(words: tuple[Word, ...], arguments: tuple[Argument, ...] | None) -> NestedCode | None:
    """The program that `Start-Process` runs."""
    program = _first_value(arguments, "FilePath")
    if arguments is None or program is None:
        return NestedCode(computed=True, certain=False)
    given = [argument for argument in arguments if argument.parameter.name == "ArgumentList"]
    rest = [word for argument in given for value in argument.values for word in _split_arguments(value)]
    runs_as = any(argument.parameter.name in ("Verb", "Credential") for argument in arguments)
    return NestedCode(
        ((program, *rest),),
        at=_word_index(words, program),
        privilege=runs_as,
        computed=UNKNOWN_MARK in program.text,
    )


def _split_arguments(value: Word) -> tuple[Word, ...]:
    """Split an argument into words at blanks outside quotes."""
    if " " not in value.text:
        return (value,)
    return tuple(
        value._replace(text=text.strip('"'), quoted=False)
        for text in _QUOTED_OR_PLAIN_WORD.findall(value.text)
    )


def _nested_named_program(program: Word | None, words: tuple[Word, ...]) -> NestedCode | None:
    """The program that an argument names, which runs now or later."""
    if program is None:
        return None
    return NestedCode(((program,),), at=_word_index(words, program), computed=UNKNOWN_MARK in program.text)


def _nested_in_powershell(command: Command) -> NestedCode | None:
    """The code that another PowerShell process runs; its options may be abbreviated."""
    words = command.words
    options: list[str] = []
    at = 1
    while at < len(words):
        text = words[at].text
        if text[:1] not in ("-", "/") or text == "-":
            break
        option = _expand_option_name(text[1:].lower().lstrip("-"))
        if option is None:
            return NestedCode(computed=True, certain=False, at=at)
        options.append(option)
        if option == "command" or option in ("encodedcommand", "ec"):
            return _nested_in_arguments(command, at + 1, options)
        if option == "file":
            return None
        at += 2 if option in _VALUE_OPTIONS else 1
    if at < len(words):
        return _nested_in_arguments(command, at, options)
    piped = NestedCode(texts=command.input_words or (), at=at, computed=command.input_words is None)
    return piped if command.piped else None


def _expand_option_name(name: str) -> str | None:
    """The full name of an abbreviated option; None if it is unknown."""
    options = sorted(_VALUE_OPTIONS | _SWITCH_OPTIONS)
    if name in options:
        return name
    found = [option for option in options if name and option.startswith(name)]
    # `-e` and `-enc` mean `encodedcommand` and `-c` means `command`, whatever other options begin with them.
    preferred = [option for option in found if option in ("command", "encodedcommand", "file", "noprofile")]
    return next(iter(preferred or found), None)


def _nested_in_arguments(command: Command, at: int, options: list[str]) -> NestedCode:
    """The code in the arguments of `pwsh`."""
    rest = command.words[at:]
    if options and options[-1] in ("encodedcommand", "ec"):
        text = _decode_command(rest[0].text) if rest else None
        return NestedCode(
            texts=() if text is None else (Word(text, quoted=True),), at=at, computed=text is None
        )
    if not rest or rest[0].text == "-":
        return NestedCode(texts=command.input_words or (), at=at, computed=command.input_words is None)
    # Without an option, some versions run the argument as a file and others as text.
    certain = bool(options) and options[-1] == "command"
    joined = " ".join(_without_braces(word) for word in rest)
    return NestedCode(
        texts=(Word(joined, quoted=True),),
        at=at,
        transparent=certain and _HARMLESS_OPTIONS.issuperset(options[:-1]),
        certain=certain,
    )


def _without_braces(word: Word) -> str:
    """The text of a script block without its braces."""
    return word.text[1:-1] if word.text.startswith("{") and not word.quoted else word.text


def _decode_command(text: str) -> str | None:
    """Decode an encoded command, which is UTF-16 in Base64; None if it is invalid."""
    sextets = [_BASE_64.find(character) for character in text.rstrip("=")]
    if not sextets or min(sextets) < 0:
        return None
    bits = "".join(f"{sextet:06b}" for sextet in sextets)
    whole = bits[: len(bits) // 8 * 8]
    try:
        return int(whole or "0", 2).to_bytes(len(whole) // 8, "big").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


def _nested_in_cmd(command: Command) -> NestedCode | None:
    """The commands that `cmd /c` and `cmd /k` run."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        if word.text[:2].lower() in ("/c", "/k", "/r"):
            attached = (word._replace(text=word.text[2:]),) if word.text[2:] else ()
            line = parse_cmd_line(join_words_to_line((*attached, *words[at + 1 :])))
            return NestedCode(line.commands, at=min(at + 1, len(words) - 1), computed=not line.complete)
    return NestedCode(at=len(words), computed=True) if command.piped else None


def _parse_as_bash(found: NestedCode) -> NestedCode:
    """Replace texts for other shells by their commands, parsed as bash; allow rules never cover them."""
    if not found.texts:
        return found
    commands, computed = list(found.commands), found.computed
    for text in found.texts:
        line = load_language(Dialect.SHELL).parse(text.text)
        commands.extend(command.words for command in line.commands if command.words)
        computed = (
            computed or line.unreadable is not None or any(_writes_file(command) for command in line.commands)
        )
    return found._replace(
        commands=tuple(commands), texts=(), transparent=False, covers=False, computed=computed
    )


def _writes_file(command: Command) -> bool:
    """Whether a redirection of the command writes a file."""
    return any(
        redirect.access is RedirectAccess.WRITE and redirect.target.text != "/dev/null"
        for redirect in command.redirects
    )


def _first_value(arguments: tuple[Argument, ...] | None, name: str) -> Word | None:
    """The first value of a parameter; None if it is not given."""
    values = [value for one in arguments or () if one.parameter.name == name for value in one.values]
    return values[0] if values else None


def _word_index(words: tuple[Word, ...], word: Word) -> int:
    """The index of a word."""
    return next((at for at, one in enumerate(words) if one.text == word.text and at), 1)


_VARIABLE = regex(r"[%!]([^%!\s]+)[%!]")
"""A variable of `cmd`, such as `%name%`."""
_ATTACHED_FLAGS = regex(r"([A-Za-z]+)(/[^\s]*)")
"""A command with its flags attached, such as `del/s/q`."""
_FLAG = regex(r"/[^/]*")


class CmdLine(NamedTuple):
    """The commands of one line of `cmd`."""

    commands: tuple[tuple[Word, ...], ...]
    complete: bool
    """False if the line contains blocks or redirections, which are not parsed."""


def parse_cmd_line(text: str) -> CmdLine:
    """Split a line of `cmd` into commands; a caret escapes the next character."""
    pieces, complete = _split_commands(_VARIABLE.sub(_expand_variable, text))
    commands = tuple(_command_words(words) for words in pieces if words)
    return CmdLine(commands, complete and bool(commands))


def join_words_to_line(words: tuple[Word, ...]) -> str:
    """Join words to one line; a single word is the line itself, several words are quoted where needed."""
    if len(words) == 1:
        return words[0].text
    return " ".join(
        f'"{word.text}"' if " " in word.text and '"' not in word.text else word.text for word in words
    )


def _expand_variable(variable: re.Match[str]) -> str:
    """The usual value of a variable of `cmd`, or unknown text."""
    known = initial_variable_value(f"env:{variable[1]}")
    return UNKNOWN_MARK if known is None else known.text


def _split_commands(text: str) -> tuple[list[list[str]], bool]:
    """The words of each command, and whether the whole line was parsed."""
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


def _command_words(words: list[str]) -> tuple[Word, ...]:
    """The words of a command; its flags may follow its name without a blank, as in `del/s/q`."""
    name, *rest = words
    name = name.lstrip("@")
    attached_flags = _ATTACHED_FLAGS.fullmatch(name)
    if attached_flags is not None:
        name, rest = attached_flags[1], [*_FLAG.findall(attached_flags[2]), *rest]
    found = [Word(name or UNKNOWN_MARK)]
    found.extend(Word(text, tilde=text == "~" or text.startswith(("~\\", "~/"))) for text in rest)
    return tuple(found)
