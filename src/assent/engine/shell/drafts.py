"""Files that a line writes and then runs: what they say, as far as the line spells it out."""

import posixpath

from assent.engine.regex import regex
from assent.engine.shell.carried import Carried, beside
from assent.engine.shell.command import HOLE, Access, Command, Word, base_name
from assent.engine.shell.knowledge.interpreters import SHELLS

LONGEST_DRAFT = 16_384
"""A longer text is taken for an unknown one, or a line that repeats itself would grow without end."""
_SHEBANG = regex(r"#![^\n]*[/ ](?:ba|da|a|z|k)?sh\b[^\n]*\n|(?!#!)")
"""How a text begins that a shell runs: with its name, or with none."""
_PLACE = regex(r"%[sbq]")
_COPIERS = frozenset({"cat", "tee"})
_SOURCES = frozenset({".", "source"})


def drafted(command: Command, drafts: dict[str, str]) -> None:
    """Remember what a command writes to files, if the line itself says what that is.

    What was written before stays: whether the line gets to write it over is not known.
    """
    targets = [one.target for one in command.redirects if one.access is Access.WRITE]
    if command.program == "tee":
        targets.extend(word for word in command.words[1:] if word.text[:1] != "-")
    text = _written(command) if targets else None
    for path in [posixpath.normpath(target.text) for target in targets if target.known and text is not None]:
        together = drafts.get(path, "") + (text or "")
        drafts[path] = together if len(together) <= LONGEST_DRAFT else HOLE


def told(command: Command, drafts: dict[str, str]) -> Command:
    """A command with the drafts among its words, or in its input."""
    if not drafts or not command.words:
        return command
    read = [one.target for one in command.redirects if one.access is Access.READ]
    named = dict.fromkeys(posixpath.normpath(word.text) for word in (*command.words, *read) if word.known)
    return command._replace(drafts=tuple((name, drafts[name]) for name in named if name in drafts))


def with_drafts(found: Carried | None, command: Command) -> Carried | None:
    """Add the drafts that a shell could run: any that it names, or the program itself."""
    name = base_name(command.program)
    itself = posixpath.normpath(command.program) if "/" in command.program else None
    texts = [text for path, text in command.drafts if path == itself or name in SHELLS or name in _SOURCES]
    # What the line does not say of it is as unknown as any other file.
    known = [text if text == HOLE else text.replace(HOLE, "_") for text in texts if _SHEBANG.match(text)]
    return beside(found, texts=tuple(Word(text, quoted=True) for text in known))


def _written(command: Command) -> str | None:
    """What a command prints, if the line spells it out."""
    words = [word.text for word in command.words[1:]]
    match command.program:
        case "echo":
            printed = [word for word in words if word not in ("-e", "-n", "-ne", "-en", "-E")]
            return " ".join(printed).replace("\\n", "\n") + "\n"
        case "printf" if words:
            return _formatted([word for word in words if word != "--"])
        case program if program in _COPIERS:
            here = [one.target.text for one in command.redirects if one.access is Access.TEXT]
            given = here or [" ".join(word.text for word in command.given or ())]
            return "\n".join(given) + "\n" if any(given) else None
        case _:
            return None


def _formatted(words: list[str]) -> str:
    """What `printf` makes of its words, near enough."""
    form, *values = words or [""]
    for value in values:
        before, place, after = _first_place(form)
        form = f"{before}{value}{after}" if place else f"{form}\n{value}"
    return _PLACE.sub(HOLE, form).replace("\\n", "\n") + "\n"


def _first_place(form: str) -> tuple[str, str, str]:
    found = _PLACE.search(form)
    return (form, "", "") if found is None else (form[: found.start()], found[0], form[found.end() :])
