"""How scripts of other languages spell the commands that they start."""

import re

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

LANGUAGES = frozenset(
    """python pypy ipython pythonw jython bpython ptpython py node nodejs tsx ts-node babel-node deno bun perl
    raku ruby jruby irb pry php lua luajit texlua R Rscript littler octave julia gnuplot osascript groovy
    scala kotlin clojure bb elixir iex erl ghci guile racket jshell swift mongosh mlr emacs
    emacsclient rails wp drush mix vi vim nvim gvim ex gdb lldb bpftrace
    dtrace rake zx ghc runghc runhaskell ocaml sbcl clisp slsh octave-cli matlab maxima gp sage
    jrunscript rpm rpmbuild rpmspec""".split()
)
COMPILERS = frozenset(
    """gcc cc clang g++ c++ clang++ tcc go rustc cargo javac java kotlinc zig nim crystal dotnet swiftc pytest
    tox nox invoke pip uv jest vitest mocha ava""".split()
)
"""Programs that make or test what they are given the text of; who wrote it on the same line runs it, too."""
AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "goawk"})
_BACKTICKING = frozenset({"perl", "ruby", "jruby", "php", "irb", "gnuplot"})
_TOOL_COMMANDS = frozenset({"tclsh", "wish", "expect"})
_SEDS = frozenset({"sed", "gsed", "ssed"})
MAKES = frozenset({"make", "gmake", "bmake", "remake"})
TASKS = frozenset(
    "just task go-task mask foreman honcho overmind hivemind pre-commit lefthook mprocs ansible-playbook".split()
)
"""Programs that run commands which a file of theirs lists line by line."""
_PROJECTS = frozenset("npm npx pnpm yarn yarnpkg".split())
FROM_FILES = COMPILERS | TASKS | _PROJECTS
"""Programs that start what a file says and nothing that their own words spell out."""
CLIENTS = frozenset(
    """sqlite3 sqlite psql mysql mariadb ed red ex vi vim nvim view gdb lldb dc ftp sftp lftp gnuplot ghci
    mail mailx mutt telnet duckdb usql ncftp psftp r2 radare2""".split()
)
"""Programs whose commands can lead to the shell."""
_EDITORS = frozenset("vi vim nvim gvim view ex ed red".split())
LOOSE = frozenset("bind fzf sk tmux byobu screen chezmoi zellij kitty mutt neomutt".split())
"""Programs that run texts which stand in many places of a language of their own."""


SHAPES = (
    (AWKS, _PIPED),
    (AWKS, _PIPES),
    (_BACKTICKING, _BACKTICKS),
    (_BACKTICKING, _OPENED),
    (frozenset({"perl"}), _QUOTED),
    (_TOOL_COMMANDS, _COMMANDS),
    (_SEDS, _SED_EXECUTES),
    (_SEDS, _SED_SUBSTITUTES),
    (MAKES, _MAKE_SHELL),
    (LOOSE, _PIECES),
    (_EDITORS | {"gnuplot", "matlab"}, _BANGED),
    (frozenset("rpm rpmbuild rpmspec rpmdb rpmquery rpmverify".split()), _MACRO),
    (frozenset({"gs", "ghostscript"}), _TO_PIPE),
    (frozenset({"psql", "usql"}), _TO_PROGRAM),
    (frozenset({"m4"}), _SYSTEM_MACRO),
    (_PROJECTS | {"bun"}, _MEMBER),
    (frozenset({"aws"}), _PARAMETERS),
    (frozenset("tex pdftex latex pdflatex xetex xelatex luatex lualatex".split()), _WRITE18),
)
"""How the commands are written in each language."""
SCRIPTED = LANGUAGES.union(COMPILERS, TASKS, CLIENTS, {"crontab"}, *(names for names, _ in SHAPES))
ATTACHED = regex(r"--[\w-]+=")
"""The name of a long option before a script."""
QUOTE = regex("[\"'`]")
"""What a language starts is spelled out in a literal."""
