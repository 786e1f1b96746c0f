"""Scripts of other languages: how they spell the commands that they start, and which ones these are."""

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice

from assent.engine.lines.command import Access, Command
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.options import escape
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Script
from assent.engine.programs.word import Word, base_name, versionless
from assent.engine.regex import regex

_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\n\\])*/[IM]*)"
_BLANKS = r"[ \t]*+"
SED_COMMAND = (
    rf"(?:^|[;{{}}\n]){_BLANKS}(?:{_ADDRESS}(?:{_BLANKS},{_BLANKS}[+~]?{_ADDRESS})?{_BLANKS})?(?:!{_BLANKS})?"
)
"""Where a command of `sed` begins: after the one before it, and its addresses."""
_LITERAL = r"""(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"""
STRING = regex(_LITERAL + r"[\s,\[\]]*", re.DOTALL)
_CALLS = (
    r"system|popen\d?|exec\w*|spawn\w*|passthru|shell_exec|proc_open|run|call|check_call|check_output|getoutput"
    r"|getstatusoutput|qx|do\s+shell\s+script|System\.cmd|shell-command|call-process|start-process|Command(?:::new)?"
    r"|jobstart|termopen|systemlist|sh|shell|system2|capture\w*|create_subprocess\w*|pcntl_exec|callCommand|callProcess"
    r"|readProcess\w*|rawSystem|Sys\.command|os[.:]cmd|run-program|run-shell-command"
)
CALL = regex(rf"(?:\b(?:{_CALLS})\b|\bcmd\s*:|\$(?=`))[\s(\[{{]*(?:~[cs])?(?=[\"'`])", re.IGNORECASE)
COMPUTED = regex(rf"\b(?:{_CALLS})\s*\(\s*[A-Za-z_$@]|\bstart-process\b|\|&?\s*\"[^\"]*sh\b", re.IGNORECASE)
"""A call that starts what a variable holds, several things put together, or a shell that is told what."""
MEANS = regex(
    rf"\b(?:{_CALLS})\s*\(\s*\d|\b(?:exec|system)\s+[$@]|\bsystem\s+as\b|\.execute\("
    r"|\b(?:subprocess|child_process|Open3|sys\.process|ProcessBuilder)\b"
    r"|\w\s*\|&?\s*getline|\"\s*\.!",
    re.IGNORECASE,
)
"""Other means to start programs, which may be called by a name of the script's own."""
REMOVES = regex(
    r"\b(?:rmtree|remove_tree|rm_rf?|remove_entry\w*|rmSync|rmdirSync|removeSync|remove_dir_all|removedirs)"
    r"[\s(\[]*" + _LITERAL,
    re.DOTALL,
)
OPENS = regex(r"\bopen[\s(]+(?P<first>[\"'])(?P<path>/dev/[^\"']+)(?P=first)\s*,\s*[\"'][^\"']*[wa+]")
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
LISTED = regex(r"\s*(?:-\s+)?(?:[\w-]+:\s+)?[@-]*(.*)")
"""A line of a list of tasks: a command by itself, as an item, or behind a name."""
CRON = regex(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
RECIPE = regex(r"(?:\t|[^\t=;]*:[^=;]*;\s*)[@+-]*(.*)")
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
_MEMBER = regex(r':\s*"(?P<text>(?:\\.|[^"\\])*)"')
"""A value of JSON, which may be a script of a project."""
_PARAMETERS = regex(r'(?:\bcommands?\b"?\s*[:=]\s*\[?\s*|"\s*,\s*)"(?P<text>(?:\\.|[^"\\])*+)(?=")')
"""The commands in a list of JSON, as a rented machine gets them."""
_SYSTEM_MACRO = regex(r"\be?syscmd\([`\s]*(?P<text>[^)']*)")
KEYS = {"Space": " ", "Enter": "\n", "C-m": "\n"}
SEPARATORS = regex(r"&&|\|\||[;|&\n]")

SHAPES: tuple[tuple[Script, re.Pattern[str]], ...] = (
    (Script.AWK, _PIPED),
    (Script.AWK, _PIPES),
    (Script.BACKTICKS, _BACKTICKS),
    (Script.BACKTICKS, _OPENED),
    (Script.PERL_QUOTES, _QUOTED),
    (Script.TCL, _COMMANDS),
    (Script.SED, _SED_EXECUTES),
    (Script.SED, _SED_SUBSTITUTES),
    (Script.MAKE, _MAKE_SHELL),
    (Script.PIECES, _PIECES),
    (Script.BANG, _BANGED),
    (Script.MACROS, _MACRO),
    (Script.OUTPUT_PIPE, _TO_PIPE),
    (Script.PROGRAM_CLAUSE, _TO_PROGRAM),
    (Script.SYSTEM_MACRO, _SYSTEM_MACRO),
    (Script.JSON_VALUES, _MEMBER),
    (Script.JSON_COMMANDS, _PARAMETERS),
    (Script.TEX, _WRITE18),
)
"""How the commands are written in each kind of script."""
ATTACHED = regex(r"--[\w-]+=")
"""The name of a long option before a script."""
QUOTE = regex("[\"'`]")
"""What a language starts is spelled out in a literal."""


MOST_LITERALS = 32
"""How many texts are taken for what a script may start."""
MOST_STARTED = 512
"""How many commands of a script are looked at; a line with so many parts is left to a person."""
Vectors = tuple[tuple[Word, ...], ...]
Kinds = frozenset[Script]
"""How the scripts of a program spell commands."""
_WITH_CALLS = frozenset({Script.CALLS, Script.AWK, Script.COMPILED})
_FROM_FILES = frozenset({Script.COMPILED, Script.TASKS, Script.PROJECT})
"""Programs that start what a file says and nothing that their own words spell out."""


def with_started(found: Carried | None, command: Command) -> Carried | None:
    """Add what a script would start."""
    kinds = _kinds(command.program)
    return beside(found, commands=started(kinds, command)) if kinds else found


def speaks(program: str) -> bool:
    """Whether what a program of this name starts is looked for in its scripts, whatever gives them."""
    kinds = _kinds(program)
    return bool(kinds) and kinds.isdisjoint(_FROM_FILES)


@lru_cache(maxsize=4096)
def _kinds(program: str) -> Kinds:
    """How scripts of a program spell commands, by its name with and without its version."""
    name = base_name(program).removesuffix(".exe")
    return frozenset((*lookup(name).scripts, *lookup(versionless(name)).scripts))


def started(kinds: Kinds, command: Command) -> Vectors:
    """The commands that a script among the words or in the input of a program would start."""
    plain = not kinds.isdisjoint(_FROM_FILES)
    words = () if plain else command.words[1:]
    texts = dict.fromkeys((*(ATTACHED.sub("", word.text, count=1) for word in words), *_fed(command)))
    found = [start for text in texts for start in spelled_out(kinds, text)]
    found.extend(_typed(command) if Script.PIECES in kinds else ())
    if not kinds.isdisjoint(_WITH_CALLS) and _starts_more(texts, found):
        found.extend(_literals(list(texts)))
    every = dict.fromkeys((*found, *_by_line(kinds, command)))
    vectors = list(islice((vector for text in every for vector in cut(text)), MOST_STARTED))
    runs = Script.RUN_COMMAND in kinds and [word.text for word in command.words[1:2]] == ["run"]
    if runs and command.words[2:]:
        # A script of the project's, or else any program there is.
        vectors.append(command.words[2:])
    # What is computed is not spelled out.
    return tuple(dict.fromkeys(one for one in vectors if not (one[0].opaque or (plain and one[0].glob))))


def spelled_out(kinds: Kinds, text: str) -> list[str]:
    """The commands in one text, by the languages that it may be in."""
    found: list[str] = []
    if not kinds.isdisjoint(_WITH_CALLS) and QUOTE.search(text):
        found.extend(_arguments(text, call.end()) for call in CALL.finditer(text))
        # Breakers know these by the programs that do the same.
        found.extend(f"rimraf {match.group('text')}" for match in REMOVES.finditer(text))
        found.extend(f"tee {match.group('path')}" for match in OPENS.finditer(text))
    for kind, shape in SHAPES:
        if kind in kinds:
            found.extend(
                match["text"] or match.groupdict().get("more") or "" for match in shape.finditer(text)
            )
    return found


def _starts_more(texts: Iterable[str], found: list[str]) -> bool:
    """Whether scripts start what they do not spell out there."""
    return any(map(COMPUTED.search, texts)) or (not found and any(map(MEANS.search, texts)))


def _literals(texts: list[str]) -> list[str]:
    """The texts in a script and beside it, any of which a variable of the script may hold."""
    inside = [match for text in texts for match in STRING.finditer(text)]
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
    here = [one.target.otherwise or one.target.text for one in command.redirects if one.access is Access.TEXT]
    given = [" ".join(word.text for word in command.given)] if command.given else []
    given = [command.input.text] if command.input is not None and command.input.text else given
    return [*here, *given, *(text for _, one in command.drafts for text in (one.text, one.guessed) if text)]


def _typed(command: Command) -> list[str]:
    """What `tmux send-keys` types, key by key."""
    words = [word.text for word in command.words[1:]]
    at = next((at for at, word in enumerate(words, 1) if word in ("send-keys", "send")), 0)
    keys = [KEYS.get(word, word) for word in words[at:] if word[:1] != "-"]
    return ["".join(keys)] if at else []


def _by_line(kinds: Kinds, command: Command) -> list[str]:
    """The commands in what is fed to clients that take one a line."""
    lines = [line for text in _fed(command) for line in text.splitlines()]
    found: list[str] = []
    if Script.WORD_COMMANDS in kinds:
        # It takes its commands as words, too.
        lines = [*lines, *(word.text for word in command.words[1:])]
    if Script.MAKE in kinds:
        # So does `make`, behind `--eval`.
        given = [word.text.removeprefix("--eval=") for word in command.words[1:]]
        lines = [*lines, *(line for text in given for line in text.splitlines())]
    if Script.CLIENT in kinds:
        escapes = (escape(Word(line.lstrip("~"))) for line in lines)
        found.extend(word.text for word in escapes if word is not None)
    for kind, shape in ((Script.CRON, CRON), (Script.MAKE, RECIPE), (Script.TASKS, LISTED)):
        matches = (shape.match(line) for line in lines if kind in kinds)
        found.extend(match.group(1) for match in matches if match is not None)
    return found


def _arguments(code: str, at: int) -> str:
    """Strings that follow each other, as one command."""
    found: list[str] = []
    while (match := STRING.match(code, at)) is not None:
        found.append(match.group("text"))
        at = match.end()
    return " ".join(found)


@lru_cache(maxsize=1024)
def cut(text: str) -> Vectors:
    """The words of each command in a text; where they cannot be told apart, blanks divide them."""
    found: list[tuple[Word, ...]] = []
    for piece in SEPARATORS.split(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            words = piece.split()
        if words:
            found.append(tuple(map(_word, words)))
    return tuple(found)


def _word(text: str) -> Word:
    return Word(text, glob=any(sign in text for sign in "*?["), tilde=text.startswith("~"))
