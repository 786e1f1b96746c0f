"""Variables and substitutions that hold nothing but a number, or the hash of a commit."""

from collections import Counter
from functools import lru_cache

from assent.engine.bash.builtins import filled_by_the_shell
from assent.engine.regex import regex

_LONGEST = 4096
# What could set a variable in a way that these patterns do not see, or redefine the programs they know.
_ELSEWHERE = regex(
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
_NAME = r"[\w./@~^-]*[\w./@~^]"
_COUNTS = (
    rf"\$\({_PIPED}*+\s*wc -[lwcm](?:\s*<\s*(?:[\w./-]+|{_VALUE}|\"{_VALUE}\"))?\s*\)"
    r"|\$\((?:nproc|date \+%s|id -u)\)|\$\(seq(?:\s+-?\d+)+\)"
    rf"|\$\(git rev-list --count (?!-){_NAME}\)"
)
_HASHES = (
    rf"\$\(git merge-base(?: (?!-){_NAME})+\)"
    rf"|\$\(git rev-parse(?: -q)?(?: --verify| --short)(?: -q)? (?!-){_NAME}\)"
    # Without these flags it prints what is no commit as it stands.
    r"|\$\(git rev-parse (?:HEAD|(?:origin/)?(?:main|master|develop))(?:[~^]\d*)*\)"
    rf"|\$\(git rev-list (?:-1|-n ?1|--max-count=1)(?: (?!-){_NAME})+\)"
)
_COUNTED = regex(_COUNTS)
_GIVEN = regex(
    rf"(?<![\w$-])(?:([A-Za-z_]\w*)=(?:[-+]?\d+|{_COUNTS})(?=[\s;&|)]|$)"
    rf"|for\s+([A-Za-z_]\w*)\s+in(?:\s+(?:-?\d+|\{{\d+\.\.\d+(?:\.\.\d+)?\}}|{_COUNTS}))+\s*(?=[;\n]))"
)
"""Where a variable gets a number, by an assignment or by a loop."""
_COMPUTED = regex(r"\b([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)\b")
_MENTIONED = regex(r"(?<![\w$])(?<!\$\{)[A-Za-z_]\w*")
_MEANT = regex(r"(?<![\w$])([A-Za-z_]\w*)(?=\s*[+\[=]|.?$)")
"""A name in a quoted word that may be set by it: `"i"`, `"i=1"`."""
_DEFAULTS = regex(r"\$\{(\w+)(?:\[[^]]*\])?\s*:?=")
_PLAIN = regex(f"{_COUNTS}|{_HASHES}")


def plain(substitution: str) -> bool:
    """Whether a substitution stands for one number, or for hashes."""
    return _PLAIN.fullmatch(substitution) is not None


def counted(text: str) -> str:
    """A text with a number for each substitution that prints one."""
    return _COUNTED.sub("0", text)


def numeric(source: str, name: str) -> bool:
    """Whether a line gives this variable a number wherever it gives it anything."""
    return name in _numeric(source) and not filled_by_the_shell(name)


@lru_cache(maxsize=16)
def _numeric(source: str) -> frozenset[str]:
    if len(source) > _LONGEST or _ELSEWHERE.search(source):
        return frozenset()
    rest = _without_talk(_ARITHMETIC.sub("0", source))
    given = Counter(before or after for before, after in _GIVEN.findall(rest))
    spans = (found[0] for found in _ARITHMETIC.finditer(_QUOTED.sub("", source)))
    computed = {before or after for span in spans for before, after in _COMPUTED.findall(span)}
    mentioned = Counter(_MENTIONED.findall(rest))
    numbers = {name for name in {*given, *computed} if mentioned[name] == given[name]}
    return frozenset(numbers.difference(_DEFAULTS.findall(source)))


def _without_talk(text: str) -> str:
    """The text without what quoted words only speak of, where quotes cannot be misread."""
    if _UNSURE_QUOTES.search(text):
        return text
    return _QUOTED.sub(lambda found: f'"{" ".join(_MEANT.findall(found[0][1:-1]))}"', text)
