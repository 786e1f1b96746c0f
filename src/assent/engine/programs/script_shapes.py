"""How scripts of other languages spell the commands that they start."""

import re

from assent.engine.programs.program import Script
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
