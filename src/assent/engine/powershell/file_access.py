"""Find the files that a PowerShell command reads and writes, and the scripts that a line writes and runs."""

from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines import reading as program_reads
from assent.engine.lines import writes as program_writes
from assent.engine.lines.command import (
    Command,
    KnownContent,
    NestedCode,
    RedirectAccess,
    Unreadable,
    add_embedded_code,
)
from assent.engine.lines.output import MAX_WRITTEN_FILES, UNKNOWN, join_contents, limit_content
from assent.engine.lines.reading import ReadResult
from assent.engine.lines.writes import FileChanges
from assent.engine.powershell import cmdlets, paths
from assent.engine.powershell.calls import makes_plain_object
from assent.engine.powershell.cmdlet_table import (
    ALSO_PROGRAMS,
    HARMLESS_MEMBERS,
    READS_EITHER_WAY,
    ParameterKind,
    WrittenContent,
)
from assent.engine.powershell.cmdlets import Argument, Cmdlet
from assent.engine.programs.variables import is_harmless_assignment
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

_WRITE_ON_WINDOWS = frozenset("compact convert expand replace".split())
"""Names of programs that only read on Linux but write on Windows."""
_QUERY_CMDLETS = frozenset({"Get-CimInstance", "Get-WmiObject"})
"""Cmdlets that query classes of the system."""
_ACTING_CLASSES = ("win32_pingstatus", "win32_product", UNKNOWN_MARK)
"""Classes whose query does more than read: it contacts another machine, or repairs an installation."""
_CONTENT_READERS = frozenset({"Get-Content", "Select-String"})
"""Cmdlets that print the content of files."""
_FILE_PARAMETERS = frozenset({"Filter", "Include", "LiteralPath", "Path"})
"""Parameters whose value selects files."""


class WindowsProgram(NamedTuple):
    """A program of Windows that only reads, its harmless flags, and the position of its files.

    In `flags`, `/v` has no value, `/fo=` takes the next word, `/c:` has an attached value and `/g:<` a file.
    """

    flags: str = ""
    files: int | None = None
    """How many operands are before the files; None if no operand is a file."""
    operands: bool = False
    """True if the program accepts operands."""


_WINDOWS_PROGRAMS: Mapping[str, WindowsProgram] = {
    "where": WindowsProgram("/q /f /t", operands=True),
    "findstr": WindowsProgram(
        "/b /e /l /r /s /i /x /v /n /m /o /p /offline /c: /a: /g:<", files=1, operands=True
    ),
    "tree": WindowsProgram("/f /a", files=0, operands=True),
    "ipconfig": WindowsProgram("/all /displaydns /allcompartments /?"),
    "tasklist": WindowsProgram("/v /svc /apps /nh /m= /fi= /fo="),
    "systeminfo": WindowsProgram("/nh /fo="),
    "whoami": WindowsProgram("/all /user /groups /priv /claims /nh /upn /fqdn /logonid /fo="),
    "driverquery": WindowsProgram("/v /si /nh /fo="),
    "getmac": WindowsProgram("/v /nh /fo="),
    "ver": WindowsProgram(),
    "arp": WindowsProgram("-a -g"),
    "route": WindowsProgram("print -4 -6"),
    "netstat": WindowsProgram("-a -n -o -an -ano -ant -anp -b -e -f -r -s -t -q /a /n /o"),
}
_FLAG = regex(r"[/-][A-Za-z?]+")
_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
_SCRIPT_EXTENSIONS = (".ps1", ".psm1")


def find_reads(words: tuple[Word, ...]) -> ReadResult | None:
    """The files that a command reads; None if it may do more than read."""
    cmdlet = cmdlets.find_cmdlet(words[0].text)
    if cmdlet is None:
        return _find_program_reads(words)
    if cmdlet.name == "Set-Item":
        return _find_environment_reads(cmdlet, words[1:])
    found = _find_cmdlet_reads(cmdlet, words) if cmdlet.entry.reads else None
    if words[0].text.lower() not in ALSO_PROGRAMS:
        return found
    return _reads_of_alias_and_program(cmdlet, words, found)


