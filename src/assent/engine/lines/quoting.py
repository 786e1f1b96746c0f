"""Shell patterns in rules: words as a person would type them, quotes included."""

from functools import lru_cache

_QUOTED_STAR = "\\*"


@lru_cache(maxsize=1024)
def pattern_words(specifier: str) -> tuple[str, ...]:
    """Cut a specifier into words as the shell would; a quoted star is a star, not a pattern.

    `npm run test:*` is Claude Code's spelling of `npm run test *`.
    """
    if specifier.endswith(":*"):
        specifier = specifier[:-2] + " *"
    return unquoted(specifier) or tuple(specifier.split())


def unquoted(text: str) -> tuple[str, ...] | None:
    """Words with their quotes taken off, or None when the quotes do not pair up."""
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


def written(words: tuple[str, ...]) -> str:
    """The specifier that means exactly these words."""
    return " ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """A word so that it is one, and neither a pattern nor the mark before an input that a rule names."""
    if word and not any(mark in word for mark in " \t\n'\"\\*<"):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
