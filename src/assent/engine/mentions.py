"""Files that the words of a command name, and directory trees that a command reads as a whole.

Only deny and ask rules about reading use them: what an unknown program does with a word is not known.
"""

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import UNKNOWN_MARK, has_glob
from assent.engine.base.lazy import regex
from assent.engine.lines.part import Part, to_path_uses
from assent.engine.programs.catalog import find_program
from assent.engine.programs.checks.files import searched_names
from assent.engine.programs.program import OtherOutput, PrintedOutput, TreeReads
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import Word, base_name, without_version

MAX_MENTIONS = 256
"""The maximal number of words of a part that are compared with rules."""
_SEPARATORS = regex(r"[=,:@<]+")
_NO_PATH = regex(r"[\s|;&$`(){}\"']")
"""Characters that no name of a file contains that people write rules for."""
_SCRIPT = regex(r"(?:\d+|\$|/[^/]*/)?(?:,(?:\d+|\$))?[sy]([^\w\s\\]).*\1.*\1\w*")
"""A substitution of `sed` or `perl`."""
_OPTION_VALUE = regex(r"-\w(.+)")
_RECURSIVE_FLAGS = frozenset("--recursive --archive -r -R -a".split())
_SHORT_RECURSIVE = regex(r"-\w*[rRa]\w*")
_UNRESTRICTED = frozenset("-uu -uuu --no-ignore -U".split())
_HIDDEN = frozenset("-. --hidden -uu -uuu -u".split())
_EVERYTHING = frozenset(". : -A --all --no-ignore-removal".split())
_RECORDING = frozenset({"add", "stage", "stash"})
"""Sub-commands that record files."""
_HERE = (Word("."),)
_LANGUAGES = (OtherOutput.CODE, OtherOutput.AWK)
_QUOTED = regex(r"""["'`]([^\s"'`\\]+)["'`]""")
"""A text in a program that may be a path."""
_WRITING = (PrintedOutput.NOTHING, PrintedOutput.PASSES)
"""What a program prints that does not read the files that it writes."""


def mentioned_files(part: Part, names_in_rules: tuple[str, ...] | None = None) -> tuple[PathUse, ...]:
    """The paths that the words of a part may name; none if it is known what the part reads.

    With `names_in_rules`, only words that contain one of these names, or a glob.
    """
    command = part.command
    if command is None or not command.words or part.command_only_reads:
        return ()
    if find_program(base_name(command.program)).prints_names:
        return ()
    end = part.nested_at if part.nested and part.nested_at > 0 else len(command.words)
    known = find_program(base_name(command.program))
    # Other programs, such as `gzip`, also read what they write.
    only_writes = (
        known.writes is not None and known.prints in _WRITING and (known.sends is None or known.is_copier)
    )
    is_language = find_program(without_version(base_name(command.program))).output in _LANGUAGES
    written = {use.text for use in part.writes} if only_writes else set[str]()
    names: dict[str, Word] = {}
    for word in command.words[1:end][:MAX_MENTIONS]:
        if names_in_rules is not None and not word.glob and word.text.isascii():
            folded = word.text.casefold()
            if not any(name in folded for name in names_in_rules):
                continue
        quoted = tuple(_QUOTED.findall(word.text)) if is_language else ()
        for text in (*_names_in_word(word), *quoted):
            if text in written:
                continue
            names[text] = word._replace(text=text, tilde=text[:1] == "~" and not word.quoted)
    return to_path_uses(tuple(names.values()), command.directories)


def searched_files(part: Part) -> tuple[PathUse, ...]:
    """The names that a command searches for, to run another command for each file with this name."""
    command = part.command
    if command is None or not part.nested:
        return ()
    match find_program(base_name(command.program)).runs_by:
        case RunsBy.FOUND_FILES:
            return to_path_uses(searched_names(command.words[1:]), command.directories)
        case RunsBy.FOUND_NAMES:
            pattern = next((word for word in command.words[1:] if word.text[:1] != "-"), None)
            return () if pattern is None else to_path_uses((pattern,), command.directories)
        case _:
            return ()


def searched_trees(part: Part) -> tuple[PathUse, ...]:
    """The directories that a part reads as a whole, hidden and ignored files included."""
    command = part.command
    if command is None or not command.words:
        return ()
    return to_path_uses(_tree_words(command.words), command.directories)


def _names_in_word(word: Word) -> tuple[str, ...]:
    """The texts of a word that may be paths: the word, the value of an option, and the pieces of a list."""
    text = word.text
    if not text or UNKNOWN_MARK in text or _NO_PATH.search(text) or _SCRIPT.fullmatch(text):
        return ()
    found = [] if text[0] == "-" else [text]
    if text[:1] == "-" and (attached := _OPTION_VALUE.fullmatch(text)) is not None and text[1] != "-":
        found.append(attached[1])
    pieces = _SEPARATORS.split(text)
    if len(pieces) > 1:
        found += [piece for piece in pieces if piece and piece[0] != "-"]
    return tuple(found)


def _tree_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words that name directories which a command reads as a whole."""
    kind = find_program(base_name(words[0].text)).reads_trees
    if kind is None:
        return ()
    texts = [word.text for word in words[1:]]
    operands = tuple(word for word in words[1:] if word.text[:1] != "-")
    match kind:
        case TreeReads.UNRESTRICTED:
            flags = set(texts)
            if not flags & _UNRESTRICTED or not flags & _HIDDEN:
                return ()
            return tuple(filter(_may_be_directory, operands[1:])) or _HERE
        case TreeReads.RECORDED:
            at = next((at for at, text in enumerate(texts) if text in _RECORDING), None)
            return _HERE if at is not None and not _EVERYTHING.isdisjoint(texts[at:]) else ()
        case TreeReads.CONTEXT:
            return tuple(filter(_may_be_directory, operands[-1:])) if "build" in texts else ()
        case TreeReads.PACKED:
            return tuple(filter(_may_be_directory, operands[1:]))
        case TreeReads.COPIED:
            recursive = any(text in _RECURSIVE_FLAGS or _SHORT_RECURSIVE.fullmatch(text) for text in texts)
            return tuple(filter(_may_be_directory, operands[:-1])) if recursive else ()


def _may_be_directory(word: Word) -> bool:
    """Whether a word may name a directory; a name with an extension is taken for a file."""
    name = word.text.rstrip("/").rpartition("/")[2]
    if word.text[-1:] == "/" or name in ("", ".", ".."):
        return True
    return has_glob(name) or "." not in name.lstrip(".")
