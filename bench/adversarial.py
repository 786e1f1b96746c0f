"""Texts that are slow to parse: repeated pieces, deep nesting, and constructs that multiply."""

from collections.abc import Callable, Iterator
from functools import partial

from assent.engine.programs.catalog import TOPICS, find_program
from assent.engine.programs.runs import RunsBy

Maker = Callable[[int], str]
"""Makes a text of about so many characters."""

# Most of them open a construct that the parser has to remember until the end.
_BASH_PIECES = r"""
a=( <<A <<-'A' <<< $( $(( ${ ${a:- ${a/ ` ( (( { {a, [ [[ <( >( " ' $' $" @(a| f(){
) } ]] )) fi done esac ;; & && | || ; ! # ~ * ? \ é $a $a$a a* a=1 a=$a {a,b} {1..9} 2>&1 >a <a
ls; ls& ls| ls&& if while for case select function then elif else do in
cd time coproc eval sudo env xargs
"""
_BASH_NESTS = {
    "subshells": ("(", "ls", ")"),
    "groups": ("{ ", "ls", "; }"),
    "substitutions": ("$(", "ls", ")"),
    "quoted substitutions": ('echo "$(', "ls", ')"'),
    "process substitutions": ("cat <(", "ls", ")"),
    "conditions": ("if ", "ls", "; then ls; fi"),
    "branches": ("if ls; then ", "ls", "; else cd a; fi"),
    "loops": ("for i in 1 2 3 4 5 6 7 8; do ", "ls $i", "; done"),
    "endless loops": ("while ls; do ", "ls", "; done"),
    "functions": ("f() { ", "ls", "; }"),
    "cases": ("case a in a) ", "ls", ";; esac"),
    "arithmetic": ("$((", "1", "))"),
    "defaults": ("${a:-", "b", "}"),
    "braces": ("{a,", "b", "}"),
    "negations": ("! ", "ls", ""),
    "wrappers": ("sudo env nice timeout 5 ", "ls", ""),
    "tests": ("[[ ( ", "a", " ) ]]"),
}

_MOVERS = ("mv", "cp", "rm -r", "tar xf", "unzip", "find", "zf_mv", "tee")
_NAMES = {"names": "n{}", "patterns": "n{}*", "paths": "../n/../{}", "unknown names": "$n/{}"}
_NAMES_A_LINE = 10
_MOST_LINES = 250
_MOST_NODES = 3_900
_NESTED = {
    "in itself": ("", "NAME "),
    "in itself, line by line": ("", "NAME " * 8 + "\n"),
    "around the unknown, line by line": ("", "NAME " * 8 + "ls -la $x *\n"),
    "with all kinds of words, line by line": ("", 'NAME -c "ls; ls" -x a --foo=b a=b -- ls y\n'),
    "with words": ("NAME ", "a "),
    "deep inside, with words": ("NAME " * 7 + "ls ", "a "),
    "with options": ("NAME ", "-a "),
    "with values": ("NAME ", "-c ls "),
    "with assignments": ("NAME ", "a=b "),
    "with unknown words": ("NAME ", "$x "),
    "with patterns": ("NAME ", "a* "),
    "with a text": ("NAME '", "ls; ", "'"),
    "with a text behind an option": ("NAME -c '", "ls -la a b c d e f; ", "'"),
    "with a text in a text": ("""NAME -c "NAME -c '""", "ls a b; ", """'\""""),
    "with texts": ("NAME ", "-c 'ls a; ls b' "),
    "with actions": ("NAME . ", r"-exec ls {} \; "),
    "with actions in actions": ("NAME . ", "-exec "),
    "fed by another": ("echo ", "a ", "| NAME " * 200),
    "in a loop": ("for i in 1 2 3 4 5 6 7 8 9; do ", "NAME $i; ", "done"),
}
"""A beginning, a piece that is repeated, and an end, around programs that run what they are given."""

_HARDEST = frozenset({"around the unknown, line by line", "with all kinds of words, line by line"})

_POWERSHELL_PIECES = r"""
$( @( @{ { ( [ " ' ` <# ; | & && # % ? , .. :: $a $a= ls; ls| if( foreach( -and [int] iex
"""


