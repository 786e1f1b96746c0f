"""Quoting in rules: from the text of a specifier to its words, and back."""

from functools import lru_cache

_QUOTED_STAR = "\\*"


@lru_cache(maxsize=1024)
def pattern_words(specifier: str) -> tuple[str, ...]:
    """The words of a specifier, split as a shell does; a quoted star is literal.

    `npm run test:*` is Claude Code's spelling of `npm run test *`.
    """
    if specifier.endswith(":*"):
        specifier = specifier[:-2] + " *"
    return unquote(specifier) or tuple(specifier.split())


def unquote(text: str) -> tuple[str, ...] | None:
    """The words without their quotes; None when a quote is not closed."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == quote:
                quote = ""
            else:
                word = (word or "") + (_QUOTED_STAR if character == "*" else character)
        elif character in "'\"":
            quote, word = character, word or ""
        elif character == "\\" and position + 1 < len(text):
            position += 1
            escaped = text[position]
            word = (word or "") + (_QUOTED_STAR if escaped == "*" else escaped)
        elif character in " \t\n":
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + character
        position += 1
    if quote:
        return None
    if word is not None:
        words.append(word)
    return tuple(words)


def quote_words(words: tuple[str, ...]) -> str:
    """The specifier of exactly these words."""
    return " ".join(quote_word(word) for word in words)


def quote_word(word: str) -> str:
    """Quote a word if it holds blanks, quotes, stars or `<`."""
    if word and not any(mark in word for mark in " \t\n'\"\\*<"):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
