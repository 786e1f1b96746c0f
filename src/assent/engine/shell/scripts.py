"""Scripts of other languages: the commands that they would start, as far as they spell them out."""

import re
import shlex
from functools import lru_cache

from assent.engine.shell.carried import Carried, beside
from assent.engine.shell.command import Access, Command, Word, base_name
from assent.engine.shell.outputs import SED_COMMAND
from assent.engine.shell.texts import escape

Vectors = tuple[tuple[Word, ...], ...]

_LITERAL = r"""(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"""
_STRING = re.compile(_LITERAL + r"[\s,\[\]]*", re.DOTALL)
_CALL = re.compile(
    r"\b(?:system|popen\d?|exec\w*|spawn\w*|passthru|shell_exec|proc_open|run|call|check_call|check_output"
    r"|getoutput|getstatusoutput|qx|do\s+shell\s+script|System\.cmd|shell-command|call-process|start-process)\b[\s(\[{]*(?=[\"'`])",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"\b(?:rmtree|remove_tree|rm_rf?|remove_entry\w*|rmSync|rmdirSync|removeSync|remove_dir_all|removedirs)"
    r"[\s(\[]*" + _LITERAL,
    re.DOTALL,
)
_OPENS = re.compile(r"\bopen[\s(]+(?P<first>[\"'])(?P<path>/dev/[^\"']+)(?P=first)\s*,\s*[\"'][^\"']*[wa+]")
_PIPED = re.compile(_LITERAL + r"\s*\|&?\s*getline", re.DOTALL)
_PIPES = re.compile(r"\|&?\s*" + _LITERAL, re.DOTALL)
_OPENED = re.compile(r"""["']\s*+\|(?P<text>[^"'|]+)["']|["'](?P<more>[^"'|]+)\|\s*+["']""")
_BACKTICKS = re.compile(r"`(?P<text>[^`]*)`|(?:%x|\bqx)\s*[({\[<](?P<more>[^)}\]>]*)")
_COMMANDS = re.compile(r"(?:^|[\[;{\n])[ \t]*+(?:exec|spawn|system)\s+(?:-\w+\s+)*(?P<text>[^\n;\]\"'$]+)")
_SED_EXECUTES = re.compile(SED_COMMAND + r"e\s+(?P<text>[^\n]+)")
_SED_SUBSTITUTES = re.compile(
    r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1[gpiImM0-9]*e"
)
_CRON = re.compile(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
_RECIPE = re.compile(r"\t[@+-]*(.*)")
_MAKE_SHELL = re.compile(r"\$\(shell\s+(?P<text>[^)]*)\)|!=\s*(?P<more>[^\n]*)")
_BOUND = re.compile(r"(?:execute|execute-silent|become|reload|preview|transform)\((?P<text>[^)]*)\)")
_MACRO = re.compile(r"%\((?P<text>[^)]*)\)")
_WRITE18 = re.compile(r"\\write18\{(?P<text>[^}]*)\}")
_SEPARATORS = re.compile(r"&&|\|\||[;|&\n]")

_LANGUAGES = frozenset(
    """python pypy ipython pythonw jython bpython ptpython py node nodejs tsx ts-node babel-node deno bun perl
    raku ruby jruby irb pry php lua luajit texlua R Rscript littler octave julia gnuplot osascript groovy
    scala kotlin clojure bb elixir iex erl ghci guile racket jshell swift mongosh mlr emacs
    emacsclient rails wp drush mix""".split()
)
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "goawk"})
_BACKTICKING = frozenset({"perl", "ruby", "jruby", "php", "irb", "gnuplot"})
_TOOL_COMMANDS = frozenset({"tclsh", "wish", "expect"})
_SEDS = frozenset({"sed", "gsed", "ssed"})
_MAKES = frozenset({"make", "gmake", "bmake", "remake"})
_CLIENTS = frozenset(
    """sqlite3 sqlite psql mysql mariadb ed red ex vi vim nvim view gdb lldb dc ftp sftp lftp gnuplot ghci
    mail mailx mutt telnet duckdb usql ncftp psftp r2 radare2""".split()
)
"""Programs whose commands can lead to the shell."""


