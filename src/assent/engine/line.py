"""From a line of a shell to its parts: what each command reads, writes, carries and may be called."""

from collections.abc import Callable, Sized
from typing import NamedTuple

from assent.engine import evaluation, spellings, touches
from assent.engine.glob import HOLE
from assent.engine.part import Part, Subject
from assent.engine.pattern import written as spelled_out
from assent.engine.shell import assignments, listing
from assent.engine.shell.assigned import written_by_variables
from assent.engine.shell.carried import Carried
from assent.engine.shell.command import Command, Line, Word
from assent.engine.shell.dangers import Dangers
from assent.engine.shell.knowledge import table
from assent.engine.shell.readonly import Reading
from assent.engine.shell.writes import Written

DEEPEST = 8
"""How many wrappers around wrappers are looked through."""
MOST_PARTS = 512
"""How many parts a line may have, those that its commands carry among them."""
_PART = 3
_TEXT = 16
_FORMS = 512
MOST_WORK = MOST_PARTS * _PART
"""How many words its parts may have; a part is worth some of them, and so are long texts and many paths."""
_TOO_MUCH = "would run more than can be read"

_DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})


class Language(NamedTuple):
    """How one kind of shell is read."""

    read: Callable[[str], Line]
    reading: Callable[[tuple[Word, ...]], Reading | None]
    carried: Callable[[Command], Carried | None]
    written: Callable[[tuple[Word, ...]], Written | None]
    dangers: Callable[[Command], Dangers]
    spellings: spellings.Forms


def subject_of_line(text: str, language: Language) -> Subject:
    """The parts of a line; one that cannot be read is a single part that nothing covers."""
    line = language.read(text)
    if line.unreadable is not None:
        return Subject((Part(text, unreadable=line.unreadable),), line.unreadable)
    parts = _line_parts(line, language, text, ("",), _Way(0, [MOST_WORK]))
    return Subject(parts, _first_unreadable(parts) or evaluation.of_unknown(text, Subject(parts).every))


def _first_unreadable(parts: tuple[Part, ...]) -> str | None:
    for part in parts:
        reason = part.unreadable or _first_unreadable(part.carried)
        if reason is not None:
            return reason
    return None


class _Way(NamedTuple):
    """How deep we are among what carries what, and how much work may still come."""

    depth: int
    left: list[int]

    def deeper(self) -> "_Way":
        return self._replace(depth=self.depth + 1)

    def spend(self, work: int) -> bool:
        """Whether there was as much left; counted, so that the same line always gets the same answer."""
        self.left[0] -= work
        return self.left[0] >= 0


def _part(command: Command, language: Language, source: bytes, way: _Way) -> Part:
    words = command.words
    if not way.spend(_PART + len(words)):
        return Part("…", unreadable=_TOO_MUCH)
    start, end = command.span
    text = source[start:end].decode() if end else spelled_out(tuple([word.text for word in words]))
    if words:
        return _simple(text, command, language, way)
    carried = language.carried(command)
    inner = () if carried is None else _carried_parts(command, carried, language, way)
    reads, redirected = touches.redirections(command)
    dangers = language.dangers(command)
    alone = all(assignments.harmless_alone(*one) for one in command.assignments)
    return Part(
        text,
        hits=(text,),
        reads=reads,
        inputs=reads,
        redirected=redirected,
        names=touches.uses(listing.named(command), command.directories),
        only_reads=alone and not redirected and not inner,
        directories=command.directories,
        carried=inner,
        catastrophe=dangers.catastrophe,
        endangered=touches.endangered(dangers, command.directories),
        command=command,
    )


def _simple(text: str, command: Command, language: Language, way: _Way) -> Part:
    """A part that runs a program: what is known of it, and of what it carries."""
    words, directories = command.words, command.directories
    carried = language.carried(command)
    inner = () if carried is None else _carried_parts(command, carried, language, way)
    # What it runs only besides leaves its own words what they are.
    by_words = carried if carried is None or carried.at >= 0 else None
    reading = None if by_words is not None else _reading(command, language)
    changes = None if reading is not None else language.written(words)
    prefixed = assignments.harmless_before(command)
    reads_alone = prefixed and _only_reads(carried, inner, reading)
    reads, redirected = touches.redirections(command)
    if reading is not None:
        files = reading.files
    else:
        files = touches.copied(words, changes) if by_words is None else by_words.files
    carries = bool(inner) and by_words is not None
    changed = () if reading is not None else touches.changed(command, changes, carries=carries)
    changed = (*changed, *written_by_variables(command))
    dangers = language.dangers(command)
    writes = touches.uses(changed, directories) if changed else ()
    copies = touches.uses(files, directories) if files else ()
    endangered = touches.endangered(dangers, directories, changes)
    hits = spellings.hits(command, language.spellings)
    unreadable = _many_forms(hits, way) or _many_paths(words, (copies, writes, endangered), way)
    return Part(
        text,
        hits=hits,
        possible=spellings.possible(command, language.spellings),
        covers=spellings.covers(command, prefixed=prefixed),
        reads=(*reads, *copies) if copies else reads,
        inputs=reads,
        writes=writes,
        redirected=redirected,
        names=touches.uses(listing.named(command, reading), directories),
        only_reads=reads_alone and not redirected,
        reads_alone=reads_alone,
        trust=(reading is not None and reading.trust) or any(one.trust for one in inner),
        directories=directories,
        carried=inner,
        carried_at=_carried_at(command, carried, prefixed=prefixed),
        passes_through=carried is not None and carried.covers and carried.certain and prefixed,
        privilege=carried is not None and carried.privilege,
        unreadable=_computed(command, carried) or unreadable,
        catastrophe=dangers.catastrophe,
        endangered=endangered,
        command=command,
    )


