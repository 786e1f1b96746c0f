"""What a command would run besides itself."""

from typing import NamedTuple

from assent.engine.programs.catalog import lookup
from assent.engine.programs.word import HOLE, Word, base_name

MOST_GUESSES = 64


class Carried(NamedTuple):
    """What a command would run besides itself, one level deep.

    What it runs has the same standard input and here-documents as the command that runs it.
    """

    commands: tuple[tuple[Word, ...], ...] = ()
    """Argument vectors it would run."""
    texts: tuple[Word, ...] = ()
    """Shell texts it would run; a hole in one may hold any code."""
    at: int = 0
    """Where, among its words, the first of these begins; before them all when it runs these only besides."""
    transparent: bool = False
    """By itself harmless: it only reads if all it runs only reads."""
    covers: bool = False
    """An allow rule for what it runs allows the whole."""
    privilege: bool = False
    """It runs it as somebody else."""
    certain: bool = True
    """False when an option was not understood: then these are guesses, for deny, ask and breakers only."""
    files: tuple[Word, ...] = ()
    """Files that it reads itself."""
    computed: bool = False
    """The program that it would run is unknown before it runs, or comes from a pipe."""


def guess(words: tuple[Word, ...], at: int, *, own: int = 0, texts: bool = False) -> Carried:
    """Every way to read the words from a place on where it was not clear what they are.

    `own` operands are still the wrapper's, so that many words may be unknown without harm.
    """
    plain = [place for place in range(at, len(words)) if words[place].text[:1] not in ("", "-")]
    starts = [place for place in plain if not words[place].opaque]
    taken = _until_carrier(words, starts[:MOST_GUESSES])
    # An option that is not known may take the carrier's name for its value; an unknown word will not.
    left = starts[MOST_GUESSES:] or (starts[len(taken) :] and not words[at].opaque)
    return Carried(
        commands=tuple(words[place:] for place in taken),
        texts=tuple(words[place] for place in plain if texts and " " in words[place].text),
        at=starts[0] if starts else at,
        certain=False,
        computed=bool(left) or any(words[place].opaque for place in plain[own : own + 1]),
    )


def _until_carrier(words: tuple[Word, ...], starts: list[int]) -> list[int]:
    """Stop at a program that runs its arguments: it is unwrapped in its turn, so guesses never multiply."""
    for count, place in enumerate(starts, 1):
        if lookup(base_name(words[place].text)).runs_others:
            return starts[:count]
    return starts


def settle(found: Carried, *, trusted: bool) -> Carried:
    """Say what is computed; what is computed, guessed or a stranger's program is never transparent."""
    unknown = any(map(_unknown, found.texts)) or any(words[0].opaque for words in found.commands)
    computed = found.computed or unknown
    known = trusted and found.certain and not computed and not any(HOLE in text.text for text in found.texts)
    return found._replace(
        computed=computed,
        transparent=found.transparent and known,
        covers=found.covers and known,
    )


def with_texts(found: Carried | None, texts: list[tuple[int, Word]]) -> Carried | None:
    """Add texts that stand elsewhere in the words."""
    if not texts:
        return found
    found = found or Carried(at=texts[0][0])
    at = min(found.at or texts[0][0], *(place for place, _ in texts))
    # The same text may have been met as an option and as a word.
    both = dict.fromkeys((*(text for _, text in texts), *found.texts))
    return found._replace(texts=tuple(both), at=at)


def beside(
    found: Carried | None,
    *,
    commands: tuple[tuple[Word, ...], ...] = (),
    texts: tuple[Word, ...] = (),
) -> Carried | None:
    """Add what stands in values and scripts, so that none of the words is its beginning."""
    if not commands and not texts:
        return found
    found = found or Carried(at=-1)
    return found._replace(
        commands=(*found.commands, *commands),
        texts=(*found.texts, *texts),
        transparent=False,
        covers=False,
    )


def _unknown(text: Word) -> bool:
    """Whether the first program of a text is a hole."""
    return text.text.lstrip().startswith(HOLE)