_SHAPES = (
    (_AWKS, _PIPED),
    (_AWKS, _PIPES),
    (_BACKTICKING, _BACKTICKS),
    (_BACKTICKING, _OPENED),
    (_TOOL_COMMANDS, _COMMANDS),
    (_SEDS, _SED_EXECUTES),
    (_SEDS, _SED_SUBSTITUTES),
    (_MAKES, _MAKE_SHELL),
    (frozenset({"fzf", "sk"}), _BOUND),
    (frozenset({"rpm", "rpmbuild", "rpmspec"}), _MACRO),
    (frozenset("tex pdftex latex pdflatex xetex xelatex luatex lualatex".split()), _WRITE18),
)
"""How the commands are written in each language."""
_SCRIPTED = _LANGUAGES.union(_CLIENTS, {"crontab"}, *(names for names, _ in _SHAPES))


_QUOTE = re.compile("[\"'`]")
"""What a language starts is spelled out in a literal."""


def with_started(found: Carried | None, command: Command) -> Carried | None:
    """Add what a script would start."""
    names = _names(command.program)
    return beside(found, commands=started(names, command)) if names else found


@lru_cache(maxsize=4096)
def _names(program: str) -> frozenset[str]:
    """By which names a program that runs scripts is in our tables, with and without its version."""
    name = base_name(program).removesuffix(".exe")
    return _SCRIPTED.intersection({name, name.rstrip("0123456789.-")})


def started(names: frozenset[str], command: Command) -> Vectors:
    """The commands that a script among the words or in the input of a program would start."""
    texts = dict.fromkeys((*(word.text for word in command.words[1:]), *_fed(command)))
    found = [start for text in texts for start in _starts(names, text)]
    vectors = [vector for text in (*found, *_by_line(names, command)) for vector in _vectors(text)]
    # What is computed is not spelled out.
    return tuple(vector for vector in vectors if not vector[0].opaque)


def _starts(names: frozenset[str], text: str) -> list[str]:
    """The commands in one text, by the languages that it may be in."""
    found: list[str] = []
    speaks, shapes = _spoken(names)
    if speaks and _QUOTE.search(text):
        found.extend(_arguments(text, call.end()) for call in _CALL.finditer(text))
        # Breakers know these by the programs that do the same.
        found.extend(f"rimraf {match.group('text')}" for match in _REMOVES.finditer(text))
        found.extend(f"tee {match.group('path')}" for match in _OPENS.finditer(text))
    for shape in shapes:
        found.extend(match["text"] or match.groupdict().get("more") or "" for match in shape.finditer(text))
    return found


@lru_cache(maxsize=1024)
def _spoken(names: frozenset[str]) -> tuple[bool, tuple[re.Pattern[str], ...]]:
    """Whether a program takes a language with calls, and the other shapes that its commands have."""
    shapes = tuple(shape for known, shape in _SHAPES if names & known)
    return bool(names & (_LANGUAGES | _AWKS)), shapes


def _fed(command: Command) -> list[str]:
    """What the line itself gives the program to read."""
    here = [one.target.text for one in command.redirects if one.access is Access.TEXT]
    return [*here, " ".join(word.text for word in command.given)] if command.given else here


def _by_line(names: frozenset[str], command: Command) -> list[str]:
    """The commands in what is fed to clients that take one a line."""
    lines = [line for text in _fed(command) for line in text.splitlines()]
    found: list[str] = []
    if names & _CLIENTS:
        # `lftp` takes its commands as words, too.
        lines = [*lines, *(word.text for word in command.words[1:] if "lftp" in names)]
        escapes = (escape(Word(line.lstrip("~"))) for line in lines)
        found.extend(word.text for word in escapes if word is not None)
    for name, shape in (("crontab", _CRON), *((make, _RECIPE) for make in _MAKES)):
        matches = (shape.match(line) for line in lines if name in names)
        found.extend(match.group(1) for match in matches if match is not None)
    return found


def _arguments(code: str, at: int) -> str:
    """Strings that follow each other, as one command."""
    found: list[str] = []
    while (match := _STRING.match(code, at)) is not None:
        found.append(match.group("text"))
        at = match.end()
    return " ".join(found)


def _vectors(text: str) -> list[tuple[Word, ...]]:
    """The words of each command in a text; where they cannot be told apart, blanks divide them."""
    found: list[tuple[Word, ...]] = []
    for piece in _SEPARATORS.split(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            words = piece.split()
        if words:
            found.append(tuple(map(_word, words)))
    return found


def _word(text: str) -> Word:
    return Word(text, glob=any(sign in text for sign in "*?["), tilde=text.startswith("~"))