def bash_texts() -> Iterator[tuple[str, Maker]]:
    """All bash texts by name."""
    yield from _repeat_pieces(_BASH_PIECES.split())
    yield from _repeat_pieces(["ls\n", "\\\n", "find -exec ", "bash -c "])
    yield from ((f"nested {name}", _nest(*nest)) for name, nest in _BASH_NESTS.items())
    yield "one long word", lambda size: "echo " + "a" * size
    yield "one long quoted word", lambda size: f"echo '{'a b' * (size // 3)}'"
    yield "a long here-document", lambda size: f"cat <<'A'\n{'line of text' * (size // 12)}\nA"
    yield "many here-documents", lambda size: "cat <<A\nx\nA\n" * (size // 12)
    yield "many commands", lambda size: "ls -la src && " * (size // 14) + "ls"
    yield "brace lists that multiply", lambda size: "echo " + "{a,b}" * (size // 5)
    yield "numbers that multiply", lambda size: "echo " + "{1..99}" * (size // 7)
    yield "variables that double", _doubling
    yield "variables of many names", lambda size: " ".join(f"a{number}=1" for number in range(size // 7))
    yield "names of many variables", lambda size: "; ".join(f"a{number}=1" for number in range(size // 8))
    yield "directories that double", lambda size: "if a; then cd b; else cd c; fi; " * (size // 32) + "ls"
    yield "directories that may be", lambda size: "cd a || cd b; " * (size // 14) + "ls"
    yield "assignments that may be", lambda size: "a || b=$b$b; " * (size // 13) + "ls $b"
    yield "unknown words", lambda size: "echo " + "$a a " * (size // 5)
    yield "unknown pieces", lambda size: "echo " + "$a-" * (size // 3)
    yield "almost a match", lambda size: "echo " + "ab " * (size // 3)
    yield "almost a match, unknown", lambda size: "echo " + "ab$x" * (size // 4)
    yield "many redirections", lambda size: "ls" + " >a 2>&1 <b" * (size // 11)
    yield "many paths", lambda size: "cat" + " ../a/./b/../c" * (size // 14)
    yield "quoted scripts", _quoted_scripts
    for program in _MOVERS:
        for what, form in _NAMES.items():
            yield f"`{program}` with {what} of their own", partial(_touching, program, form)


def nesting_texts(*, every: int = 1) -> Iterator[tuple[str, Maker]]:
    """Programs that run others: each in the hardest forms, and some in all forms."""
    for number, name in enumerate(_nesting_programs()[::every]):
        for what, pieces in _NESTED.items():
            if what in _HARDEST or number % 10 == 0:
                yield f"`{name}` {what}", _repeat_within(*(piece.replace("NAME", name) for piece in pieces))


_SHELLS = (None, RunsBy.SHELL, RunsBy.POWERSHELL, RunsBy.WINDOWS_SHELL)


def _nesting_programs() -> list[str]:
    """One name for each program with its own reader."""
    alike: dict[str, str] = {}
    repeaters: list[str] = []
    for name in TOPICS:
        known = find_program(name)
        if known.runs is not None:
            alike.setdefault(repr(known.runs), name)
        elif known.runs_by not in _SHELLS:
            repeaters.append(name)
    return [*sorted({*alike.values(), *repeaters}), "bash", "pwsh", "cmd", "git", "ls"]


def _repeat_within(before: str, piece: str, after: str = "") -> Maker:
    """One text with a repeated piece, just within the limits of the reader."""
    return lambda size: (
        before + piece * min((size - len(before + after)) // len(piece), _largest_count(piece)) + after
    )


def _largest_count(piece: str) -> int:
    return _MOST_LINES if "\n" in piece else _MOST_NODES // max(len(piece.split()), 1)


def powershell_texts() -> Iterator[tuple[str, Maker]]:
    """All PowerShell texts by name."""
    yield from _repeat_pieces(_POWERSHELL_PIECES.split())
    yield "nested $( )", _nest("$(", "ls", ")")
    yield "nested { }", _nest("& { ", "ls", " }")
    yield "one long word", lambda size: "echo " + "a" * size
    yield "many commands", lambda size: "Get-ChildItem src; " * (size // 19)


def path_texts() -> Iterator[tuple[str, Maker]]:
    """All paths by name."""
    for piece in ("a/", "../", "./", "a/../", "/", "*", "~/", "**/", "a b", "é/", ".env/"):
        yield f"{piece!r} repeated", partial(_fill, piece)


def _repeat_pieces(pieces: list[str]) -> Iterator[tuple[str, Maker]]:
    for piece in pieces:
        for unit in (piece, piece + " "):
            yield f"{unit!r} repeated", partial(_fill, unit)


def _fill(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def _nest(before: str, core: str, after: str) -> Maker:
    return lambda size: _wrap(before, core, after, size // (len(before) + len(after)))


def _wrap(before: str, core: str, after: str, deep: int) -> str:
    return before * deep + core + after * deep


def _doubling(size: int) -> str:
    lines = ["a0=aaaaaaaa", *(f"a{number + 1}=$a{number}$a{number}" for number in range(size // 16))]
    return "; ".join([*lines, "echo $a9"])


def _touching(program: str, form: str, size: int) -> str:
    """Lines that each touch other files, just within the limits of the reader."""
    length = len(f"{program} \n") + _NAMES_A_LINE * len(form.format("00000 "))
    lines = min(size // length, _MOST_LINES)
    names = [form.format(f"{number:05d}") for number in range(lines * _NAMES_A_LINE)]
    starts = range(0, len(names), _NAMES_A_LINE)
    return "\n".join(f"{program} {' '.join(names[at : at + _NAMES_A_LINE])}" for at in starts)


def _quoted_scripts(size: int) -> str:
    """Nested scripts, as deep as the size allows: each level doubles the escapes."""
    text = "ls"
    while len(text) * 2 < size:
        text = "bash -c " + '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text
