"""Globs in linear time: `*` and nothing else, never a backtracking regular expression."""

from typing import NamedTuple

HOLE = "\0"
"""Stands in a text for a piece whose value is unknown."""

_LITERAL_STAR = "\ue000"


class Glob(NamedTuple):
    """A pattern cut at its stars; `*` matches any text, blanks included."""

    pieces: tuple[str, ...]
    """The literal text between stars; a single piece means there is no star."""
    bare: "Glob | None" = None
    """A pattern that ends in ` *` matches the same without any argument, too."""

    def matches(self, text: str) -> bool:
        """Whether the whole text fits; one pass, whatever the pattern."""
        if self.bare is not None and self.bare.matches(text):
            return True
        pieces = self.pieces
        if len(pieces) == 1:
            return text == pieces[0]
        head, tail = pieces[0], pieces[-1]
        if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
            return False
        at, end = len(head), len(text) - len(tail)
        for piece in pieces[1:-1]:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    def could_match(self, text: str) -> bool:
        """Whether some value of the holes in the text would make it match."""
        if self.bare is not None and self.bare.could_match(text):
            return True
        return self.may_match(text) and _could_equal(self.pieces, text)

    def may_match(self, text: str) -> bool:
        """Whether both ends of the text, up to its holes, leave it open that it could match."""
        head, tail = text.partition(HOLE)[0], text.rpartition(HOLE)[2]
        if self.bare is not None and self.bare.may_match(text):
            return True
        return _agree(self.pieces[0], head) and _agree(self.pieces[-1][::-1], tail[::-1])


def parse_glob(pattern: str) -> Glob:
    """Cut a pattern at its stars; a backslash before a star keeps it literal."""
    marked = pattern.replace("\\*", _LITERAL_STAR)
    pieces = tuple(piece.replace(_LITERAL_STAR, "*") for piece in marked.split("*"))
    if len(pieces) > 1 and pieces[-1] == "" and pieces[-2].endswith(" "):
        return Glob(pieces, bare=Glob((*pieces[:-2], pieces[-2][:-1])))
    return Glob(pieces)


def _agree(first: str, second: str) -> bool:
    """Whether one of two texts begins with the other."""
    return first.startswith(second) or second.startswith(first)


def _could_equal(pieces: tuple[str, ...], text: str) -> bool:
    """Run the pattern as a bit-parallel automaton; a hole may stand for any text at all."""
    symbols: list[str | None] = []
    for index, piece in enumerate(pieces):
        if index:
            symbols.append(None)
        symbols.extend(piece)
    stars = _mask(symbols, None)
    accept = 1 << len(symbols)
    every = (accept << 1) - 1
    masks = {character: _mask(symbols, character) for character in set(text) - {HOLE}}
    states = _skip_stars(1, stars)
    for character in text:
        if character == HOLE:
            states = every & ~((states & -states) - 1) if states else 0
        else:
            states = _skip_stars(((states & masks[character]) << 1) | (states & stars), stars)
        if not states:
            return False
    return bool(states & accept)


def _mask(symbols: list[str | None], wanted: str | None) -> int:
    mask = 0
    for position, symbol in enumerate(symbols):
        if symbol == wanted:
            mask |= 1 << position
    return mask


def _skip_stars(states: int, stars: int) -> int:
    """A star may match nothing, so being before it is being after it, too."""
    while True:
        further = states | ((states & stars) << 1)
        if further == states:
            return states
        states = further
