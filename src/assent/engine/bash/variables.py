"""Find variables that only contain numbers or hashes, and variables that the shell itself sets."""

from collections import Counter
from functools import lru_cache

from assent.engine.base.lazy import regex

_MAX_LINE_LENGTH = 4096
"""The maximal length of a line in which variables are checked."""
_SHELL_VARIABLE = regex(r"_|REPLY|MAPFILE|COPROC|OPTARG|PWD|OLDPWD|DIRSTACK|FUNCNAME|BASH_\w+")
"""Variables that the shell sets to words of the line or to its input."""
# Words that may set a variable without matching these patterns, or redefine the programs in them.
_UNTRACKED_CHANGE = regex(
    r"\b(?:eval|source|trap|let|declare|typeset|local|readonly|export|getopts|unset|alias|select|coproc|function)\b"
    r"|\(\s*\)|(?:^|[;&|({\n])\s*\.\s"
)
_ARITHMETIC = regex(
    r"\$?\(\((?:[\w\s+*/%<>=!&|^~?:,;-]|\$\w+|\$\{\w+\}|\$#|\([\w\s+*/%$-]*\)"
    r"|\$\((?:nproc|date \+%s|wc -[lwcm] ?< ?[\w./-]+)\))*+\)\)"
)
_QUOTED_TEXT = regex(r"\"[^\"]*\"|'[^']*'")
_AMBIGUOUS_QUOTES = regex(r"\\|<<|(?:^|\s)#|\$\(|`|\$\{")
"""Characters with which quotes cannot be found by a pattern."""
_VALUE = r"\$(?:\w+|\{\w+\})"
_PIPED_COMMAND = rf"(?:(?:[^()'\"`$\\;&|#\n]|{_VALUE}|'[^']*'|\"(?:[^\"$`\\]|{_VALUE})*+\"|(?<=2>)&(?=1))+\|)"
"""A command whose whole output goes into a pipe."""
_REVISION = r"[\w./@~^-]*[\w./@~^]"
_HASH_FORMAT = r"--(?:format|pretty)=(?:format:|tformat:)?[\"']?%[Hh][\"']?"
_COUNT_PATTERN = (
    rf"\$\({_PIPED_COMMAND}*+\s*wc -[lwcm](?:\s*<\s*(?:[\w./-]+|{_VALUE}|\"{_VALUE}\"))?\s*\)"
    r"|\$\((?:nproc|date \+%s|id -u)\)|\$\(seq(?:\s+-?\d+)+\)"
    rf"|\$\(git rev-list --count (?!-){_REVISION}\)"
)
"""Substitutions that print a number."""
_HASH_PATTERN = (
    rf"\$\(git merge-base(?: (?!-){_REVISION})+\)"
    rf"|\$\(git rev-parse(?: -q)?(?: --verify| --short)(?: -q)? (?!-){_REVISION}\)"
    # Without these flags, Git prints a text that is no commit unchanged.
    r"|\$\(git rev-parse (?:HEAD|(?:origin/)?(?:main|master|develop))(?:[~^]\d*)*\)"
    rf"|\$\(git rev-list (?:-1|-n ?1|--max-count=1)(?: (?!-){_REVISION})+\)"
    rf"|\$\(git log (?:-1|-n ?1|--max-count=1)(?: {_HASH_FORMAT}| (?!-){_REVISION})*? {_HASH_FORMAT}"
    rf"(?: (?!-){_REVISION})*(?: -- [\w./-]+)?\)"
)
"""Substitutions that print commit hashes."""
_COUNT_SUBSTITUTION = regex(_COUNT_PATTERN)
_NUMBER_ASSIGNMENT = regex(
    rf"(?<![\w$-])(?:([A-Za-z_]\w*)=(?:[-+]?\d+|{_COUNT_PATTERN})(?=[\s;&|)]|$)"
    rf"|for\s+([A-Za-z_]\w*)\s+in(?:\s+(?:-?\d+|\{{\d+\.\.\d+(?:\.\.\d+)?\}}|{_COUNT_PATTERN}))+\s*(?=[;\n]))"
)
"""An assignment or a loop that gives a variable a number."""
_ARITHMETIC_ASSIGNMENT = regex(
    r"\b([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)\b"
)
_BARE_NAME = regex(r"(?<![\w$-])(?<!\$\{)[A-Za-z_]\w*")
"""A name that is not written as `$name`."""
_NAME_IN_QUOTES = regex(r"(?<![\w$])([A-Za-z_]\w*)(?=\s*[+\[=]|.?$)")
"""A name in a quoted word that may set the variable, as in `"i"` or `"i=1"`."""
_DEFAULT_ASSIGNMENT = regex(r"\$\{(\w+)(?:\[[^]]*\])?\s*:?=")
_NUMBER_OR_HASH = regex(f"{_COUNT_PATTERN}|{_HASH_PATTERN}")


def is_set_by_shell(name: str) -> bool:
    """Whether the shell itself sets this variable to words of the line or to its input."""
    return _SHELL_VARIABLE.fullmatch(name) is not None


def prints_number_or_hash(substitution: str) -> bool:
    """Whether a substitution prints only a number or hashes."""
    return _NUMBER_OR_HASH.fullmatch(substitution) is not None


def replace_number_substitutions(text: str) -> str:
    """Replace each substitution that prints a number by `0`."""
    return _COUNT_SUBSTITUTION.sub("0", text)


def is_numeric_variable(source: str, name: str) -> bool:
    """Whether every assignment of a variable in a line assigns a number."""
    return name in _numeric_variables(source) and not is_set_by_shell(name)


@lru_cache(maxsize=16)
def _numeric_variables(source: str) -> frozenset[str]:
    """The variables of a line that are only assigned numbers."""
    if len(source) > _MAX_LINE_LENGTH or _UNTRACKED_CHANGE.search(source):
        return frozenset()
    rest = _without_quoted_text(_ARITHMETIC.sub("0", source))
    given = Counter(before or after for before, after in _NUMBER_ASSIGNMENT.findall(rest))
    spans = (found[0] for found in _ARITHMETIC.finditer(_QUOTED_TEXT.sub("", source)))
    computed = {before or after for span in spans for before, after in _ARITHMETIC_ASSIGNMENT.findall(span)}
    mentioned = Counter(_BARE_NAME.findall(rest))
    numbers = {name for name in {*given, *computed} if mentioned[name] == given[name]}
    return frozenset(numbers.difference(_DEFAULT_ASSIGNMENT.findall(source)))


def _without_quoted_text(text: str) -> str:
    """The text without quoted texts, except names that they may set; unchanged if quotes are ambiguous."""
    if _AMBIGUOUS_QUOTES.search(text):
        return text
    return _QUOTED_TEXT.sub(lambda found: f'"{" ".join(_NAME_IN_QUOTES.findall(found[0][1:-1]))}"', text)
