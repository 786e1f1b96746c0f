"""Files that a line writes and then runs, and their content as far as the line contains it."""

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from assent.engine.base.globs import could_match_component
from assent.engine.base.lazy import regex
from assent.engine.lines.command import (
    Command,
    KnownContent,
    NestedCode,
    ParsedLine,
    RedirectAccess,
    Unreadable,
    add_embedded_code,
)
from assent.engine.lines.embedded_commands import SED_COMMAND, STREAM_PREFIXES, STRING, split_commands
from assent.engine.lines.output import (
    MAX_WRITTEN_FILES,
    UNKNOWN,
    find_input_content,
    find_output,
    join_contents,
)
from assent.engine.lines.writes import find_changes
from assent.engine.programs.catalog import find_program
from assent.engine.programs.program import FileEdits, WritesBy
from assent.engine.programs.runs import RunsBy, Script
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name, without_version

MAX_RUN_CHARACTERS = 65_536
"""The maximal number of characters of written files that a line may run; each run of a file counts."""
_CHARACTERS_PER_FILE = 64
"""The number of characters that each run file counts in addition to its length."""
MAX_SEARCHED_TEXTS = 8
"""The maximal number of shell texts that are searched for files that they write."""
MAX_SEARCHED_LENGTH = 2_048
"""The maximal length of a shell text that is searched for files that it writes.

For a longer text, only the names of the files are known.
"""
_REDIRECT_TARGET = regex(r">[>|&]*\s*['\"]?([^\s;&|<>()'\"]+)")
"""The file after an output redirection."""
_TOKEN = regex(r"[\w.+@%~-]+")
_DIRECTORY_SCRIPTS = ("package.json", "index.*", "main.*", "__main__.py")
_REPEATERS = (RunsBy.INPUT_NAMES, RunsBy.ARGUMENTS)


class WrittenFiles:
    """The files that a line has written so far, by base name, because the directory may change.

    The earlier content of a file is kept, because the overwriting command may not run.
    """

    def __init__(self, read: Callable[[str], ParsedLine]) -> None:
        self._read = read
        """The function that reads a shell text."""
        self.files: dict[str, KnownContent] = {}
        self._characters_left = MAX_RUN_CHARACTERS
        self._texts_left = MAX_SEARCHED_TEXTS
        self._exec_targets: tuple[str, ...] = ()
        """The files that an `exec` redirects all output to."""

    def attach_files_to(self, command: Command) -> Command:
        """Return the command with the written files that it may run."""
        if not self.files or not (command.words or command.redirects):
            return command
        tokens = _possible_names(command)
        if not any(map(_may_run_files, tokens)) and not _may_read_or_run(command):
            return command
        names = [name for name in self.files if name in tokens or name.partition(".")[0] in tokens]
        unknown = dict.fromkeys(_file_name_at_end(word) for word in command.words[1:] if not word.is_known)
        # Names that come from a pipe are unknown.
        piped = (
            ("*",)
            if command.piped and any(find_program(token).runs_by in _REPEATERS for token in tokens)
            else ()
        )
        patterns = (*unknown, *piped, *_default_file_patterns(tokens), *_directory_file_patterns(command))
        names.extend(
            name for name in self.files if any(could_match_component(pattern, name) for pattern in patterns)
        )
        found = tuple((name, self.files[name]) for name in dict.fromkeys(names))
        self._characters_left -= sum(
            len(one.text) + len(one.possible_lines) + _CHARACTERS_PER_FILE for _, one in found
        )
        if self._characters_left < 0:
            raise Unreadable("runs files of its own again and again")
        command = command._replace(written_files=found) if found else command
        return (
            command._replace(input=find_input_content(command))
            if found and _input_files(command)
            else command
        )

    def record_writes(self, command: Command) -> None:
        """Record the files that a command writes."""
        command = _without_wrappers(command)
        program = base_name(command.program)
        known = find_program(program)
        if known.runs_by is RunsBy.SHELL:
            self._record_shell_text_writes(command)
        targets = [one.target for one in command.redirects if one.access is RedirectAccess.WRITE]
        if known.writes_input_to_operands:
            targets.extend(word for word in command.words[1:] if word.text[:1] != "-")
        if known.writes is not None and known.writes.by is WritesBy.IMAGE:
            targets.extend(word for word in command.words[1:] if word.text.startswith("of="))
        if program == "exec" and len(command.words) == 1:
            self._exec_targets = tuple(map(_file_name_at_end, targets))
        if targets or self._exec_targets:
            self._add_content((*map(_file_name_at_end, targets), *self._exec_targets), find_output(command))
        if known.is_copier:
            self._record_copy(command.words[1:])
        if known.downloads:
            changes = find_changes(command.words)
            made = _output_words(command.words) if changes is None else changes.paths
            self._add_content(tuple(map(_file_name_at_end, made)), UNKNOWN)
        for name, lines in find_edits(program, command, find_input_content(command)):
            self._add_content((name,), KnownContent(possible_lines=lines))

    def _record_shell_text_writes(self, command: Command) -> None:
        """Record the files that the shell text of a command writes."""
        for text in [word.text for word in command.words[2:] if ">" in word.text and " " in word.text]:
            self._texts_left -= 1
            if self._texts_left >= 0 and len(text) <= MAX_SEARCHED_LENGTH:
                for one in self._read(text).commands:
                    self.record_writes(one)
            else:
                self._add_content(tuple(map(base_name, _REDIRECT_TARGET.findall(text))), UNKNOWN)

    def record_group_writes(self, around: Command, inside: list[Command]) -> None:
        """Record the files that receive the output of a group of commands."""
        targets = tuple(
            _file_name_at_end(one.target) for one in around.redirects if one.access is RedirectAccess.WRITE
        )
        if targets:
            self._add_content(targets, join_contents(map(find_output, inside)))

    def _record_copy(self, operands: tuple[Word, ...]) -> None:
        """Record the copy of a file under its new name."""
        words = [word for word in operands if word.text[:1] != "-"]
        names = [_file_name_at_end(word) for word in words]
        known = [self.files[name] for name in names if name in self.files]
        if any(word.text.startswith(STREAM_PREFIXES) for word in words[:-1]):
            known.append(UNKNOWN)
        if known:
            self._add_content(tuple(names), join_contents(dict.fromkeys(known)))

    def _add_content(self, names: tuple[str, ...], content: KnownContent) -> None:
        """Add content to the files with these names."""
        for name in dict.fromkeys(names):
            if UNKNOWN_MARK in name or not name:
                continue
            before = self.files.get(name)
            if before is None and len(self.files) >= MAX_WRITTEN_FILES:
                raise Unreadable(f"writes more than {MAX_WRITTEN_FILES} files")
            self.files[name] = content if before in (None, content) else join_contents((before, content))


