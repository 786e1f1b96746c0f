"""Variables of a line: those that only contain numbers or hashes, and those that the shell sets."""

from collections import Counter
from functools import lru_cache

from assent.engine.base.lazy import regex

_LONGEST = 4096
_SET_BY_SHELL = regex(r"_|REPLY|MAPFILE|COPROC|OPTARG|PWD|OLDPWD|DIRSTACK|FUNCNAME|BASH_\w+")
# Words that could set a variable unseen by these patterns, or redefine the programs in them.
_UNTRACKED_CHANGE = regex(
    r"\b(?:eval|source|trap|let|declare|typeset|local|readonly|export|getopts|unset|alias|select|coproc|function)\b"
    r"|\(\s*\)|(?:^|[;&|({\n])\s*\.\s"
)
_ARITHMETIC = regex(
    r"\$?\(\((?:[\w\s+*/%<>=!&|^~?:,;-]|\$\w+|\$\{\w+\}|\$#|\([\w\s+*/%$-]*\)"
    r"|\$\((?:nproc|date \+%s|wc -[lwcm] ?< ?[\w./-]+)\))*+\)\)"
)
_QUOTED = regex(r"\"[^\"]*\"|'[^']*'")
_UNSURE_QUOTES = regex(r"\\|<<|(?:^|\s)#|\$\(|`|\$\{")
_VALUE = r"\$(?:\w+|\{\w+\})"
_PIPED = rf"(?:(?:[^()'\"`$\\;&|#\n]|{_VALUE}|'[^']*'|\"(?:[^\"$`\\]|{_VALUE})*+\"|(?<=2>)&(?=1))+\|)"
"""A command whose whole output goes into a pipe."""
_REVISION = r"[\w./@~^-]*[\w./@~^]"
_COUNTS = (
    rf"\$\({_PIPED}*+\s*wc -[lwcm](?:\s*<\s*(?:[\w./-]+|{_VALUE}|\"{_VALUE}\"))?\s*\)"
    r"|\$\((?:nproc|date \+%s|id -u)\)|\$\(seq(?:\s+-?\d+)+\)"
    rf"|\$\(git rev-list --count (?!-){_REVISION}\)"
)
_HASHES = (
    rf"\$\(git merge-base(?: (?!-){_REVISION})+\)"
    rf"|\$\(git rev-parse(?: -q)?(?: --verify| --short)(?: -q)? (?!-){_REVISION}\)"
    # Without these flags, git prints a text that is no commit unchanged.
    r"|\$\(git rev-parse (?:HEAD|(?:origin/)?(?:main|master|develop))(?:[~^]\d*)*\)"
    rf"|\$\(git rev-list (?:-1|-n ?1|--max-count=1)(?: (?!-){_REVISION})+\)"
)
_COUNT = regex(_COUNTS)
_NUMBER_ASSIGNED = regex(
    rf"(?<![\w$-])(?:([A-Za-z_]\w*)=(?:[-+]?\d+|{_COUNTS})(?=[\s;&|)]|$)"
    rf"|for\s+([A-Za-z_]\w*)\s+in(?:\s+(?:-?\d+|\{{\d+\.\.\d+(?:\.\.\d+)?\}}|{_COUNTS}))+\s*(?=[;\n]))"
)
"""An assignment or a loop that gives a variable a number."""
_ARITHMETIC_ASSIGNED = regex(
    r"\b([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)\b"
)
_MENTIONED = regex(r"(?<![\w$])(?<!\$\{)[A-Za-z_]\w*")
_NAME_IN_QUOTES = regex(r"(?<![\w$])([A-Za-z_]\w*)(?=\s*[+\[=]|.?$)")
"""A name in a quoted word that the word may set: `"i"`, `"i=1"`."""
_DEFAULTS = regex(r"\$\{(\w+)(?:\[[^]]*\])?\s*:?=")
_NUMBER_OR_HASH = regex(f"{_COUNTS}|{_HASHES}")


def is_set_by_shell(name: str) -> bool:
    """Whether the shell itself sets this variable to words of the line or to its input."""
    return _SET_BY_SHELL.fullmatch(name) is not None


def prints_number(substitution: str) -> bool:
    """Whether a substitution prints only a number or hashes."""
    return _NUMBER_OR_HASH.fullmatch(substitution) is not None


def replace_counts(text: str) -> str:
    """The text with `0` in place of each substitution that prints a number."""
    return _COUNT.sub("0", text)


def is_numeric(source: str, name: str) -> bool:
    """Whether every assignment of a variable in a line assigns a number."""
    return name in _numeric_names(source) and not is_set_by_shell(name)


@lru_cache(maxsize=16)
def _numeric_names(source: str) -> frozenset[str]:
    if len(source) > _LONGEST or _UNTRACKED_CHANGE.search(source):
        return frozenset()
    rest = _without_quoted_text(_ARITHMETIC.sub("0", source))
    given = Counter(before or after for before, after in _NUMBER_ASSIGNED.findall(rest))
    spans = (found[0] for found in _ARITHMETIC.finditer(_QUOTED.sub("", source)))
    computed = {before or after for span in spans for before, after in _ARITHMETIC_ASSIGNED.findall(span)}
    mentioned = Counter(_MENTIONED.findall(rest))
    numbers = {name for name in {*given, *computed} if mentioned[name] == given[name]}
    return frozenset(numbers.difference(_DEFAULTS.findall(source)))


def _without_quoted_text(text: str) -> str:
    """The text without quoted texts, except names that they may set; unchanged if quotes may be misread."""
    if _UNSURE_QUOTES.search(text):
        return text
    return _QUOTED.sub(lambda found: f'"{" ".join(_NAME_IN_QUOTES.findall(found[0][1:-1]))}"', text)