def to_program_words(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The words as a program that is no cmdlet receives them; None if they may be changed.

    Older versions of PowerShell drop empty words, and split words that contain quotes or end in a
    backslash.
    """
    for word in words[1:]:
        text = word.text
        broken = not text or '"' in text or (" " in text and text.endswith("\\"))
        if broken or cmdlets.is_comma(word) or (not word.quoted and text.startswith(("{", "@{"))):
            return None
    program = words[0].text
    name = program if "/" in program or "\\" in program else program.lower().removesuffix(".exe")
    return (
        words[0]._replace(text=name),
        *(word._replace(text=word.text.replace("\\", "/")) for word in words[1:]),
    )


def find_windows_program_reads(words: tuple[Word, ...]) -> ReadResult | None:
    """The files that a program of Windows reads; None if it may do more, or is unknown."""
    program = _WINDOWS_PROGRAMS.get(words[0].text.lower().removesuffix(".exe").removesuffix(".com"))
    found = None if program is None else _operands_and_files(program, words[1:])
    if program is None or found is None:
        return None
    operands, read = found
    if operands and not program.operands:
        return None
    # If a flag contains the search pattern, all operands are files.
    patterns = 0 if any(word.text[:3].lower() in ("/c:", "/g:") for word in words[1:]) else program.files
    files = paths.to_files([*read, *(operands[patterns:] if patterns is not None else [])])
    return None if files is None else ReadResult(files)


def find_changes(words: tuple[Word, ...]) -> FileChanges | None:
    """The files that a command changes; None if nothing is known about the command."""
    cmdlet = cmdlets.find_cmdlet(words[0].text)
    if cmdlet is None:
        return _find_program_changes(words)
    arguments = cmdlets.bind_arguments(cmdlet, words[1:])
    by_cmdlet = None if arguments is None else _find_cmdlet_changes(arguments)
    if words[0].text.lower() not in ALSO_PROGRAMS:
        return by_cmdlet
    by_program = _find_program_changes(words)
    if by_cmdlet is None or by_program is None:
        return by_cmdlet or by_program
    return FileChanges(
        _without_repeated_words(by_cmdlet.paths + by_program.paths),
        _without_repeated_words(by_cmdlet.removed + by_program.removed),
    )


def attach_written_files(commands: list[Command]) -> list[Command]:
    """Add to each command the files among its words that earlier commands of the line wrote."""
    files: dict[str, KnownContent] = {}
    found: list[Command] = []
    for given in commands:
        named = dict.fromkeys(_file_name(word) for word in given.words) if files else {}
        drafts = tuple((name, files[name]) for name in named if name in files)
        command = given._replace(written_files=drafts) if drafts else given
        found.append(command)
        for name, content in _written_files(command):
            files[name] = join_contents((files[name], content)) if name in files else content
        if len(files) > MAX_WRITTEN_FILES:
            raise Unreadable(f"writes more than {MAX_WRITTEN_FILES} files")
    return found


def add_scripts_that_run(found: NestedCode | None, command: Command) -> NestedCode | None:
    """Add the content of scripts that the line wrote and that the command runs."""
    is_shell = base_name(command.program).lower().removesuffix(".exe") in _SHELLS
    own = _file_name(command.words[0])
    contents = [
        content
        for name, content in command.written_files
        if name.endswith(_SCRIPT_EXTENSIONS) and (is_shell or name == own)
    ]
    if any(content.unknown for content in contents):
        found = (found or NestedCode(at=-1))._replace(computed=True)
    texts = tuple(Word(content.text, quoted=True) for content in contents if content.text.strip())
    return add_embedded_code(found, texts=texts)


def _find_program_reads(words: tuple[Word, ...]) -> ReadResult | None:
    """The files that a program reads; None if it may do more than read."""
    program_words = to_program_words(words)
    if program_words is None or program_words[0].text in _WRITE_ON_WINDOWS:
        return None
    if any(word.text.startswith("/") for word in words[1:]):
        return find_windows_program_reads(words) or program_reads.find_reads(program_words)
    return program_reads.find_reads(program_words) or find_windows_program_reads(words)


def _reads_of_alias_and_program(
    cmdlet: Cmdlet, words: tuple[Word, ...], by_cmdlet: ReadResult | None
) -> ReadResult | None:
    """The files that a command reads whose name is both an alias and a program.

    On different systems it means one or the other, so it must be harmless as both.
    """
    name = words[0].text.lower()
    by_program = _find_program_reads(words)
    if name == "sort" and all(word.text[1:2].isupper() for word in words[1:] if cmdlets.is_parameter(word)):
        # No flag of the program `sort` that writes begins with a capital letter.
        by_program = by_program or by_cmdlet
    if by_cmdlet is not None and by_program is not None:
        return by_program._replace(files=tuple(dict.fromkeys((*by_cmdlet.files, *by_program.files))))
    if by_cmdlet is None and any(paths.has_provider(word.text) for word in words[1:]):
        # The program treats `env:` as a file name, but the alias treats it as a drive.
        return None
    return (by_cmdlet or by_program) if name in READS_EITHER_WAY and cmdlet.entry.reads else None


def _find_cmdlet_reads(cmdlet: Cmdlet, words: tuple[Word, ...]) -> ReadResult | None:
    """The files that a cmdlet reads; None if one of its arguments does more than read."""
    arguments = cmdlets.bind_arguments(cmdlet, words[1:])
    if arguments is None or not all(_is_harmless_argument(argument) for argument in arguments):
        return None
    files = paths.to_files(
        word
        for argument in arguments
        if argument.parameter.kind is ParameterKind.READ_PATH
        for word in argument.values
    )
    if files is None or not _passes_read_checks(cmdlet, words, arguments):
        return None
    return ReadResult(files)


def _is_harmless_argument(argument: Argument) -> bool:
    """Whether an argument makes a cmdlet do no more than read."""
    if not argument.parameter.harmless:
        return False
    values = argument.values
    match argument.parameter.kind:
        case ParameterKind.BLOCK:
            return all(_is_block(value) for value in values)
        case ParameterKind.MEMBER:
            return all(_is_block(value) or value.text.lower() in HARMLESS_MEMBERS for value in values)
        case ParameterKind.PROPERTY:
            return not any(value.is_opaque for value in values)
        case ParameterKind.LOCATION:
            return all(paths.is_local_path(value) for value in values)
        case ParameterKind.READ_PATH:
            # A script block as a path computes the path.
            return not any(not value.quoted and value.text[:1] in ("{", "@") for value in values)
        case (
            ParameterKind.SWITCH
            | ParameterKind.VALUE
            | ParameterKind.WRITTEN_PATH
            | ParameterKind.REMOVED_PATH
        ):
            return True


def _is_block(word: Word) -> bool:
    """Whether a word is a script block."""
    return word.text.startswith("{") and not word.quoted


def _passes_read_checks(cmdlet: Cmdlet, words: tuple[Word, ...], arguments: tuple[Argument, ...]) -> bool:
    """Whether a cmdlet only reads, by checks that its parameters do not cover."""
    if cmdlet.name in _QUERY_CMDLETS:
        texts = [value.text.lower() for argument in arguments for value in argument.values]
        return not any(name in text for text in texts for name in _ACTING_CLASSES)
    if cmdlet.name in _CONTENT_READERS and any(_names_secrets(argument) for argument in arguments):
        return False
    if cmdlet.entry.needs_path:
        return any(argument.parameter.kind is ParameterKind.READ_PATH for argument in arguments)
    return cmdlet.name != "New-Object" or makes_plain_object(words)


def _names_secrets(argument: Argument) -> bool:
    """Whether a pattern that selects files contains the name of a secret."""
    if argument.parameter.name not in _FILE_PARAMETERS:
        return False
    names = (value.text.replace("\\", "/").rpartition("/")[2] for value in argument.values)
    is_pattern = argument.parameter.kind is not ParameterKind.READ_PATH
    return any(paths.may_be_secret(name) for name in names if is_pattern or "*" in name)


def _find_environment_reads(cmdlet: Cmdlet, words: tuple[Word, ...]) -> ReadResult | None:
    """An empty result if `Set-Item env:NAME value` sets a harmless variable; otherwise None."""
    arguments = cmdlets.bind_arguments(cmdlet, words)
    if arguments is None or [argument.parameter.name for argument in arguments] != ["Path", "Value"]:
        return None
    path, value = (argument.values[0] for argument in arguments)
    drive, _, name = path.text.partition(":")
    return (
        ReadResult()
        if drive.lower() == "env" and UNKNOWN_MARK not in name and is_harmless_assignment(name, value)
        else None
    )


def _operands_and_files(
    program: WindowsProgram, words: tuple[Word, ...]
) -> tuple[list[Word], list[Word]] | None:
    """The operands, and the files in flags; None if a flag is not listed."""
    known = program.flags.split()
    operands: list[Word] = []
    files: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        text = word.text.lower()
        name, colon, value = text.partition(":")
        if f"{text}=" in known and rest:
            rest.pop(0)
        elif colon and f"{name}:<" in known:
            files.append(word._replace(text=value))
        elif text in known or (colon and f"{name}:" in known) or _is_bundle(text, known):
            continue
        elif UNKNOWN_MARK in text or _FLAG.match(text):
            return None
        else:
            operands.append(word)
    return operands, files


def _is_bundle(text: str, known: list[str]) -> bool:
    """Whether a word is a bundle of one-letter flags, such as `/sin`."""
    return text[:1] == "/" and len(text) > 1 and all(f"/{letter}" in known for letter in text[1:])


def _find_program_changes(words: tuple[Word, ...]) -> FileChanges | None:
    """The files that a program changes; None if its words are unclear."""
    program_words = to_program_words(words)
    return None if program_words is None else program_writes.find_changes(program_words)


def _find_cmdlet_changes(arguments: tuple[Argument, ...]) -> FileChanges:
    """The files that a cmdlet writes and removes."""
    created = _argument_paths(arguments, ParameterKind.WRITTEN_PATH)
    return FileChanges(
        created + _files_of_new_item(created, arguments),
        _argument_paths(arguments, ParameterKind.REMOVED_PATH),
    )


def _argument_paths(arguments: tuple[Argument, ...], kind: ParameterKind) -> tuple[Word, ...]:
    """The paths in all arguments of this kind."""
    return tuple(
        paths.to_file(value) or value
        for argument in arguments
        if argument.parameter.kind is kind
        for value in argument.values
        if not (value.text.startswith("{") and not value.quoted)
    )


def _files_of_new_item(directories: tuple[Word, ...], arguments: tuple[Argument, ...]) -> tuple[Word, ...]:
    """The files that `New-Item -Path directory -Name name` creates in its directories."""
    names = [
        value for argument in arguments if argument.parameter.name == "Name" for value in argument.values
    ]
    return tuple(
        paths.child_path(directory, name.text)._replace(listed=False)
        for directory in directories
        for name in names
    )


def _without_repeated_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words without repetitions."""
    return tuple(dict.fromkeys(words))


def _written_files(command: Command) -> list[tuple[str, KnownContent]]:
    """The names of the files that a command writes, each with its content."""
    cmdlet = cmdlets.find_cmdlet(command.program) if command.words else None
    targets = [redirect.target for redirect in command.redirects if redirect.access is RedirectAccess.WRITE]
    content = UNKNOWN
    match WrittenContent.UNKNOWN if cmdlet is None else cmdlet.entry.writes:
        case WrittenContent.COPY:
            return [
                (_file_name(word), copied)
                for _, copied in command.written_files
                for word in command.words[1:]
            ]
        case WrittenContent.GIVEN_TEXT:
            targets.extend(_created_paths(command))
            content = _input_text(command)
        case WrittenContent.DOWNLOAD:
            targets.extend(_created_paths(command))
        case WrittenContent.UNKNOWN:
            pass
    return [(name, content) for name in map(_file_name, targets) if name and UNKNOWN_MARK not in name]


def _created_paths(command: Command) -> tuple[Word, ...]:
    """The paths that a command writes."""
    changes = find_changes(command.words)
    return () if changes is None else changes.paths


def _input_text(command: Command) -> KnownContent:
    """The text that a command gets through the pipe or in its words."""
    given = command.input_words or (() if command.piped else command.words[1:])
    lines = [word.text for word in given if word.quoted or " " in word.text]
    known = bool(lines) and not any(UNKNOWN_MARK in line for line in lines)
    return limit_content(KnownContent("\n".join(lines) + "\n")) if known else UNKNOWN


def _file_name(word: Word) -> str:
    """The base name of a path, in lower case."""
    return base_name(word.text).lower()