def _many_forms(hits: tuple[str, ...], way: _Way) -> str | None:
    """Why a command cannot be read that may be spelled in very many ways, each of which rules look at."""
    if len(hits) <= 2:
        return None
    many = len(hits) > spellings.MOST_FORMS or not way.spend(sum(map(len, hits)) // _FORMS)
    return "could be spelled in more ways than can be read" if many else None


def _many_paths(words: tuple[Word, ...], uses: tuple[Sized, ...], way: _Way) -> str | None:
    """Why a command cannot be read whose words stand for more paths than there are words, if too many do."""
    more = sum(map(len, uses)) - len(words)
    return _TOO_MUCH if more > 0 and not way.spend(more) else None


def _carried_at(command: Command, carried: Carried | None, *, prefixed: bool) -> int:
    """Which word of those that a rule must spell is the first that is carried."""
    if carried is None:
        return 0
    before = 0 if prefixed else len(command.assignments)
    return before + (carried.at if carried.certain else len(command.words))


def _computed(command: Command, carried: Carried | None) -> str | None:
    program = command.words[0]
    if program.opaque or program.glob:
        return "runs a program that is itself computed"
    if carried is not None and carried.computed:
        return "runs a program that it gets from elsewhere"
    return evaluation.of_words(command)


def _reading(command: Command, language: Language) -> Reading | None:
    if command.function:
        # A function of the line's own: its body is among the parts. One that takes a program's name is
        # left to a person.
        known = language.reading(command.words[:1]) or language.carried(command)
        return Reading() if known is None and table.find(command.program) is None else None
    program = command.words[0].text
    if program in _DECLARATIONS:
        return Reading() if _declares(program, command.words[1:]) else None
    return language.reading(command.words)


def _declares(program: str, words: tuple[Word, ...]) -> bool:
    """Whether a declaration only sets variables that nothing else looks at."""
    harmless = assignments.harmless if program == "export" else assignments.harmless_alone
    pairs = [word.text.partition("=") for word in words]
    return bool(words) and all(equals and harmless(name, Word(value)) for name, equals, value in pairs)


def _only_reads(carried: Carried | None, inner: tuple[Part, ...], reading: Reading | None) -> bool:
    if carried is None:
        return reading is not None
    return carried.transparent and carried.certain and bool(inner) and all(part.only_reads for part in inner)


def _carried_parts(command: Command, carried: Carried, language: Language, way: _Way) -> tuple[Part, ...]:
    if way.depth >= DEEPEST:
        return (Part("…", unreadable="is wrapped too deeply"),)
    found = [
        _part(Command(words, directories=command.directories).fed_like(command), language, b"", way.deeper())
        for words in carried.commands
        if words
    ]
    for text in carried.texts:
        found.extend(_text_parts(text, command, language, way))
    return tuple(found)


def _text_parts(text: Word, command: Command, language: Language, way: _Way) -> tuple[Part, ...]:
    """The parts of a text that a command would run as shell commands."""
    if HOLE in text.text:
        # Whatever the hole holds may run, too; what stands around it is still looked at by deny rules.
        known = text._replace(text=text.text.replace(HOLE, "${_}"))
        seen = _text_parts(known, command, language, way) if text.text != HOLE else ()
        return (Part("…", unreadable="runs a text that is itself computed"), *seen)
    if not way.spend(_PART + len(text.text) // _TEXT):
        return (Part("…", unreadable=_TOO_MUCH),)
    line = language.read(text.text)
    if line.unreadable is not None:
        return (Part(text.text, unreadable=line.unreadable),)
    inner = line._replace(commands=tuple(one.fed_like(command) for one in line.commands))
    return _line_parts(inner, language, text.text, command.directories, way.deeper())


def _line_parts(
    line: Line, language: Language, text: str, directories: tuple[str, ...], way: _Way
) -> tuple[Part, ...]:
    source = (line.source or text).encode()
    return (
        *(_part(command.seen_from(directories), language, source, way) for command in line.commands),
        *(Part(f"{name}()", bomb=name) for name in line.bombs),
        *(Part(f"${name}", only_reads=True, secret=name) for name in line.secrets),
        *(Part(word.text, only_reads=True, names=touches.uses((word,), directories)) for word in line.kept),
    )
