"""Generates texts that are slow to parse: repeated pieces, deep nesting, and exponential expansions."""

from collections.abc import Callable, Iterator
from functools import partial

from assent.engine.programs.catalog import TOPICS, find_program
from assent.engine.programs.runs import RunsBy

TextMaker = Callable[[int], str]
"""A function that makes a text of about the given number of characters."""

# Most of these pieces open a construct that stays open until the end of the text.
_BASH_PIECES = r"""
a=( <<A <<-'A' <<< $( $(( ${ ${a:- ${a/ ` ( (( { {a, [ [[ <( >( " ' $' $" @(a| f(){
) } ]] )) fi done esac ;; & && | || ; ! # ~ * ? \ é $a $a$a a* a=1 a=$a {a,b} {1..9} 2>&1 >a <a
ls; ls& ls| ls&& if while for case select function then elif else do in
cd time coproc eval sudo env xargs
"""
_BASH_NESTED_CONSTRUCTS = {
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

_FILE_PROGRAMS = ("mv", "cp", "rm -r", "tar xf", "unzip", "find", "zf_mv", "tee")
_FILE_NAME_FORMS = {"names": "n{}", "patterns": "n{}*", "paths": "../n/../{}", "unknown names": "$n/{}"}
_NAMES_PER_LINE = 10
_MAX_LINES = 250
_MAX_NODES = 3_900
_WRAPPED_FORMS = {
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
"""Start, repeated piece and end of a text; NAME is replaced by a program that runs other programs."""

_HARDEST_FORMS = frozenset({"around the unknown, line by line", "with all kinds of words, line by line"})

_POWERSHELL_PIECES = r"""
$( @( @{ { ( [ " ' ` <# ; | & && # % ? , .. :: $a $a= ls; ls| if( foreach( -and [int] iex
"""


def bash_texts() -> Iterator[tuple[str, TextMaker]]:
    """Yield the name and the maker of each bash text."""
    yield from _repeated_piece_texts(_BASH_PIECES.split())
    yield from _repeated_piece_texts(["ls\n", "\\\n", "find -exec ", "bash -c "])
    yield from (
        (f"nested {name}", _make_nested_text(*nest)) for name, nest in _BASH_NESTED_CONSTRUCTS.items()
    )
    yield "one long word", lambda size: "echo " + "a" * size
    yield "one long quoted word", lambda size: f"echo '{'a b' * (size // 3)}'"
    yield "a long here-document", lambda size: f"cat <<'A'\n{'line of text' * (size // 12)}\nA"
    yield "many here-documents", lambda size: "cat <<A\nx\nA\n" * (size // 12)
    yield "many commands", lambda size: "ls -la src && " * (size // 14) + "ls"
    yield "brace lists that multiply", lambda size: "echo " + "{a,b}" * (size // 5)
    yield "numbers that multiply", lambda size: "echo " + "{1..99}" * (size // 7)
    yield "variables that double", _doubling_variables
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
    yield "quoted scripts", _nested_quoted_scripts
    for program in _FILE_PROGRAMS:
        for what, form in _FILE_NAME_FORMS.items():
            yield f"`{program}` with {what} of their own", partial(_lines_with_many_files, program, form)


def wrapper_texts(*, every: int = 1) -> Iterator[tuple[str, TextMaker]]:
    """Yield texts with programs that run other programs: each in the hardest forms, some in all forms."""
    for number, name in enumerate(_programs_that_run_others()[::every]):
        for what, pieces in _WRAPPED_FORMS.items():
            if what in _HARDEST_FORMS or number % 10 == 0:
                yield (
                    f"`{name}` {what}",
                    _repeat_up_to_limit(*(piece.replace("NAME", name) for piece in pieces)),
                )


_SHELL_RUNNERS = (None, RunsBy.SHELL, RunsBy.POWERSHELL, RunsBy.WINDOWS_SHELL)


def _programs_that_run_others() -> list[str]:
    """Names of programs that run other programs, one name for each way to parse their arguments."""
    alike: dict[str, str] = {}
    repeaters: list[str] = []
    for name in TOPICS:
        known = find_program(name)
        if known.runs is not None:
            alike.setdefault(repr(known.runs), name)
        elif known.runs_by not in _SHELL_RUNNERS:
            repeaters.append(name)
    return [*sorted({*alike.values(), *repeaters}), "bash", "pwsh", "cmd", "git", "ls"]


def _repeat_up_to_limit(before: str, piece: str, after: str = "") -> TextMaker:
    """Make a text that repeats a piece as often as the limits of the parser allow."""
    return lambda size: (
        before + piece * min((size - len(before + after)) // len(piece), _max_repetitions(piece)) + after
    )


def _max_repetitions(piece: str) -> int:
    return _MAX_LINES if "\n" in piece else _MAX_NODES // max(len(piece.split()), 1)


def powershell_texts() -> Iterator[tuple[str, TextMaker]]:
    """Yield the name and the maker of each PowerShell text."""
    yield from _repeated_piece_texts(_POWERSHELL_PIECES.split())
    yield "nested $( )", _make_nested_text("$(", "ls", ")")
    yield "nested { }", _make_nested_text("& { ", "ls", " }")
    yield "one long word", lambda size: "echo " + "a" * size
    yield "many commands", lambda size: "Get-ChildItem src; " * (size // 19)


def path_texts() -> Iterator[tuple[str, TextMaker]]:
    """Yield the name and the maker of each path."""
    for piece in ("a/", "../", "./", "a/../", "/", "*", "~/", "**/", "a b", "é/", ".env/"):
        yield f"{piece!r} repeated", partial(_repeat_to_size, piece)


def _repeated_piece_texts(pieces: list[str]) -> Iterator[tuple[str, TextMaker]]:
    for piece in pieces:
        for unit in (piece, piece + " "):
            yield f"{unit!r} repeated", partial(_repeat_to_size, unit)


def _repeat_to_size(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def _make_nested_text(before: str, core: str, after: str) -> TextMaker:
    return lambda size: _wrap_in_pairs(before, core, after, size // (len(before) + len(after)))


def _wrap_in_pairs(before: str, core: str, after: str, deep: int) -> str:
    return before * deep + core + after * deep


def _doubling_variables(size: int) -> str:
    lines = ["a0=aaaaaaaa", *(f"a{number + 1}=$a{number}$a{number}" for number in range(size // 16))]
    return "; ".join([*lines, "echo $a9"])


def _lines_with_many_files(program: str, form: str, size: int) -> str:
    """Commands with new file names in each line, up to the limits of the parser."""
    length = len(f"{program} \n") + _NAMES_PER_LINE * len(form.format("00000 "))
    lines = min(size // length, _MAX_LINES)
    names = [form.format(f"{number:05d}") for number in range(lines * _NAMES_PER_LINE)]
    starts = range(0, len(names), _NAMES_PER_LINE)
    return "\n".join(f"{program} {' '.join(names[at : at + _NAMES_PER_LINE])}" for at in starts)


def _nested_quoted_scripts(size: int) -> str:
    """A script inside a script, as deep as the size allows: each level doubles the number of escapes."""
    text = "ls"
    while len(text) * 2 < size:
        text = "bash -c " + '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text
