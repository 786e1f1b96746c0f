"""From a line of a shell to its parts: what each command reads, writes, carries and may be called."""

from typing import NamedTuple

from assent.engine.globs import HOLE
from assent.engine.lines import listing, touches
from assent.engine.lines.command import Access, Command, Line, Redirect
from assent.engine.lines.nested import Carried
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.program_part import TOO_MUCH, Language, evaluated_value_reason, part_of_program
from assent.engine.lines.quoting import quote_words as spelled_out
from assent.engine.programs.variables import harmless_alone
from assent.engine.programs.word import Word

DEEPEST = 8
"""How many wrappers around wrappers are looked through."""
MOST_PARTS = 512
"""How many parts a line may have, those that its commands carry among them."""
_PART = 3
_TEXT = 16
MOST_WORK = MOST_PARTS * _PART
"""How many words its parts may have; a part is worth some of them, and so are long texts and many paths."""


def parse_line(text: str, language: Language, given: str | None = None) -> ParsedCall:
    """The parts of a line; one that cannot be read is a single part that nothing covers.

    `given` is what the line's own shell reads from its standard input, and so does each command of it.
    """
    line = language.read(text)
    if line.unreadable is not None:
        return ParsedCall((Part(text, unreadable=line.unreadable),), line.unreadable)
    if given is not None:
        shell = Command((), redirects=(Redirect(Access.TEXT, Word(given, quoted=True)),))
        line = line._replace(commands=tuple(one.fed_like(shell) for one in line.commands))
    parts = _line_parts(line, language, text, ("",), _Way(0, [MOST_WORK]))
    subject = ParsedCall(parts, source=line.source, spans=tuple(command.span for command in line.commands))
    unreadable = _first_unreadable(subject.parts) or evaluated_value_reason(text, subject.all_parts)
    return subject if unreadable is None else subject._replace(unreadable=unreadable)


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

    def count_call(self, work: int) -> bool:
        """Whether there was as much left; counted, so that the same line always gets the same answer."""
        self.left[0] -= work
        return self.left[0] >= 0


def _part(text: str, command: Command, language: Language, way: _Way) -> Part:
    if not way.count_call(_PART + len(command.words)):
        return Part("…", unreadable=TOO_MUCH)
    carried = language.carried(command)
    inner = () if carried is None else _carried_parts(command, carried, language, way)
    if command.words:
        return part_of_program(text, command, language, way.count_call, carried, inner)
    reads, redirected = touches.redirections(command)
    dangers = language.dangers(command)
    alone = all(harmless_alone(*one) for one in command.assignments)
    return Part(
        text,
        hits=(text,),
        reads=reads,
        inputs=reads,
        redirected=redirected,
        names=touches.path_uses(listing.named(command), command.directories),
        only_reads=alone and not redirected and not inner,
        directories=command.directories,
        carried=inner,
        catastrophe=dangers.catastrophe,
        endangered=touches.endangered_paths(dangers, command.directories),
        command=command,
    )


def _carried_parts(command: Command, carried: Carried, language: Language, way: _Way) -> tuple[Part, ...]:
    if way.depth >= DEEPEST:
        return (Part("…", unreadable="is wrapped too deeply"),)
    found: list[Part] = []
    for words in filter(None, carried.commands):
        one = Command(words, directories=command.directories).fed_like(command)
        found.append(_part(_text(one, b""), one, language, way.deeper()))
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
    if not way.count_call(_PART + len(text.text) // _TEXT):
        return (Part("…", unreadable=TOO_MUCH),)
    line = language.read(text.text)
    if line.unreadable is not None:
        return (Part(text.text, unreadable=line.unreadable),)
    inner = line._replace(commands=tuple(one.fed_like(command) for one in line.commands))
    return _line_parts(inner, language, text.text, command.directories, way.deeper())


def _line_parts(
    line: Line, language: Language, text: str, directories: tuple[str, ...], way: _Way
) -> tuple[Part, ...]:
    source = (line.source or text).encode()
    commands = [command.seen_from(directories) for command in line.commands]
    found = _parts(commands, language, source, way)
    if line.bombs or line.secrets or line.kept:
        found += [Part(f"{name}()", bomb=name) for name in line.bombs]
        found += [Part(f"${name}", only_reads=True, secret=name) for name in line.secrets]
        found += [_kept(word, directories) for word in line.kept]
    return tuple(found)


def _parts(commands: list[Command], language: Language, source: bytes, way: _Way) -> list[Part]:
    """The parts of the commands in their order; what a line says again is the same part again."""
    if len(commands) == 1:
        return [_part(_text(commands[0], source), commands[0], language, way)]
    met: dict[str, _Met] = {}
    found: list[Part] = []
    for command in commands:
        text = _text(command, source)
        again = met.get(text)
        if again is None or not again.is_of(command):
            left = way.left[0]
            part = _part(text, command, language, way)
            met[text] = _Met(part, left - way.left[0])
        else:
            part = again.part if way.count_call(again.work) else Part("…", unreadable=TOO_MUCH)
        found.append(part)
    return found


def _kept(word: Word, directories: tuple[str, ...]) -> Part:
    return Part(word.text, only_reads=True, names=touches.path_uses((word,), directories))


def _text(command: Command, source: bytes) -> str:
    """A command as its line spells it, or as it would be spelled where it stands in none."""
    start, end = command.span
    return source[start:end].decode() if end else spelled_out(tuple([word.text for word in command.words]))


class _Met(NamedTuple):
    """A part of a line, and what it took to read it; the line may say the same again."""

    part: Part
    work: int

    def is_of(self, command: Command) -> bool:
        """Whether a command that is spelled the same means the same, too, wherever it stands."""
        own = self.part.command
        return own is not None and own == command._replace(span=own.span)
