"""Find the commands inside scripts of other languages and inside values of variables."""

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Assignment, Command, NestedCode, RedirectAccess, add_embedded_code
from assent.engine.lines.options import (
    find_image_commands,
    find_options,
    find_program_in_setting,
    find_shell_escape,
    program_in_setting_value,
    shell_texts_in_options,
)
from assent.engine.programs.catalog import find_program
from assent.engine.programs.runs import RunsBy, Script
from assent.engine.programs.variables import (
    CODE_VARIABLES,
    COMMAND_SUFFIXES,
    COMMAND_TABLES,
    COMMAND_VARIABLES,
    EDITOR_COMMAND_VARIABLES,
    EXPANDED_VARIABLES,
    HARMLESS_SETTING_VALUES,
    OPTION_VARIABLES,
    WRITTEN_FILE_PREFIXES,
    WRITTEN_FILE_SUFFIXES,
    is_harmless_assignment,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name, without_version

_SED_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\n\\])*/[IM]*)"
_BLANKS = r"[ \t]*+"
SED_COMMAND = (
    rf"(?:^|[;{{}}\n]){_BLANKS}(?:{_SED_ADDRESS}(?:{_BLANKS},{_BLANKS}[+~]?{_SED_ADDRESS})?{_BLANKS})?"
    rf"(?:!{_BLANKS})?"
)
"""The beginning of a command of `sed`, with its addresses."""
_STRING_LITERAL = r"""(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"""
STRING = regex(_STRING_LITERAL + r"[\s,\[\]]*", re.DOTALL)
_START_FUNCTIONS = (
    r"system|popen\d?|exec\w*|spawn\w*|passthru|shell_exec|proc_open|run|call|check_call|check_output|getoutput"
    r"|getstatusoutput|qx|do\s+shell\s+script|System\.cmd|shell-command|call-process|start-process|Command(?:::new)?"
    r"|jobstart|termopen|systemlist|sh|shell|system2|capture\w*|create_subprocess\w*|pcntl_exec|callCommand|callProcess"
    r"|readProcess\w*|rawSystem|Sys\.command|os[.:]cmd|run-program|run-shell-command"
)
"""Names of functions that start programs, in several programming languages."""
CALL_START = regex(
    rf"(?:\b(?:{_START_FUNCTIONS})\b|\bcmd\s*:|\$(?=`))[\s(\[{{]*(?:~[cs])?(?=[\"'`])", re.IGNORECASE
)
COMPUTED_CALL = regex(
    rf"\b(?:{_START_FUNCTIONS})\s*\(\s*[A-Za-z_$@]|\bstart-process\b|\|&?\s*\"[^\"]*sh\b", re.IGNORECASE
)
OTHER_STARTS = regex(
    rf"\b(?:{_START_FUNCTIONS})\s*\(\s*\d|\b(?:exec|system)\s+[$@]|\bsystem\s+as\b|\.execute\("
    r"|\b(?:subprocess|child_process|Open3|sys\.process|ProcessBuilder)\b"
    r"|\w\s*\|&?\s*getline|\"\s*\.!",
    re.IGNORECASE,
)
REMOVAL_CALL = regex(
    r"\b(?:rmtree|remove_tree|rm_rf?|remove_entry\w*|rmSync|rmdirSync|removeSync|remove_dir_all|removedirs)"
    r"[\s(\[]*" + _STRING_LITERAL,
    re.DOTALL,
)
DEVICE_WRITE = regex(r"\bopen[\s(]+(?P<first>[\"'])(?P<path>/dev/[^\"']+)(?P=first)\s*,\s*[\"'][^\"']*[wa+]")
_PIPE_TO_GETLINE = regex(_STRING_LITERAL + r"\s*\|&?\s*getline", re.DOTALL)
_PIPE_TO_COMMAND = regex(r"\|&?\s*" + _STRING_LITERAL, re.DOTALL)
_OPENED_PIPE = regex(r"""["']\s*+\|(?P<text>[^"'|]+)["']|["'](?P<more>[^"'|]+)\|\s*+["']""")
_BACKTICKS = regex(r"`(?P<text>[^`]*)`|(?:%x|\bqx)\s*[({\[<](?P<more>[^)}\]>]*)")
_PERL_QUOTED_COMMAND = regex(
    r"\b(?:system|exec|open)\b[\s(]*q[qw]?\s*(?:\((?P<text>[^)]*)|[{\[<|/!](?P<more>[^}\]>|/!]*))"
)
_TCL_COMMAND = regex(r"(?:^|[\[;{\n])[ \t]*+(?:exec|spawn|system)\s+(?:-\w+\s+)*(?P<text>[^\n;\]\"'$]+)")
_SED_EXECUTES = regex(SED_COMMAND + r"e\s+(?P<text>[^\n]+)")
_SED_SUBSTITUTES = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1[gpiImM0-9]*e")
"""The command `s` of `sed` with the flag `e`, which runs the replaced text."""
TASK_LINE = regex(r"\s*(?:-\s+)?(?:[\w-]+:\s+)?[@-]*(.*)")
"""One line of a task list: a plain command, a list item, or a command after a name."""
CRON_LINE = regex(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
MAKE_RECIPE = regex(r"(?:\t|[^\t=;]*:[^=;]*;\s*)[@+-]*(.*)")
_MAKE_SHELL = regex(r"\$\(shell\s+(?P<text>[^)]*)\)|!=\s*(?P<more>[^\n]*)")
_POSSIBLE_COMMAND = regex(
    r"(?:^|[\"'`()\[\]{}~!|;&:=\n])\s*(?=(?P<text>(?!-)[^\s\"'`()\[\]{}~!|;&:=]+\s[^\"'`()\[\]{}~!|;&\n]*))"
    r"|[\"'](?=(?P<more>[\w./-]+)[\"'])"
)
"""Each possible beginning of a command in a text whose syntax is unknown."""
_BANG_COMMAND = regex(r"(?:^|[\s\"'%])!\s*(?P<text>[\w./~][^\"'|]*)")
_RPM_MACRO = regex(r"%\((?P<text>[^)]*)\)")
_TEX_COMMAND = regex(r"\\write18\{(?P<text>[^}]*)\}|\\input\s*\|\s*\"?(?P<more>[^\"]*)")
_PIPE_OUTPUT = regex(r"%pipe%(?P<text>.*)")
_PROGRAM_CLAUSE = regex(r"\bprogram\s+'(?P<text>[^']*)'", re.IGNORECASE)
_JSON_VALUE = regex(r':\s*"(?P<text>(?:\\.|[^"\\])*)"')
_JSON_COMMANDS = regex(r'(?:\bcommands?\b"?\s*[:=]\s*\[?\s*|"\s*,\s*)"(?P<text>(?:\\.|[^"\\])*+)(?=")')
_M4_COMMAND = regex(r"\be?syscmd\([`\s]*(?P<text>[^)']*)")
TYPED_KEYS = {"Space": " ", "Enter": "\n", "C-m": "\n"}
COMMAND_SEPARATORS = regex(r"&&|\|\||[;|&\n]")
COMMAND_PATTERNS: tuple[tuple[Script, re.Pattern[str]], ...] = (
    (Script.AWK, _PIPE_TO_GETLINE),
    (Script.AWK, _PIPE_TO_COMMAND),
    (Script.BACKTICKS, _BACKTICKS),
    (Script.BACKTICKS, _OPENED_PIPE),
    (Script.PERL_QUOTES, _PERL_QUOTED_COMMAND),
    (Script.TCL, _TCL_COMMAND),
    (Script.SED, _SED_EXECUTES),
    (Script.SED, _SED_SUBSTITUTES),
    (Script.MAKE, _MAKE_SHELL),
    (Script.PIECES, _POSSIBLE_COMMAND),
    (Script.BANG, _BANG_COMMAND),
    (Script.MACROS, _RPM_MACRO),
    (Script.OUTPUT_PIPE, _PIPE_OUTPUT),
    (Script.PROGRAM_CLAUSE, _PROGRAM_CLAUSE),
    (Script.SYSTEM_MACRO, _M4_COMMAND),
    (Script.JSON_VALUES, _JSON_VALUE),
    (Script.JSON_COMMANDS, _JSON_COMMANDS),
    (Script.TEX, _TEX_COMMAND),
)
"""For each kind of script, the patterns that match a command in it."""
LONG_OPTION = regex(r"--[\w-]+=")
QUOTE = regex("[\"'`]")
MAX_LITERALS = 32
"""The maximal number of string literals of a script that are treated as commands."""
MAX_SCRIPT_COMMANDS = 512
"""The maximal number of commands that are read from a script."""
CommandWords = tuple[tuple[Word, ...], ...]
ScriptKinds = frozenset[Script]
_CALLING_LANGUAGES = frozenset({Script.CALLS, Script.AWK, Script.COMPILED})
"""Languages whose scripts start programs by function calls."""
_FILE_ONLY_KINDS = frozenset({Script.COMPILED, Script.TASKS, Script.PROJECT, Script.IMAGE})
"""Kinds of scripts that programs read from files only, not from their words."""
_SHELL_OPERATORS = frozenset(";&|<>()`\n")
STREAM_PREFIXES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Prefixes of paths that mean the output of another command, or the input of the line."""


def add_script_commands(found: NestedCode | None, command: Command) -> NestedCode | None:
    """Add the commands that a script of the program would start."""
    kinds = _script_kinds(command.program)
    return add_embedded_code(found, commands=find_script_commands(kinds, command)) if kinds else found


def has_searchable_scripts(program: str) -> bool:
    """Whether the scripts of a program are searched for commands, whether they are words, files or input."""
    kinds = _script_kinds(program)
    return bool(kinds) and kinds.isdisjoint(_FILE_ONLY_KINDS)


def find_script_commands(kinds: ScriptKinds, command: Command) -> CommandWords:
    """The commands that a script in the words or the input of a program would start."""
    plain = not kinds.isdisjoint(_FILE_ONLY_KINDS)
    words = () if plain else command.words[1:]
    texts = dict.fromkeys(
        (*(LONG_OPTION.sub("", word.text, count=1) for word in words), *_input_texts(command))
    )
    found = [start for text in texts for start in commands_in_script(kinds, text)]
    found.extend(_text_typed_by_tmux(command) if Script.PIECES in kinds else ())
    if not kinds.isdisjoint(_CALLING_LANGUAGES) and _starts_computed_command(texts, found):
        found.extend(_string_literals(list(texts)))
    every = dict.fromkeys((*found, *_commands_per_line(kinds, command)))
    vectors = list(islice((vector for text in every for vector in split_commands(text)), MAX_SCRIPT_COMMANDS))
    runs = Script.RUN_COMMAND in kinds and [word.text for word in command.words[1:2]] == ["run"]
    if runs and command.words[2:]:
        # `run` starts a script of the project, or any program.
        vectors.append(command.words[2:])
    # Commands with a computed program are omitted: their program is unknown.
    known = (one for one in vectors if not (one[0].is_opaque or (plain and one[0].glob)))
    return tuple(dict.fromkeys(known))


def commands_in_script(kinds: ScriptKinds, text: str) -> list[str]:
    """The commands in a script of one of these kinds."""
    found: list[str] = []
    if not kinds.isdisjoint(_CALLING_LANGUAGES) and QUOTE.search(text):
        found.extend(_join_literals(text, call.end()) for call in CALL_START.finditer(text))
        # Represent these calls by programs that the breakers know.
        found.extend(f"rimraf {match.group('text')}" for match in REMOVAL_CALL.finditer(text))
        found.extend(f"tee {match.group('path')}" for match in DEVICE_WRITE.finditer(text))
    for kind, shape in COMMAND_PATTERNS:
        if kind in kinds:
            found.extend(
                match["text"] or match.groupdict().get("more") or "" for match in shape.finditer(text)
            )
    return found


@lru_cache(maxsize=1024)
def split_commands(text: str) -> CommandWords:
    """Split a text into commands and their words; without matching quotes, it is split at blanks."""
    found: list[tuple[Word, ...]] = []
    for piece in COMMAND_SEPARATORS.split(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            words = piece.split()
        if words:
            found.append(tuple(map(_to_word, words)))
    return tuple(found)


def add_variable_commands(found: NestedCode | None, command: Command) -> NestedCode | None:
    """Add the commands in the values of the variables that a command sets."""
    if not command.assignments and not takes_assignments(command.program):
        return found
    given = find_harmful_assignments(command)
    texts = [text for one in given for text in _commands_in_value(one, given)]
    plain = {text: _plain_command_words(text) for text in texts}
    if any(one.name in EXPANDED_VARIABLES and one.value.text.startswith(STREAM_PREFIXES) for one in given):
        found = (found or NestedCode(at=-1))._replace(computed=True)
    return add_embedded_code(
        found,
        commands=tuple(vector for vector in plain.values() if vector is not None),
        texts=tuple(text for text, vector in plain.items() if vector is None),
    )


def find_harmful_assignments(command: Command) -> tuple[Assignment, ...]:
    """All assignments that are not harmless, before a command or among its words."""
    words = command.words if takes_assignments(command.program) else ()
    among = (
        Assignment(_variable_name(name), word._replace(text=value, tilde=False))
        for word in words[1:]
        for name, equals, value in (word.text.partition("="),)
        if equals
    )
    return tuple(one for one in (*command.assignments, *among) if not is_harmless_assignment(*one))


def files_written_by_variables(command: Command) -> tuple[Word, ...]:
    """The files that programs write because a variable such as `LOGFILE` names them."""
    return tuple(
        one.value
        for one in find_harmful_assignments(command)
        if one.name.startswith(WRITTEN_FILE_PREFIXES) or one.name.upper().endswith(WRITTEN_FILE_SUFFIXES)
    )


def has_harmless_assignments(command: Command) -> bool:
    """Whether all assignments before a command are harmless; `IFS` is harmless before `read`."""
    if not command.assignments:
        return True
    reads = command.program == "read"
    return all(is_harmless_assignment(*one) or (reads and one.name == "IFS") for one in command.assignments)


@lru_cache(maxsize=4096)
def takes_assignments(program: str) -> bool:
    """Whether a program treats words `NAME=value` as assignments."""
    return find_program(base_name(program)).takes_assignments


@lru_cache(maxsize=4096)
def _script_kinds(program: str) -> ScriptKinds:
    """The kinds of scripts that a program runs, looked up by its name with and without version."""
    name = base_name(program).removesuffix(".exe")
    return frozenset((*find_program(name).scripts, *find_program(without_version(name)).scripts))


def _starts_computed_command(texts: Iterable[str], found: list[str]) -> bool:
    """Whether scripts start commands that they compute at run time."""
    return any(map(COMPUTED_CALL.search, texts)) or (not found and any(map(OTHER_STARTS.search, texts)))


def _string_literals(texts: list[str]) -> list[str]:
    """The string literals of a script and its arguments; any of them may become a command."""
    inside = [match for text in texts for match in STRING.finditer(text)]
    together = (
        _join_literals(match.string, match.start()) for match in inside
    )  # A generator, because each joined text may be long.
    beside = (text.partition("=")[2] or text for text in texts)
    lists = (" ".join(texts[at:]) for at in range(2, len(texts)))
    found: dict[str, None] = {}
    held = chain((match["text"] for match in inside), together, beside, lists)
    while len(found) < MAX_LITERALS and (text := next(held, None)) is not None:
        found[text] = None
    return list(found)


def _input_texts(command: Command) -> list[str]:
    """The texts in the line that the program reads: here-documents, pipes and written files."""
    targets = [one.target for one in command.redirects if one.access is RedirectAccess.TEXT]
    here = [target.if_unset or target.text for target in targets]
    given = [" ".join(word.text for word in command.input_words)] if command.input_words else []
    given = [command.input.text] if command.input is not None and command.input.text else given
    return [
        *here,
        *given,
        *(text for _, one in command.written_files for text in (one.text, one.possible_lines) if text),
    ]


def _text_typed_by_tmux(command: Command) -> list[str]:
    """The text that `tmux send-keys` types."""
    words = [word.text for word in command.words[1:]]
    at = next((at for at, word in enumerate(words, 1) if word in ("send-keys", "send")), 0)
    keys = [TYPED_KEYS.get(word, word) for word in words[at:] if word[:1] != "-"]
    return ["".join(keys)] if at else []


def _commands_per_line(kinds: ScriptKinds, command: Command) -> list[str]:
    """The commands in the input of programs that read one command per line."""
    lines = [line for text in _input_texts(command) for line in text.splitlines()]
    found: list[str] = []
    if Script.WORD_COMMANDS in kinds:
        # The program also accepts commands as words.
        lines = [*lines, *(word.text for word in command.words[1:])]
    if Script.MAKE in kinds:
        # `make` also accepts commands after `--eval`.
        given = [word.text.removeprefix("--eval=") for word in command.words[1:]]
        lines = [*lines, *(line for text in given for line in text.splitlines())]
    if Script.CLIENT in kinds:
        escapes = (find_shell_escape(Word(line.lstrip("~"))) for line in lines)
        found.extend(word.text for word in escapes if word is not None)
    found.extend(find_image_commands(lines) if Script.IMAGE in kinds else ())
    for kind, shape in ((Script.CRON, CRON_LINE), (Script.MAKE, MAKE_RECIPE), (Script.TASKS, TASK_LINE)):
        matches = (shape.match(line) for line in lines if kind in kinds)
        found.extend(match.group(1) for match in matches if match is not None)
    return found


def _join_literals(code: str, at: int) -> str:
    """Join consecutive string literals to one command."""
    found: list[str] = []
    while (match := STRING.match(code, at)) is not None:
        found.append(match.group("text"))
        at = match.end()
    return " ".join(found)


def _to_word(text: str) -> Word:
    return Word(text, glob=any(sign in text for sign in "*?["), tilde=text.startswith("~"))


def _variable_name(name: str) -> str:
    """The name of a variable without option and type: `CC` for `-DCC:PATH`."""
    return name.removeprefix("-D").partition(":")[0]


def _commands_in_value(one: Assignment, others: tuple[Assignment, ...]) -> list[Word]:
    """The commands in the value of an assignment."""
    name, value = one.name, one.value
    if name in EXPANDED_VARIABLES:
        return [value._replace(text=f": {value.text}")] if "$(" in value.text or "`" in value.text else []
    if name.startswith("BASH_FUNC_"):
        return [value._replace(text=value.text.removeprefix("()"))]
    if name in EDITOR_COMMAND_VARIABLES:
        found = find_shell_escape(value._replace(text=value.text.removeprefix("+")))
    elif name in OPTION_VARIABLES:
        return [
            text
            for _, text in shell_texts_in_options(
                find_options(OPTION_VARIABLES[name], _split_words(value), 0)
            )
        ]
    elif name in CODE_VARIABLES:
        return [
            value._replace(text=text)
            for text in commands_in_script(frozenset(find_program(CODE_VARIABLES[name]).scripts), value.text)
        ]
    elif name == "GIT_CONFIG_PARAMETERS":
        return [text for word in _split_words(value) if (text := find_program_in_setting(word)) is not None]
    elif name.startswith("GIT_CONFIG_VALUE_"):
        keys = [other.value.text for other in others if other.name == name.replace("VALUE", "KEY")]
        found = program_in_setting_value(keys[-1], value) if keys else None
    else:
        found = _program_in_value(name, value)
    return [] if found is None or not found.text.strip() else [found]


def _program_in_value(name: str, value: Word) -> Word | None:
    known = (
        name in COMMAND_VARIABLES
        or name.upper().endswith(COMMAND_SUFFIXES)
        or name.startswith(COMMAND_TABLES)
    )
    if not known or value.text in HARMLESS_SETTING_VALUES:
        return None
    if name in COMMAND_VARIABLES and (
        value.text.startswith(UNKNOWN_MARK) or find_program(base_name(value.text)).runs_by is RunsBy.SHELL
    ):
        # `make CC=$CC` and `SHELL=/bin/sh make` are common and harmless.
        return None
    # `less` runs `cmd` for the values `|cmd`, `||cmd` and `|-cmd`.
    return value._replace(text=value.text.lstrip("|-") if name == "LESSOPEN" else value.text)


def _split_words(value: Word) -> tuple[Word, ...]:
    try:
        return tuple(map(Word, shlex.split(value.text)))
    except ValueError:
        return ()


def _plain_command_words(text: Word) -> tuple[Word, ...] | None:
    """The words of a plain command; None if the text has shell operators or expansions."""
    if not _SHELL_OPERATORS.isdisjoint(text.text) or "$" in text.text:
        return None
    return _split_words(text) or None
