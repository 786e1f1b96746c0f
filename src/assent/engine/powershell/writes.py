"""What PowerShell commands write and remove, and the scripts that a line writes and then runs."""

from assent.engine.lines import writes as programs
from assent.engine.lines.command import Access, Command, Content
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.printing import MOST_DRAFTS, UNKNOWN, bounded, together
from assent.engine.lines.writes import Written
from assent.engine.powershell import cmdlets, paths
from assent.engine.powershell.cmdlet_table import ALSO_PROGRAMS, Kind, Writes
from assent.engine.powershell.cmdlets import Argument
from assent.engine.powershell.readonly import to_program_words
from assent.engine.powershell.scanner import Unreadable
from assent.engine.programs.word import HOLE, Word, base_name

_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "powershell_ise"})
_SCRIPTS = (".ps1", ".psm1")


def written(words: tuple[Word, ...]) -> Written | None:
    """What a command changes; None when nothing is known about it."""
    cmdlet = cmdlets.find(words[0].text)
    if cmdlet is None:
        return _written_by_program(words)
    arguments = cmdlets.bind(cmdlet, words[1:])
    by_cmdlet = None if arguments is None else _written_by_cmdlet(arguments)
    if words[0].text.lower() not in ALSO_PROGRAMS:
        return by_cmdlet
    by_program = _written_by_program(words)
    if by_cmdlet is None or by_program is None:
        return by_cmdlet or by_program
    return Written(
        _unique(by_cmdlet.paths + by_program.paths), _unique(by_cmdlet.removed + by_program.removed)
    )


def with_written_scripts(commands: list[Command]) -> list[Command]:
    """The commands of a line, each with the files among its words that earlier commands wrote."""
    files: dict[str, Content] = {}
    found: list[Command] = []
    for given in commands:
        named = dict.fromkeys(_file_name(word) for word in given.words) if files else {}
        drafts = tuple((name, files[name]) for name in named if name in files)
        command = given._replace(drafts=drafts) if drafts else given
        found.append(command)
        for name, content in _written_files(command):
            files[name] = together((files[name], content)) if name in files else content
        if len(files) > MOST_DRAFTS:
            raise Unreadable(f"writes more than {MOST_DRAFTS} files")
    return found


def with_run_scripts(found: Carried | None, command: Command) -> Carried | None:
    """Add the content of the scripts that the line wrote and that a command runs."""
    is_shell = base_name(command.program).lower().removesuffix(".exe") in _SHELLS
    own = _file_name(command.words[0])
    contents = [
        content for name, content in command.drafts if name.endswith(_SCRIPTS) and (is_shell or name == own)
    ]
    if any(content.unknown for content in contents):
        found = (found or Carried(at=-1))._replace(computed=True)
    texts = tuple(Word(content.text, quoted=True) for content in contents if content.text.strip())
    return beside(found, texts=texts)


def _written_by_program(words: tuple[Word, ...]) -> Written | None:
    program_words = to_program_words(words)
    return None if program_words is None else programs.written(program_words)


def _written_by_cmdlet(arguments: tuple[Argument, ...]) -> Written:
    created = _paths(arguments, Kind.WRITTEN_PATH)
    return Written(created + _named_in(created, arguments), _paths(arguments, Kind.REMOVED_PATH))


def _paths(arguments: tuple[Argument, ...], kind: Kind) -> tuple[Word, ...]:
    return tuple(
        paths.as_file(value) or value
        for argument in arguments
        if argument.parameter.kind is kind
        for value in argument.values
        if not (value.text.startswith("{") and not value.quoted)
    )


def _named_in(directories: tuple[Word, ...], arguments: tuple[Argument, ...]) -> tuple[Word, ...]:
    """`New-Item -Path directory -Name name` creates the file of that name in the directory."""
    names = [
        value for argument in arguments if argument.parameter.name == "Name" for value in argument.values
    ]
    return tuple(
        paths.child(directory, name.text)._replace(listed=False)
        for directory in directories
        for name in names
    )


def _unique(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return tuple(dict.fromkeys(words))


def _written_files(command: Command) -> list[tuple[str, Content]]:
    """The files that a command writes, with their content."""
    cmdlet = cmdlets.find(command.program) if command.words else None
    targets = [redirect.target for redirect in command.redirects if redirect.access is Access.WRITE]
    content = UNKNOWN
    match Writes.UNKNOWN if cmdlet is None else cmdlet.entry.writes:
        case Writes.COPY:
            return [(_file_name(word), copied) for _, copied in command.drafts for word in command.words[1:]]
        case Writes.GIVEN_TEXT:
            targets.extend(_created_paths(command))
            content = _given_text(command)
        case Writes.DOWNLOAD:
            targets.extend(_created_paths(command))
        case Writes.UNKNOWN:
            pass
    return [(name, content) for name in map(_file_name, targets) if name and HOLE not in name]


def _created_paths(command: Command) -> tuple[Word, ...]:
    changes = written(command.words)
    return () if changes is None else changes.paths


def _given_text(command: Command) -> Content:
    """The text that a command is given through the pipe, or else in its words."""
    given = command.given or (() if command.piped else command.words[1:])
    lines = [word.text for word in given if word.quoted or " " in word.text]
    known = bool(lines) and not any(HOLE in line for line in lines)
    return bounded(Content("\n".join(lines) + "\n")) if known else UNKNOWN


def _file_name(word: Word) -> str:
    return base_name(word.text).lower()
