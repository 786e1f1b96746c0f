"""Scripts of other languages: the commands that they would start, as far as they spell them out."""

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from assent.engine.regex import regex
from assent.engine.shell.carried import Carried, beside
from assent.engine.shell.command import Access, Command, Word, base_name
from assent.engine.shell.outputs import SED_COMMAND
from assent.engine.shell.texts import escape

MOST_LITERALS = 32
"""How many texts are taken for what a script may start."""
Vectors = tuple[tuple[Word, ...], ...]

_LITERAL = r"""(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"""
_STRING = regex(_LITERAL + r"[\s,\[\]]*", re.DOTALL)
_CALLS = (
    r"system|popen\d?|exec\w*|spawn\w*|passthru|shell_exec|proc_open|run|call|check_call|check_output|getoutput"
    r"|getstatusoutput|qx|do\s+shell\s+script|System\.cmd|shell-command|call-process|start-process|Command|jobstart"
    r"|termopen|systemlist|sh|shell|system2|capture\w*|create_subprocess\w*|pcntl_exec|callCommand|callProcess"
    r"|readProcess\w*|rawSystem|Sys\.command|os[.:]cmd|run-program|run-shell-command"
)
_CALL = regex(rf"(?:\b(?:{_CALLS})\b|\bcmd\s*:|\$(?=`))[\s(\[{{]*(?:~[cs])?(?=[\"'`])", re.IGNORECASE)
_COMPUTED = regex(rf"\b(?:{_CALLS})\s*\(\s*[A-Za-z_$@]|\bstart-process\b|\|&?\s*\"[^\"]*sh\b", re.IGNORECASE)
"""A call that starts what a variable holds, several things put together, or a shell that is told what."""
_MEANS = regex(
    rf"\b(?:{_CALLS})\s*\(\s*\d|\b(?:exec|system)\s+[$@]|\bsystem\s+as\b|\.execute\("
    r"|\b(?:subprocess|child_process|Open3|sys\.process|ProcessBuilder)\b"
    r"|\w\s*\|&?\s*getline|\"\s*\.!",
    re.IGNORECASE,
)
"""Other means to start programs, which may be called by a name of the script's own."""
_REMOVES = regex(
    r"\b(?:rmtree|remove_tree|rm_rf?|remove_entry\w*|rmSync|rmdirSync|removeSync|remove_dir_all|removedirs)"
    r"[\s(\[]*" + _LITERAL,
    re.DOTALL,
)
_OPENS = regex(r"\bopen[\s(]+(?P<first>[\"'])(?P<path>/dev/[^\"']+)(?P=first)\s*,\s*[\"'][^\"']*[wa+]")
_PIPED = regex(_LITERAL + r"\s*\|&?\s*getline", re.DOTALL)
_PIPES = regex(r"\|&?\s*" + _LITERAL, re.DOTALL)
_OPENED = regex(r"""["']\s*+\|(?P<text>[^"'|]+)["']|["'](?P<more>[^"'|]+)\|\s*+["']""")
_BACKTICKS = regex(r"`(?P<text>[^`]*)`|(?:%x|\bqx)\s*[({\[<](?P<more>[^)}\]>]*)")
_QUOTED = regex(
    r"\b(?:system|exec|open)\b[\s(]*q[qw]?\s*(?:\((?P<text>[^)]*)|[{\[<|/!](?P<more>[^}\]>|/!]*))"
)
_COMMANDS = regex(r"(?:^|[\[;{\n])[ \t]*+(?:exec|spawn|system)\s+(?:-\w+\s+)*(?P<text>[^\n;\]\"'$]+)")
_SED_EXECUTES = regex(SED_COMMAND + r"e\s+(?P<text>[^\n]+)")
_SED_SUBSTITUTES = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1[gpiImM0-9]*e")
_CRON = regex(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
_RECIPE = regex(r"(?:\t|[^\t=;]*:[^=;]*;\s*)[@+-]*(.*)")
_MAKE_SHELL = regex(r"\$\(shell\s+(?P<text>[^)]*)\)|!=\s*(?P<more>[^\n]*)")
_PIECES = regex(
    r"(?:^|[\"'`()\[\]{}~!|;&:=\n])\s*(?=(?P<text>(?!-)[^\s\"'`()\[\]{}~!|;&:=]+\s[^\"'`()\[\]{}~!|;&\n]*))"
    r"|[\"'](?=(?P<more>[\w./-]+)[\"'])"
)
"""What stands at the beginning of a piece of text, whatever the program calls what it does with it."""
_BANGED = regex(r"(?:^|[\s\"'%])!\s*(?P<text>[\w./~][^\"'|]*)")
_MACRO = regex(r"%\((?P<text>[^)]*)\)")
_WRITE18 = regex(r"\\write18\{(?P<text>[^}]*)\}|\\input\s*\|\s*\"?(?P<more>[^\"]*)")
_TO_PIPE = regex(r"%pipe%(?P<text>.*)")
_TO_PROGRAM = regex(r"\bprogram\s+'(?P<text>[^']*)'", re.IGNORECASE)
_SYSTEM_MACRO = regex(r"\be?syscmd\([`\s]*(?P<text>[^)']*)")
_KEYS = {"Space": " ", "Enter": "\n", "C-m": "\n"}
_SEPARATORS = regex(r"&&|\|\||[;|&\n]")

_LANGUAGES = frozenset(
    """python pypy ipython pythonw jython bpython ptpython py node nodejs tsx ts-node babel-node deno bun perl
    raku ruby jruby irb pry php lua luajit texlua R Rscript littler octave julia gnuplot osascript groovy
    scala kotlin clojure bb elixir iex erl ghci guile racket jshell swift mongosh mlr emacs
    emacsclient rails wp drush mix vi vim nvim gvim ex gdb lldb bpftrace
    dtrace rake zx ghc runghc runhaskell ocaml sbcl clisp slsh octave-cli matlab maxima gp sage
    jrunscript""".split()
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
_EDITORS = frozenset("vi vim nvim gvim view ex ed red".split())
_LOOSE = frozenset("fzf sk tmux byobu screen chezmoi zellij kitty mutt neomutt".split())
"""Programs that run texts which stand in many places of a language of their own."""


_SHAPES = (
    (_AWKS, _PIPED),
    (_AWKS, _PIPES),
    (_BACKTICKING, _BACKTICKS),
    (_BACKTICKING, _OPENED),
    (frozenset({"perl"}), _QUOTED),
    (_TOOL_COMMANDS, _COMMANDS),
    (_SEDS, _SED_EXECUTES),
    (_SEDS, _SED_SUBSTITUTES),
    (_MAKES, _MAKE_SHELL),
    (_LOOSE, _PIECES),
    (_EDITORS | {"gnuplot", "matlab"}, _BANGED),
    (frozenset("rpm rpmbuild rpmspec rpmdb rpmquery rpmverify".split()), _MACRO),
    (frozenset({"gs", "ghostscript"}), _TO_PIPE),
    (frozenset({"psql", "usql"}), _TO_PROGRAM),
    (frozenset({"m4"}), _SYSTEM_MACRO),
    (frozenset("tex pdftex latex pdflatex xetex xelatex luatex lualatex".split()), _WRITE18),
)
"""How the commands are written in each language."""
_SCRIPTED = _LANGUAGES.union(_CLIENTS, {"crontab"}, *(names for names, _ in _SHAPES))
_ATTACHED = regex(r"--[\w-]+=")
"""The name of a long option before a script."""
_QUOTE = regex("[\"'`]")
"""What a language starts is spelled out in a literal."""


def with_started(found: Carried | None, command: Command) -> Carried | None:
    """Add what a script would start."""
    names = _names(command.program)
    return beside(found, commands=started(names, command)) if names else found


def speaks(program: str) -> bool:
    """Whether what a program of this name starts is looked for in its scripts."""
    return bool(_names(program))


@lru_cache(maxsize=4096)
def _names(program: str) -> frozenset[str]:
    """By which names a program that runs scripts is in our tables, with and without its version."""
    name = base_name(program).removesuffix(".exe")
    return _SCRIPTED.intersection({name, name.rstrip("0123456789.-")})


def started(names: frozenset[str], command: Command) -> Vectors:
    """The commands that a script among the words or in the input of a program would start."""
    given = [_ATTACHED.sub("", word.text, count=1) for word in command.words[1:]]
    texts = dict.fromkeys((*given, *_fed(command)))
    found = [start for text in texts for start in spelled_out(names, text)]
    found.extend(_typed(command) if names & _LOOSE else ())
    if _spoken(names)[0] and _starts_more(texts, found):
        found.extend(_literals(list(texts)))
    vectors = [vector for text in (*found, *_by_line(names, command)) for vector in _vectors(text)]
    if "bun" in names and [word.text for word in command.words[1:2]] == ["run"] and command.words[2:]:
        # A script of the project's, or else any program there is.
        vectors.append(command.words[2:])
    # What is computed is not spelled out.
    return tuple(dict.fromkeys(vector for vector in vectors if not vector[0].opaque))


def spelled_out(names: frozenset[str], text: str) -> list[str]:
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


def _starts_more(texts: Iterable[str], found: list[str]) -> bool:
    """Whether scripts start what they do not spell out there."""
    return any(map(_COMPUTED.search, texts)) or (not found and any(map(_MEANS.search, texts)))


def _literals(texts: list[str]) -> list[str]:
    """The texts in a script and beside it, any of which a variable of the script may hold."""
    inside = [match for text in texts for match in _STRING.finditer(text)]
    together = (_arguments(match.string, match.start()) for match in inside)  # On demand: each may be long.
    beside = (text.partition("=")[2] or text for text in texts)
    lists = (" ".join(texts[at:]) for at in range(2, len(texts)))
    found: dict[str, None] = {}
    held = chain((match["text"] for match in inside), together, beside, lists)
    while len(found) < MOST_LITERALS and (text := next(held, None)) is not None:
        found[text] = None
    return list(found)


def _fed(command: Command) -> list[str]:
    """What the line itself gives the program to read."""
    here = [one.target.text for one in command.redirects if one.access is Access.TEXT]
    given = [" ".join(word.text for word in command.given)] if command.given else []
    return [*here, *given, *(text for _, text in command.drafts)]


def _typed(command: Command) -> list[str]:
    """What `tmux send-keys` types, key by key."""
    words = [word.text for word in command.words[1:]]
    at = next((at for at, word in enumerate(words, 1) if word in ("send-keys", "send")), 0)
    keys = [_KEYS.get(word, word) for word in words[at:] if word[:1] != "-"]
    return ["".join(keys)] if at else []


def _by_line(names: frozenset[str], command: Command) -> list[str]:
    """The commands in what is fed to clients that take one a line."""
    lines = [line for text in _fed(command) for line in text.splitlines()]
    found: list[str] = []
    if "lftp" in names:
        # It takes its commands as words, too.
        lines = [*lines, *(word.text for word in command.words[1:])]
    if names & _MAKES:
        # So does `make`, behind `--eval`.
        given = [word.text.removeprefix("--eval=") for word in command.words[1:]]
        lines = [*lines, *(line for text in given for line in text.splitlines())]
    if names & _CLIENTS:
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
