"""Shell text inside other words: settings, commands of editors, words with a marked beginning."""

import shlex

from assent.engine.lines.options import Found, anywhere, dashed, is_archiver
from assent.engine.programs.catalog import lookup
from assent.engine.programs.variables import HARMLESS_SETTINGS, SETTINGS
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

# `:!cmd`, `silent !cmd`, `%!cmd`, `\! cmd`, `shell cmd`, `.system cmd`: how editors, debuggers and database
# clients are told to start a shell.
_ESCAPE = regex(
    r"\\!|^\s*[:.]?(?:[\w%]+!?\s*)?!|^\s*[:.]?(?:platform\s+)?(?:shell|system|terminal|term)\s"
    r"|^\s*(?:\\[go]\s*|\.(?:once|output|excel|import)\s+[\"']?)?\|"
)


def loose_texts(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """Texts that stand anywhere among the words of a program, each with its place."""
    known = lookup(name)
    words = dashed(words) if is_archiver(known) else words
    return [*option_texts(anywhere(known.text_options or "", words, 1)), *word_texts(name, words)]


def option_texts(found: list[Found]) -> list[tuple[int, Word]]:
    """The shell texts among the values of options, each with its place."""
    texts: list[tuple[int, Word]] = []
    for option in found:
        marks = option.option.marks
        text = option.value if "!" in marks else setting(option.value) if "@" in marks else None
        text = escape(option.value) if "%" in marks else text
        text = option.value._replace(text=option.value.text.replace(",", " ")) if "," in marks else text
        if text is not None and text.text.strip():
            texts.append((option.at, text))
    return texts


def word_texts(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """The shell texts in words that begin as marked for a program, each with its place."""
    texts: list[tuple[int, Word]] = []
    beginnings = lookup(name).text_words
    # Such a word may be the value of an option, which may be abbreviated.
    given = [word.text.partition("=")[2] if word.text[:2] == "--" else word.text for word in words]
    marked = [place for place, text in enumerate(given) if text.startswith(beginnings)]
    for beginning in beginnings if marked else ():
        for place in marked:
            if given[place].startswith(beginning):
                rest = given[place][len(beginning) :]
                text = _unquoted_address(rest) if beginning == "ext::" else rest
                texts.append((place, words[place]._replace(text=text, tilde=False)))
    return texts


def _unquoted_address(address: str) -> str:
    """The command in an `ext::` address of git, which writes a blank inside a word as `% `."""
    pieces = [piece.replace(HOLE, " ") for piece in address.replace("% ", HOLE).split(" ")]
    return shlex.join(pieces)


def setting(word: Word) -> Word | None:
    """The program in `KEY=VALUE` or `KEY VALUE`, if the key is one that holds a program."""
    key, _, value = word.text.partition("=" if "=" in word.text else " ")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        # A text of TOML.
        value = value[1:-1]
    return value_of(key.strip(), word._replace(text=value, tilde=False))


def value_of(key: str, value: Word) -> Word | None:
    """What a setting would run; an alias of git runs a command of git, or of the shell after `!`."""
    key = key.lower().rstrip(":")
    if value.text.startswith("!"):
        return value._replace(text=value.text[1:])
    if key.startswith("alias."):
        return value._replace(text=f"git {value.text}")
    named = key.startswith("pager.") or key.endswith(SETTINGS)
    return value if named and value.text not in HARMLESS_SETTINGS else None


def escape(word: Word) -> Word | None:
    """What follows the escape to the shell in a command of an editor or debugger."""
    found = _ESCAPE.search(word.text)
    return None if found is None else word._replace(text=word.text[found.end() :], tilde=False)


def value_in(word: Word) -> Word:
    """What stands behind the first `=` of a word."""
    return word._replace(text=word.text.partition("=")[2], tilde=False)
