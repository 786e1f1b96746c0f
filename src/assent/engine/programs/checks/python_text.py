"""Check of `python3 -c`: a program that turns its input into its output, and reaches nothing else.

The program is parsed, never run. Every kind of node, every name, every attribute and every module is in a
closed list; a program with anything else may do more than read.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import WordCheck
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import Word

MAX_PROGRAM = 8_000
"""The maximal number of characters of a program."""
_HELP_FLAGS = frozenset("--version -V -VV --help -h".split())
_OWN_FLAGS = frozenset("-B -E -I -s -u -q".split())
"""Flags that start no file and add no directory."""
_JSON_TOOL_FLAGS = parse_flags(
    "--sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact -h --help"
)
_MODULES = {
    "sys": "stdin stdout stderr argv exit maxsize",
    "json": "load loads dump dumps JSONDecodeError",
    "re": """findall finditer search match fullmatch sub subn split compile escape I IGNORECASE M MULTILINE S
        DOTALL X VERBOSE A ASCII""",
    "collections": "Counter defaultdict OrderedDict deque",
    "itertools": "chain islice groupby zip_longest accumulate combinations permutations product takewhile dropwhile",
    "math": "floor ceil sqrt log log2 log10 pi e inf isnan isinf fabs gcd",
    "datetime": "datetime date time timedelta timezone",
    "textwrap": "shorten indent dedent fill wrap",
    "operator": "itemgetter add mul",
    "functools": "reduce",
    "csv": "reader writer DictReader DictWriter",
}
"""The modules that a program may import, and the names that it may use of each."""
_ATTRIBUTES = frozenset(
    """get items keys values append extend insert pop popitem remove sort reverse index count split rsplit
    splitlines strip lstrip rstrip startswith endswith replace join lower upper title capitalize casefold center
    ljust rjust zfill partition rpartition find rfind isdigit isalpha isalnum isspace isupper islower isnumeric
    isdecimal isidentifier removeprefix removesuffix expandtabs swapcase add discard update clear copy setdefault
    union intersection difference symmetric_difference issubset issuperset isdisjoint most_common elements total
    subtract appendleft popleft rotate from_iterable fromkeys
    group groups groupdict start end span match search findall finditer fullmatch sub subn pattern
    read readline readlines write flush fieldnames writerow writerows writeheader msg pos lineno
    year month day hour minute second microsecond isoformat strftime date time total_seconds days seconds now
    utcnow today fromisoformat fromtimestamp timestamp weekday isoweekday utc
    is_integer bit_length numerator denominator""".split()
)
"""Attributes of texts, numbers, collections, matches, dates and the standard streams.

`format`, `format_map` and `encode` are not among them: they reach other attributes and other modules.
"""
_BUILTINS = frozenset(
    """print len sorted sum min max range enumerate zip map filter int float str bool list dict set tuple
    frozenset any all abs round reversed isinstance repr ord chr hex oct bin iter next divmod pow slice format
    Exception ValueError KeyError IndexError TypeError AttributeError StopIteration ZeroDivisionError
    RuntimeError KeyboardInterrupt BrokenPipeError UnicodeDecodeError SystemExit exit quit""".split()
)
_NODES = (
    ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If, ast.Try,
    ast.ExceptHandler, ast.FunctionDef, ast.Lambda, ast.Return, ast.Yield, ast.Pass, ast.Break, ast.Continue,
    ast.Delete, ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.alias, ast.arguments, ast.arg,
    ast.keyword, ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Constant,
    ast.JoinedStr, ast.FormattedValue, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.IfExp, ast.NamedExpr, ast.Compare, ast.BoolOp,
    ast.BinOp, ast.UnaryOp, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_ESCAPE = regex(r"\\([\n\r\\'\"])|\\(.)")
"""A backslash that ends no text and no line, or any other escape."""
_ALL_BUILTINS = frozenset(dir(builtins))


def check_python(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """No files, if `python3 -c` only turns its input into its output; None if it may do more."""
    if len(words) == 1 and words[0].text in _HELP_FLAGS:
        return ()
    if [word.text for word in words[:2]] == ["-m", "json.tool"]:
        return _input_of_json_tool(words[2:])
    at = next((at for at, word in enumerate(words) if word.text not in _OWN_FLAGS), len(words))
    if len(words) < at + 2 or words[at].text != "-c" or not words[at + 1].is_known:
        return None
    return () if _only_filters(words[at + 1].text) else None


def _input_of_json_tool(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The file that `python3 -m json.tool` reads; None if it writes one."""
    files = FlagScan(_JSON_TOOL_FLAGS, words).operands()
    return None if files is None or len(files) > 1 or any(map(_is_several, files)) else tuple(files)


def _is_several(word: Word) -> bool:
    """Whether the shell may expand a word to several words."""
    return word.splits or word.glob


def _only_filters(text: str) -> bool:
    """Whether a program reads its standard input, and reaches nothing else."""
    if len(text) > MAX_PROGRAM:
        return False
    try:
        nodes = tuple(ast.walk(ast.parse(_ESCAPE.sub(_without_escape, text))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if not all(isinstance(node, _NODES) for node in nodes):
        return False
    imported = set(_imported_modules(nodes))
    modules = dict(imported)
    bound = set(_bound_names(nodes))
    # A name that means a module here and something else there would be checked as the wrong one.
    if len(modules) < len(imported) or not bound.isdisjoint(_ALL_BUILTINS) or not bound.isdisjoint(modules):
        return False
    bases = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return "sys.stdin" in map(_dotted_name, nodes) and all(
        _is_safe(node, modules, bound, bases.get(id(node))) for node in nodes
    )


def _without_escape(found: "re.Match[str]") -> str:
    """An escape without its backslash, because what a text contains does not matter.

    Python warns of unknown escapes while it parses a program.
    """
    return found[0] if found[1] else found[2]


def _imported_modules(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, str]]:
    """The local names of imported modules, and the modules."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.asname or one.name, one.name


def _bound_names(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """All names that a program gives to something else than a module."""
    for node in nodes:
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store() | ast.Del())
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
            ):
                yield name
            case ast.ExceptHandler(name=str(name)):
                yield name
            case ast.ImportFrom(names=names):
                yield from (one.asname or one.name for one in names)
            case _:
                pass


def _dotted_name(node: ast.AST) -> str:
    """The name of an attribute of a name; empty for other nodes."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return f"{name}.{attribute}"
        case _:
            return ""


def _is_safe(node: ast.AST, modules: dict[str, str], bound: set[str], attribute: str | None) -> bool:
    """Whether a node names nothing that reaches beyond the program.

    `attribute` is the attribute that is read of this node.
    """
    match node:
        case ast.Import(names=names):
            return all(one.name in _MODULES for one in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            known = _MODULES.get(module or "", "").split()
            return not level and all(one.name in known for one in names)
        case ast.Name(id=name) if name in modules:
            return attribute is not None and attribute in _MODULES.get(modules[name], "").split()
        case ast.Name(id=name):
            return name in bound or name in _BUILTINS
        case ast.Attribute(value=ast.Name(id=name)) if name in modules:
            return isinstance(node.ctx, ast.Load)
        case ast.Attribute(attr=name):
            return name in _ATTRIBUTES and isinstance(node.ctx, ast.Load)
        case ast.FunctionDef(decorator_list=decorators):
            return not decorators
        case ast.Constant(value=value):
            return value is None or isinstance(value, str | int | float)
        case _:
            return True


CHECKS: dict[str, WordCheck] = {"python filter": check_python}
