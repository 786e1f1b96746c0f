"""Files that a line writes or edits and then runs: what they say, as far as the line spells it out."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from assent.engine.globs import could_match_component
from assent.engine.lines.command import Access, Command, Content, Line, Unreadable
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.printing import MOST_DRAFTS, UNKNOWN, fed, printed, together
from assent.engine.lines.scripts import SED_COMMAND, STRING, cut
from assent.engine.lines.writes import written
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Edits, RunsBy, Script, WritesBy
from assent.engine.programs.word import HOLE, Word, base_name, versionless
from assent.engine.regex import regex

MOST_TOLD = 65_536
"""How many characters of its own files a line may run in all, each as often as it is run."""
_EACH = 64
MOST_TEXTS = 8
LONGEST_TEXT = 2_048
"""How many texts for shells are read for what they write to files, and how long one may be.

Of any other only the names of the files are known.
"""
_TARGET = regex(r">[>|&]*\s*['\"]?([^\s;&|<>()'\"]+)")
_TOKEN = regex(r"[\w.+@%~-]+")
_REPEATERS = (RunsBy.INPUT_NAMES, RunsBy.ARGUMENTS)


class Drafts:
    """What a line has written so far, by the last names of the files: the line may go anywhere meanwhile.

    What was written before stays: whether the line gets to write it over is not known.
    """

    def __init__(self, read: Callable[[str], Line]) -> None:
        self._read = read
        """How a text for a shell is read."""
        self.files: dict[str, Content] = {}
        self._left = MOST_TOLD
        self._texts = MOST_TEXTS
        self._always: tuple[str, ...] = ()
        """Where all that is printed goes, because an `exec` said so."""

    def told(self, command: Command) -> Command:
        """A command with the drafts that it may run."""
        if not self.files or not (command.words or command.redirects):
            return command
        tokens = _tokens(command)
        if not any(map(_may_run_files, tokens)) and not _reads_or_runs(command):
            return command
        names = [name for name in self.files if name in tokens or name.partition(".")[0] in tokens]
        unknown = dict.fromkeys(_name(word) for word in command.words[1:] if not word.known)
        # Names that come by a pipe may be any.
        piped = (
            ("*",) if command.piped and any(lookup(token).runs_by in _REPEATERS for token in tokens) else ()
        )
        patterns = (*unknown, *piped, *_looked_for(tokens))
        names.extend(
            name for name in self.files if any(could_match_component(pattern, name) for pattern in patterns)
        )
        found = tuple((name, self.files[name]) for name in dict.fromkeys(names))
        self._left -= sum(len(one.text) + len(one.guessed) + _EACH for _, one in found)
        if self._left < 0:
            raise Unreadable("runs files of its own again and again")
        command = command._replace(drafts=found) if found else command
        return command._replace(input=fed(command)) if found and _inputs(command) else command

    def note(self, command: Command) -> None:
        """Remember what a command writes to files."""
        command = _unwrapped(command)
        program = base_name(command.program)
        known = lookup(program)
        if known.runs_by is RunsBy.SHELL:
            self._note_text(command)
        targets = [one.target for one in command.redirects if one.access is Access.WRITE]
        if known.spreads_input:
            targets.extend(word for word in command.words[1:] if word.text[:1] != "-")
        if known.writes is not None and known.writes.by is WritesBy.IMAGE:
            targets.extend(word for word in command.words[1:] if word.text.startswith("of="))
        if program == "exec" and len(command.words) == 1:
            self._always = tuple(map(_name, targets))
        if targets or self._always:
            self._add((*map(_name, targets), *self._always), printed(command))
        if known.is_copier and self.files:
            self._copy(command.words[1:])
        if known.downloads and (changes := written(command.words)) is not None:
            self._add(tuple(map(_name, changes.paths)), UNKNOWN)
        for name, lines in edited(program, command, fed(command)):
            self._add((name,), Content(guessed=lines))

    def _note_text(self, command: Command) -> None:
        """Remember what a text writes that a shell is given."""
        for text in [word.text for word in command.words[2:] if ">" in word.text and " " in word.text]:
            self._texts -= 1
            if self._texts >= 0 and len(text) <= LONGEST_TEXT:
                for one in self._read(text).commands:
                    self.note(one)
            else:
                self._add(tuple(map(base_name, _TARGET.findall(text))), UNKNOWN)

    def note_all(self, around: Command, inside: list[Command]) -> None:
        """Remember what the commands of a group write to where the output of all of them goes."""
        targets = tuple(_name(one.target) for one in around.redirects if one.access is Access.WRITE)
        if targets:
            self._add(targets, together(map(printed, inside)))

    def _copy(self, operands: tuple[Word, ...]) -> None:
        names = [_name(word) for word in operands if word.text[:1] != "-"]
        known = [self.files[name] for name in names if name in self.files]
        if known:
            self._add(tuple(names), together(dict.fromkeys(known)))

    def _add(self, names: tuple[str, ...], content: Content) -> None:
        for name in dict.fromkeys(names):
            if HOLE in name or not name:
                continue
            before = self.files.get(name)
            if before is None and len(self.files) >= MOST_DRAFTS:
                raise Unreadable(f"writes more than {MOST_DRAFTS} files")
            self.files[name] = content if before in (None, content) else together((before, content))


def with_drafts(found: Carried | None, command: Command) -> Carried | None:
    """Add what the drafts would run that a command runs: any that a shell names, or the program itself."""
    if not command.drafts:
        return found
    itself = base_name(command.program) if "/" in command.program else None
    texts: list[Word] = []
    commands: list[tuple[Word, ...]] = []
    for name, content in command.drafts:
        if name == itself and content.text.startswith("#!"):
            commands.append((*_shebang(content.text), *command.words))
        elif name == itself or _runs(command, name):
            texts.extend(_texts(content.text))
            commands.extend(vector for line in content.guessed.splitlines() for vector in cut(line))
        if _says_unknown(content) and (name == itself or _is_script(command, name)):
            found = (found or Carried(at=-1))._replace(computed=True)
    return beside(found, texts=tuple(texts), commands=tuple(one for one in commands if not one[0].opaque))


def _unwrapped(command: Command) -> Command:
    """The command behind the plainest of those that run another."""
    words = command.words
    at = next((at for at, word in enumerate(words) if not _before(word.text)), 0)
    return (
        command._replace(words=words[at:]) if at and lookup(words[0].text).is_transparent_prefix else command
    )


def _before(text: str) -> bool:
    return lookup(text).is_transparent_prefix or text[:1] == "-" or "=" in text


def _texts(text: str) -> list[Word]:
    # What the line does not say of it is as unknown as any other file.
    return [Word(text.replace(HOLE, "_"), quoted=True)] if text.strip() else []


def _shebang(text: str) -> tuple[Word, ...]:
    """The program that a script names in its first line."""
    return tuple(map(Word, text.partition("\n")[0][2:].split()))


def _says_unknown(content: Content) -> bool:
    """Whether it may run what the line does not say: a command of it is unknown."""
    return content.unknown or any(line.lstrip().startswith(HOLE) for line in content.text.splitlines())


def _runs(command: Command, name: str) -> bool:
    """Whether a program takes a file among its words, in its input or in a variable for shell text."""
    if not lookup(base_name(command.program)).takes_files_for_shell_text:
        return False
    values = (one.value for one in command.assignments)
    return any(_could_be(word, name) for word in (*command.words[1:], *values, *_inputs(command)))


def _is_script(command: Command, name: str) -> bool:
    """Whether a file is the very program that a shell or an interpreter would run."""
    program = base_name(command.program)
    shell_text = lookup(program).takes_files_for_shell_text
    if not shell_text and Script.CALLS not in lookup(versionless(program)).scripts:
        return False
    first = next((word for word in command.words[1:] if word.text[:1] not in ("-", "+")), None)
    return any(_could_be(word, name) for word in (*([first] if first else ()), *_inputs(command)))


def _inputs(command: Command) -> list[Word]:
    return [one.target for one in command.redirects if one.access is Access.READ]


def _could_be(word: Word, name: str) -> bool:
    last = _name(word)
    return last == name or (not word.known and could_match_component(last, name))


def _may_run_files(name: str) -> bool:
    """Whether a program of this name may run what stands in a file."""
    known = lookup(name)
    return known.takes_files_for_shell_text or bool(known.scripts or known.project_files)


def _looked_for(tokens: set[str]) -> list[str]:
    """The names of files that the programs among the words look for by themselves."""
    return [pattern for token in tokens for pattern in lookup(token).project_files]


def _reads_or_runs(command: Command) -> bool:
    """Whether it is a file itself, or passes on what it reads."""
    return "/" in command.program or command.taken or bool(command.redirects)


def _tokens(command: Command) -> set[str]:
    """All that may be a name in the words of a command, with and without versions."""
    values = [one.value for one in command.assignments]
    places = [one.target for one in command.redirects if one.access is not Access.TEXT]
    found: set[str] = set()
    for word in (*command.words, *values, *places):
        found.add(_name(word))
        found.update(_TOKEN.findall(word.text))
    return found | set(map(versionless, found))


def _name(word: Word) -> str:
    """The last name of a path, which may stand behind the name of an option or a variable."""
    return base_name(word.text.rstrip("/")).rpartition("=")[2]


MOST_LITERALS = 32
"""How many texts of one script are taken for what it may write."""
_IN_PLACE = regex(r"-\w*i|--in-place")
_ADDS = regex(SED_COMMAND + r"[aic]\\?\s*(?P<text>[^\n]+)")
_REPLACES = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1")
_WRITES = regex(r"write|open|put|print|dump|save|>|echo|spew|spurt", re.IGNORECASE)
"""How a script may say that it writes."""


def edited(program: str, command: Command, given: Content | None) -> Iterator[tuple[str, str]]:
    """The last names of files that a command may write, each with the lines it may put there."""
    words = [word.text for word in command.words[1:]]
    known, plain = lookup(program), lookup(versionless(program))
    if plain.edits is Edits.IN_PLACE and any(map(_IN_PLACE.match, words)):
        lines = [
            match["text"] for text in words for shape in (_ADDS, _REPLACES) for match in shape.finditer(text)
        ]
        yield from ((base_name(word), "\n".join(lines)) for word in words if lines and word[:1] != "-")
    elif known.edits is Edits.FROM_INPUT and given is not None:
        yield from ((base_name(word), given.text) for word in words if word[:1] not in ("-", "+"))
    elif Script.CALLS in plain.scripts:
        texts = [*words, *([given.text] if given is not None else [])]
        yield from _literals([text for text in texts if _WRITES.search(text)])
    elif known.edits is Edits.PROJECT_SCRIPTS and words[:2] == ["pkg", "set"]:
        values = [word.partition("=")[2] for word in words[2:] if word.startswith("scripts.")]
        yield from (("package.json", f': "{value}"') for value in values)


def _literals(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Every text of a script may be the name of a file, and every other one what it writes there."""
    found = list(islice((match["text"] for text in texts for match in STRING.finditer(text)), MOST_LITERALS))
    lines = [text for text in found if " " in text]
    names = [text for text in found if text and " " not in text]
    said = "\n".join(lines).replace("\\n", "\n")
    if said:
        yield from ((base_name(name), said) for name in names)
