"""Commands inside other texts: scripts of other languages, and values of variables."""

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Access, Assignment, Command, Nested, add_embedded
from assent.engine.lines.options import (
    find_options,
    find_setting_program,
    find_shell_escape,
    setting_program,
    shell_texts_in_options,
)
from assent.engine.programs.catalog import lookup
from assent.engine.programs.runs import RunsBy, Script
from assent.engine.programs.variables import (
    CODE,
    ENDINGS,
    ENTRIES,
    ESCAPING,
    EXPANDED,
    HARMLESS_SETTINGS,
    NAMES,
    OPTIONS,
    WRITTEN,
    WRITTEN_ENDINGS,
    is_harmless,
)
from assent.engine.programs.word import HOLE, Word, base_name, without_version

_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\n\\])*/[IM]*)"
_BLANKS = r"[ \t]*+"
SED_COMMAND = (
    rf"(?:^|[;{{}}\n]){_BLANKS}(?:{_ADDRESS}(?:{_BLANKS},{_BLANKS}[+~]?{_ADDRESS})?{_BLANKS})?(?:!{_BLANKS})?"
)
"""The beginning of a command of `sed`, with its addresses."""
_LITERAL = r"""(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"""
STRING = regex(_LITERAL + r"[\s,\[\]]*", re.DOTALL)
_CALLS = (
    r"system|popen\d?|exec\w*|spawn\w*|passthru|shell_exec|proc_open|run|call|check_call|check_output|getoutput"
    r"|getstatusoutput|qx|do\s+shell\s+script|System\.cmd|shell-command|call-process|start-process|Command(?:::new)?"
    r"|jobstart|termopen|systemlist|sh|shell|system2|capture\w*|create_subprocess\w*|pcntl_exec|callCommand|callProcess"
    r"|readProcess\w*|rawSystem|Sys\.command|os[.:]cmd|run-program|run-shell-command"
)
CALL_START = regex(rf"(?:\b(?:{_CALLS})\b|\bcmd\s*:|\$(?=`))[\s(\[{{]*(?:~[cs])?(?=[\"'`])", re.IGNORECASE)
COMPUTED_CALL = regex(
    rf"\b(?:{_CALLS})\s*\(\s*[A-Za-z_$@]|\bstart-process\b|\|&?\s*\"[^\"]*sh\b", re.IGNORECASE
)
"""A call that starts a computed command: from a variable, from several texts, or through a shell."""
OTHER_STARTS = regex(
    rf"\b(?:{_CALLS})\s*\(\s*\d|\b(?:exec|system)\s+[$@]|\bsystem\s+as\b|\.execute\("
    r"|\b(?:subprocess|child_process|Open3|sys\.process|ProcessBuilder)\b"
    r"|\w\s*\|&?\s*getline|\"\s*\.!",
    re.IGNORECASE,
)
"""Other ways to start programs, which a script may call by another name."""
REMOVAL_CALL = regex(
    r"\b(?:rmtree|remove_tree|rm_rf?|remove_entry\w*|rmSync|rmdirSync|removeSync|remove_dir_all|removedirs)"
    r"[\s(\[]*" + _LITERAL,
    re.DOTALL,
)
DEVICE_WRITE = regex(r"\bopen[\s(]+(?P<first>[\"'])(?P<path>/dev/[^\"']+)(?P=first)\s*,\s*[\"'][^\"']*[wa+]")
_PIPE_TO_GETLINE = regex(_LITERAL + r"\s*\|&?\s*getline", re.DOTALL)
_PIPE_TO_COMMAND = regex(r"\|&?\s*" + _LITERAL, re.DOTALL)
_OPENED_PIPE = regex(r"""["']\s*+\|(?P<text>[^"'|]+)["']|["'](?P<more>[^"'|]+)\|\s*+["']""")
_BACKTICKS = regex(r"`(?P<text>[^`]*)`|(?:%x|\bqx)\s*[({\[<](?P<more>[^)}\]>]*)")
_PERL_QUOTED_COMMAND = regex(
    r"\b(?:system|exec|open)\b[\s(]*q[qw]?\s*(?:\((?P<text>[^)]*)|[{\[<|/!](?P<more>[^}\]>|/!]*))"
)
_TCL_COMMAND = regex(r"(?:^|[\[;{\n])[ \t]*+(?:exec|spawn|system)\s+(?:-\w+\s+)*(?P<text>[^\n;\]\"'$]+)")
_SED_EXECUTES = regex(SED_COMMAND + r"e\s+(?P<text>[^\n]+)")
_SED_SUBSTITUTES = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1[gpiImM0-9]*e")
TASK_LINE = regex(r"\s*(?:-\s+)?(?:[\w-]+:\s+)?[@-]*(.*)")
"""A line of a list of tasks: a plain command, an item of a list, or a command after a name."""
CRON_LINE = regex(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
MAKE_RECIPE = regex(r"(?:\t|[^\t=;]*:[^=;]*;\s*)[@+-]*(.*)")
_MAKE_SHELL = regex(r"\$\(shell\s+(?P<text>[^)]*)\)|!=\s*(?P<more>[^\n]*)")
_TEXT_PIECE = regex(
    r"(?:^|[\"'`()\[\]{}~!|;&:=\n])\s*(?=(?P<text>(?!-)[^\s\"'`()\[\]{}~!|;&:=]+\s[^\"'`()\[\]{}~!|;&\n]*))"
    r"|[\"'](?=(?P<more>[\w./-]+)[\"'])"
)
"""The beginning of each piece of a text, for programs whose syntax is not known in detail."""
_BANG_COMMAND = regex(r"(?:^|[\s\"'%])!\s*(?P<text>[\w./~][^\"'|]*)")
_MACRO = regex(r"%\((?P<text>[^)]*)\)")
_WRITE18 = regex(r"\\write18\{(?P<text>[^}]*)\}|\\input\s*\|\s*\"?(?P<more>[^\"]*)")
_PIPE_OUTPUT = regex(r"%pipe%(?P<text>.*)")
_PROGRAM_CLAUSE = regex(r"\bprogram\s+'(?P<text>[^']*)'", re.IGNORECASE)
_JSON_VALUE = regex(r':\s*"(?P<text>(?:\\.|[^"\\])*)"')
"""A value in JSON, which may be a script of a project."""
_JSON_COMMANDS = regex(r'(?:\bcommands?\b"?\s*[:=]\s*\[?\s*|"\s*,\s*)"(?P<text>(?:\\.|[^"\\])*+)(?=")')
"""The commands in a list in JSON, as cloud machines get them."""
_SYSTEM_MACRO = regex(r"\be?syscmd\([`\s]*(?P<text>[^)']*)")
TYPED_KEYS = {"Space": " ", "Enter": "\n", "C-m": "\n"}
SEPARATORS = regex(r"&&|\|\||[;|&\n]")
COMMAND_SHAPES: tuple[tuple[Script, re.Pattern[str]], ...] = (
    (Script.AWK, _PIPE_TO_GETLINE),
    (Script.AWK, _PIPE_TO_COMMAND),
    (Script.BACKTICKS, _BACKTICKS),
    (Script.BACKTICKS, _OPENED_PIPE),
    (Script.PERL_QUOTES, _PERL_QUOTED_COMMAND),
    (Script.TCL, _TCL_COMMAND),
    (Script.SED, _SED_EXECUTES),
    (Script.SED, _SED_SUBSTITUTES),
    (Script.MAKE, _MAKE_SHELL),
    (Script.PIECES, _TEXT_PIECE),
    (Script.BANG, _BANG_COMMAND),
    (Script.MACROS, _MACRO),
    (Script.OUTPUT_PIPE, _PIPE_OUTPUT),
    (Script.PROGRAM_CLAUSE, _PROGRAM_CLAUSE),
    (Script.SYSTEM_MACRO, _SYSTEM_MACRO),
    (Script.JSON_VALUES, _JSON_VALUE),
    (Script.JSON_COMMANDS, _JSON_COMMANDS),
    (Script.TEX, _WRITE18),
)
"""How each kind of script spells commands."""
LONG_OPTION = regex(r"--[\w-]+=")
"""The name of a long option before a script."""
QUOTE = regex("[\"'`]")
"""A script spells the commands that it starts in string literals."""
MOST_LITERALS = 32
"""How many texts of a script are taken as commands that it may start."""
MOST_SCRIPT_COMMANDS = 512
"""How many commands of a script are read; a line with more parts is left to a person."""
Vectors = tuple[tuple[Word, ...], ...]
ScriptKinds = frozenset[Script]
"""The kinds of scripts of a program."""
_CALLING_LANGUAGES = frozenset({Script.CALLS, Script.AWK, Script.COMPILED})
_FROM_FILES = frozenset({Script.COMPILED, Script.TASKS, Script.PROJECT})
"""Programs that start commands from files, and none from their own words."""
_OPERATORS = frozenset(";&|<>()`\n")
_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Files that are the output of another command, or the input of the line."""


def add_script_commands(found: Nested | None, command: Command) -> Nested | None:
    """Add the commands that a script would start."""
    kinds = _script_kinds(command.program)
    return add_embedded(found, commands=find_script_commands(kinds, command)) if kinds else found


def has_searchable_scripts(program: str) -> bool:
    """Whether commands are searched in the scripts of a program, from any source."""
    kinds = _script_kinds(program)
    return bool(kinds) and kinds.isdisjoint(_FROM_FILES)


def find_script_commands(kinds: ScriptKinds, command: Command) -> Vectors:
    """The commands that a script among the words or in the input of a program would start."""
    plain = not kinds.isdisjoint(_FROM_FILES)
    words = () if plain else command.words[1:]
    texts = dict.fromkeys(
        (*(LONG_OPTION.sub("", word.text, count=1) for word in words), *_input_texts(command))
    )
    found = [start for text in texts for start in commands_in_text(kinds, text)]
    found.extend(_typed_text(command) if Script.PIECES in kinds else ())
    if not kinds.isdisjoint(_CALLING_LANGUAGES) and _starts_computed(texts, found):
        found.extend(_possible_commands(list(texts)))
    every = dict.fromkeys((*found, *_commands_per_line(kinds, command)))
    vectors = list(
        islice((vector for text in every for vector in split_commands(text)), MOST_SCRIPT_COMMANDS)
    )
    runs = Script.RUN_COMMAND in kinds and [word.text for word in command.words[1:2]] == ["run"]
    if runs and command.words[2:]:
        # A script of the project, or any program.
        vectors.append(command.words[2:])
    # A computed command is not spelled out.
    return tuple(dict.fromkeys(one for one in vectors if not (one[0].opaque or (plain and one[0].glob))))


def commands_in_text(kinds: ScriptKinds, text: str) -> list[str]:
    """The commands in a text, for the languages that it may be written in."""
    found: list[str] = []
    if not kinds.isdisjoint(_CALLING_LANGUAGES) and QUOTE.search(text):
        found.extend(_join_literals(text, call.end()) for call in CALL_START.finditer(text))
        # Circuit breakers know programs that do the same.
        found.extend(f"rimraf {match.group('text')}" for match in REMOVAL_CALL.finditer(text))
        found.extend(f"tee {match.group('path')}" for match in DEVICE_WRITE.finditer(text))
    for kind, shape in COMMAND_SHAPES:
        if kind in kinds:
            found.extend(
                match["text"] or match.groupdict().get("more") or "" for match in shape.finditer(text)
            )
    return found


@lru_cache(maxsize=1024)
def split_commands(text: str) -> Vectors:
    """The words of each command in a text; blanks separate the words if the quotes are not closed."""
    found: list[tuple[Word, ...]] = []
    for piece in SEPARATORS.split(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            words = piece.split()
        if words:
            found.append(tuple(map(_to_word, words)))
    return tuple(found)


def add_variable_commands(found: Nested | None, command: Command) -> Nested | None:
    """Add the commands in the values of the variables that a command sets."""
    if not command.assignments and not takes_assignments(command.program):
        return found
    given = find_assignments(command)
    texts = [text for one in given for text in _commands_in_value(one, given)]
    plain = {text: _to_argument_vector(text) for text in texts}
    if any(one.name in EXPANDED and one.value.text.startswith(_STREAMS) for one in given):
        found = (found or Nested(at=-1))._replace(computed=True)
    return add_embedded(
        found,
        commands=tuple(vector for vector in plain.values() if vector is not None),
        texts=tuple(text for text, vector in plain.items() if vector is None),
    )


def find_assignments(command: Command) -> tuple[Assignment, ...]:
    """The assignments before a command and, if its program takes assignments, among its words."""
    words = command.words if takes_assignments(command.program) else ()
    among = (
        Assignment(_variable_name(name), word._replace(text=value, tilde=False))
        for word in words[1:]
        for name, equals, value in (word.text.partition("="),)
        if equals
    )
    return tuple(one for one in (*command.assignments, *among) if not is_harmless(*one))


def files_written_by_variables(command: Command) -> tuple[Word, ...]:
    """The files that programs write because of the variables that a command sets."""
    if not command.assignments and not takes_assignments(command.program):
        return ()
    return tuple(
        one.value
        for one in find_assignments(command)
        if one.name.startswith(WRITTEN) or one.name.upper().endswith(WRITTEN_ENDINGS)
    )


def has_harmless_assignments(command: Command) -> bool:
    """Whether all assignments before a command are harmless; for `read`, so is `IFS`."""
    if not command.assignments:
        return True
    reads = command.program == "read"
    return all(is_harmless(*one) or (reads and one.name == "IFS") for one in command.assignments)


@lru_cache(maxsize=4096)
def takes_assignments(program: str) -> bool:
    """Whether a program takes words `NAME=value` as variables to set."""
    return lookup(base_name(program)).takes_assignments


@lru_cache(maxsize=4096)
def _script_kinds(program: str) -> ScriptKinds:
    """The kinds of scripts of a program, found by its name with and without version."""
    name = base_name(program).removesuffix(".exe")
    return frozenset((*lookup(name).scripts, *lookup(without_version(name)).scripts))


def _starts_computed(texts: Iterable[str], found: list[str]) -> bool:
    """Whether scripts start commands that they do not spell out."""
    return any(map(COMPUTED_CALL.search, texts)) or (not found and any(map(OTHER_STARTS.search, texts)))


def _possible_commands(texts: list[str]) -> list[str]:
    """The texts in a script and its arguments, each of which a variable of the script may contain."""
    inside = [match for text in texts for match in STRING.finditer(text)]
    together = (
        _join_literals(match.string, match.start()) for match in inside
    )  # Lazy, because each may be long.
    beside = (text.partition("=")[2] or text for text in texts)
    lists = (" ".join(texts[at:]) for at in range(2, len(texts)))
    found: dict[str, None] = {}
    held = chain((match["text"] for match in inside), together, beside, lists)
    while len(found) < MOST_LITERALS and (text := next(held, None)) is not None:
        found[text] = None
    return list(found)


def _input_texts(command: Command) -> list[str]:
    """The texts that the line itself gives the program to read."""
    here = [one.target.if_unset or one.target.text for one in command.redirects if one.access is Access.TEXT]
    given = [" ".join(word.text for word in command.input_words)] if command.input_words else []
    given = [command.input.text] if command.input is not None and command.input.text else given
    return [
        *here,
        *given,
        *(text for _, one in command.written_files for text in (one.text, one.possible_lines) if text),
    ]


def _typed_text(command: Command) -> list[str]:
    """The text that `tmux send-keys` types."""
    words = [word.text for word in command.words[1:]]
    at = next((at for at, word in enumerate(words, 1) if word in ("send-keys", "send")), 0)
    keys = [TYPED_KEYS.get(word, word) for word in words[at:] if word[:1] != "-"]
    return ["".join(keys)] if at else []


def _commands_per_line(kinds: ScriptKinds, command: Command) -> list[str]:
    """The commands in the input of programs that take one command per line."""
    lines = [line for text in _input_texts(command) for line in text.splitlines()]
    found: list[str] = []
    if Script.WORD_COMMANDS in kinds:
        # The program also takes commands as words.
        lines = [*lines, *(word.text for word in command.words[1:])]
    if Script.MAKE in kinds:
        # `make` also takes them after `--eval`.
        given = [word.text.removeprefix("--eval=") for word in command.words[1:]]
        lines = [*lines, *(line for text in given for line in text.splitlines())]
    if Script.CLIENT in kinds:
        escapes = (find_shell_escape(Word(line.lstrip("~"))) for line in lines)
        found.extend(word.text for word in escapes if word is not None)
    for kind, shape in ((Script.CRON, CRON_LINE), (Script.MAKE, MAKE_RECIPE), (Script.TASKS, TASK_LINE)):
        matches = (shape.match(line) for line in lines if kind in kinds)
        found.extend(match.group(1) for match in matches if match is not None)
    return found


def _join_literals(code: str, at: int) -> str:
    """Strings that follow each other, joined to one command."""
    found: list[str] = []
    while (match := STRING.match(code, at)) is not None:
        found.append(match.group("text"))
        at = match.end()
    return " ".join(found)


def _to_word(text: str) -> Word:
    return Word(text, glob=any(sign in text for sign in "*?["), tilde=text.startswith("~"))


def _variable_name(name: str) -> str:
    """The name of a variable without option and type: `-DCMAKE_C_COMPILER:PATH`."""
    return name.removeprefix("-D").partition(":")[0]


def _commands_in_value(one: Assignment, others: tuple[Assignment, ...]) -> list[Word]:
    """The commands in the value of an assignment."""
    name, value = one.name, one.value
    if name in EXPANDED:
        return [value._replace(text=f": {value.text}")] if "$(" in value.text or "`" in value.text else []
    if name.startswith("BASH_FUNC_"):
        return [value._replace(text=value.text.removeprefix("()"))]
    if name in ESCAPING:
        found = find_shell_escape(value._replace(text=value.text.removeprefix("+")))
    elif name in OPTIONS:
        return [
            text for _, text in shell_texts_in_options(find_options(OPTIONS[name], _split_words(value), 0))
        ]
    elif name in CODE:
        return [
            value._replace(text=text)
            for text in commands_in_text(frozenset(lookup(CODE[name]).scripts), value.text)
        ]
    elif name == "GIT_CONFIG_PARAMETERS":
        return [text for word in _split_words(value) if (text := find_setting_program(word)) is not None]
    elif name.startswith("GIT_CONFIG_VALUE_"):
        keys = [other.value.text for other in others if other.name == name.replace("VALUE", "KEY")]
        found = setting_program(keys[-1], value) if keys else None
    else:
        found = _program_in_value(name, value)
    return [] if found is None or not found.text.strip() else [found]


def _program_in_value(name: str, value: Word) -> Word | None:
    known = name in NAMES or name.upper().endswith(ENDINGS) or name.startswith(ENTRIES)
    if not known or value.text in HARMLESS_SETTINGS:
        return None
    if name in NAMES and (
        value.text.startswith(HOLE) or lookup(base_name(value.text)).runs_by is RunsBy.SHELL
    ):
        # `make CC=$CC` and `SHELL=/bin/sh make` are common and harmless.
        return None
    # `less` runs `cmd` for the values `|cmd`, `||cmd` and `|-cmd`.
    return value._replace(text=value.text.lstrip("|-") if name == "LESSOPEN" else value.text)


def _split_words(value: Word) -> tuple[Word, ...]:
    try:
        return tuple(Word(text) for text in shlex.split(value.text))
    except ValueError:
        return ()


def _to_argument_vector(text: Word) -> tuple[Word, ...] | None:
    """The words of a plain command, in which a hole is an unknown word and not unknown code."""
    if not _OPERATORS.isdisjoint(text.text) or "$" in text.text:
        return None
    return _split_words(text) or None