def add_written_scripts(found: NestedCode | None, command: Command) -> NestedCode | None:
    """Add the content of written files that a command runs as its script or as its program."""
    if not command.written_files:
        return found
    itself = base_name(command.program) if "/" in command.program else None
    texts: list[Word] = []
    commands: list[tuple[Word, ...]] = []
    for name, content in command.written_files:
        if name == itself and content.text.startswith("#!"):
            commands.append((*_shebang_words(content.text), *command.words))
        elif name == itself or _runs_file(command, name):
            texts.extend(_to_shell_texts(content.text))
            commands.extend(
                vector for line in content.possible_lines.splitlines() for vector in split_commands(line)
            )
        if _may_run_unknown_command(content) and (name == itself or _runs_as_script(command, name)):
            found = (found or NestedCode(at=-1))._replace(computed=True)
    return add_embedded_code(
        found, texts=tuple(texts), commands=tuple(one for one in commands if not one[0].is_opaque)
    )


def _output_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words behind an option that names the output."""
    return tuple(
        word for before, word in pairwise(words) if before.text.lstrip("-") in ("o", "out", "output")
    )


def _without_wrappers(command: Command) -> Command:
    """The command without transparent wrappers such as `nohup` before it."""
    words = command.words
    at = next((at for at, word in enumerate(words) if not _is_wrapper_word(word.text)), 0)
    return (
        command._replace(words=words[at:])
        if at and find_program(words[0].text).is_transparent_prefix
        else command
    )


def _is_wrapper_word(text: str) -> bool:
    """Whether a word belongs to a wrapper before the real command."""
    return find_program(text).is_transparent_prefix or text[:1] == "-" or "=" in text


def _to_shell_texts(text: str) -> list[Word]:
    """Convert the content of a file to shell texts."""
    # Unknown text in a script is treated like an unknown file.
    return [Word(text.replace(UNKNOWN_MARK, "_"), quoted=True)] if text.strip() else []


def _shebang_words(text: str) -> tuple[Word, ...]:
    """The words of the program in the first line of a script."""
    return tuple(map(Word, text.partition("\n")[0][2:].split()))


def _may_run_unknown_command(content: KnownContent) -> bool:
    """Whether a script with this content may run an unknown command."""
    return content.unknown or any(
        line.lstrip().startswith(UNKNOWN_MARK) for line in content.text.splitlines()
    )


def _runs_file(command: Command, name: str) -> bool:
    """Whether a program runs a file as shell text: from its words, its input or a variable."""
    known = find_program(base_name(command.program))
    if not known.takes_files_for_shell_text:
        return False
    if any(could_match_component(pattern, name) for pattern in known.project_files):
        return True
    values = (one.value for one in command.assignments)
    return any(_could_name_file(word, name) for word in (*command.words[1:], *values, *_input_files(command)))


def _runs_as_script(command: Command, name: str) -> bool:
    """Whether a file is the script that a shell or an interpreter runs."""
    program = base_name(command.program)
    known = find_program(program)
    shell_text = known.takes_files_for_shell_text
    if shell_text and any(could_match_component(pattern, name) for pattern in known.project_files):
        return True
    if not shell_text and Script.CALLS not in find_program(without_version(program)).scripts:
        return False
    first = next((word for word in command.words[1:] if word.text[:1] not in ("-", "+")), None)
    return any(_could_name_file(word, name) for word in (*([first] if first else ()), *_input_files(command)))


def _input_files(command: Command) -> list[Word]:
    """The files that the redirections of a command read."""
    return [one.target for one in command.redirects if one.access is RedirectAccess.READ]


def _could_name_file(word: Word, name: str) -> bool:
    """Whether a word may name the file."""
    last = _file_name_at_end(word)
    return last == name or (not word.is_known and could_match_component(last, name))


def _may_run_files(name: str) -> bool:
    """Whether a program may run the content of a file."""
    known = find_program(name)
    return known.takes_files_for_shell_text or bool(known.scripts or known.project_files)


def _default_file_patterns(tokens: set[str]) -> list[str]:
    """Patterns of the files that programs read by default, such as `Makefile`."""
    return [pattern for token in tokens for pattern in find_program(token).project_files]


def _directory_file_patterns(command: Command) -> tuple[str, ...]:
    """Patterns of the files that an interpreter runs if its script is a directory."""
    runs = find_program(without_version(base_name(command.program))).is_interpreter
    script = next((word.text for word in command.words[1:] if word.text[:1] != "-"), "")
    return _DIRECTORY_SCRIPTS if runs and "." not in script.strip("./") else ()


def _may_read_or_run(command: Command) -> bool:
    """Whether a command may be a written file itself, or pass the content of a file on."""
    return "/" in command.program or command.output_is_read or bool(command.redirects)


def _possible_names(command: Command) -> set[str]:
    """All possible file names in the words of a command, with and without versions."""
    values = [one.value for one in command.assignments]
    targets = [one.target for one in command.redirects if one.access is not RedirectAccess.TEXT]
    found: set[str] = set()
    for word in (*command.words, *values, *targets):
        found.add(_file_name_at_end(word))
        found.update(_TOKEN.findall(word.text))
    return found | set(map(without_version, found))


def _file_name_at_end(word: Word) -> str:
    """The base name of the path at the end of a word, after the name of an option or a variable."""
    return base_name(word.text.rstrip("/")).rpartition("=")[2]


MAX_LITERALS = 32
"""The maximal number of string literals of one script that may be file names or contents."""
_IN_PLACE = regex(r"-\w*i|--in-place")
_SED_ADDITION = regex(SED_COMMAND + r"[aic]\\?\s*(?P<text>[^\n]+)")
_SED_REPLACEMENT = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1")
_WRITING_WORD = regex(r"write|open|put|print|dump|save|>|echo|spew|spurt", re.IGNORECASE)
"""Words with which a script may write a file."""


def find_edits(
    program: str, command: Command, input_content: KnownContent | None
) -> Iterator[tuple[str, str]]:
    """The base names of files that a command may write, each with the lines that it may write."""
    words = [word.text for word in command.words[1:]]
    known, plain = find_program(program), find_program(without_version(program))
    if plain.edits is FileEdits.IN_PLACE and any(map(_IN_PLACE.match, words)):
        lines = [
            match["text"]
            for text in words
            for shape in (_SED_ADDITION, _SED_REPLACEMENT)
            for match in shape.finditer(text)
        ]
        yield from ((base_name(word), "\n".join(lines)) for word in words if lines and word[:1] != "-")
    elif known.edits is FileEdits.FROM_INPUT and input_content is not None:
        yield from ((base_name(word), input_content.text) for word in words if word[:1] not in ("-", "+"))
    elif Script.CALLS in plain.scripts:
        texts = [*words, *([input_content.text] if input_content is not None else [])]
        yield from _literal_edits([text for text in texts if _WRITING_WORD.search(text)])
    elif known.edits is FileEdits.PROJECT_SCRIPTS and words[:2] == ["pkg", "set"]:
        values = [word.partition("=")[2] for word in words[2:] if word.startswith("scripts.")]
        yield from (("package.json", f': "{value}"') for value in values)


def _literal_edits(texts: list[str]) -> Iterator[tuple[str, str]]:
    """The files that a script may write: literals without blanks may be names, other literals content."""
    found = list(islice((match["text"] for text in texts for match in STRING.finditer(text)), MAX_LITERALS))
    lines = [text for text in found if " " in text]
    names = [text for text in found if text and " " not in text]
    said = "\n".join(lines).replace("\\n", "\n")
    if said:
        yield from ((base_name(name), said) for name in names)
