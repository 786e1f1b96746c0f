"""Variables whose value is run, by whatever reads them: a program, a command line, or options that hold one."""

from collections.abc import Mapping

ENDINGS = (
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "ASKPASS",
    "COMMAND",
    "_CMD",
    "_PROG",
    "WRAPPER",
    "LAUNCHER",
    "LINKER",
    "RUNNER",
    "EXTERNAL_DIFF",
    "_RSH",
    "_SSH",
    "_SHELL",
    "_COMPILER",
    "DIFFPROG",
    "EXECUTABLE",
)
"""How the names of variables end that hold a command."""

NAMES = frozenset(
    """SHELL RSH CC CXX CPP LD AR AS NM FC F77 GCC STRIP RANLIB OBJCOPY HOSTCC HOSTCXX RUSTC RUSTDOC RUSTFMT CARGO
    MAKE NINJA CMAKE PKG_CONFIG YACC LEX INSTALL PYTHON PERL RUBY NODE FCEDIT LESSOPEN LESSCLOSE CCACHE_PREFIX
    CCACHE_PREFIX_CPP CCACHE_COMPILER GPG TERMINAL DOCKER NODE_GYP FZF_CTRL_T_OPTS MAILER TAPE""".split()
)
"""Other variables that hold a command."""

ENTRIES = ("BASH_CMDS[", "BASH_ALIASES[", "functions[", "aliases[", "galiases[", "saliases[", "commands[")
"""Tables of the shell itself, each entry of which is a command."""

EXPANDED = frozenset({"BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "RPROMPT", "RPS1"})
"""Variables in which a shell expands substitutions when it reads them."""

ESCAPING = frozenset({"EXINIT", "VIMINIT", "NVIMINIT", "GVIMINIT", "LESS", "MORE", "LYNX_CFG"})
"""Variables that hold commands of an editor or a pager, which can lead to the shell."""

OPTIONS: Mapping[str, str] = {
    "GOFLAGS": "-exec=! -toolexec=! --exec=! --toolexec=!",
    "RUSTFLAGS": "-C=@ --codegen=@",
    "CARGO_BUILD_RUSTFLAGS": "-C=@ --codegen=@",
    "CARGO_ENCODED_RUSTFLAGS": "-C=@ --codegen=@",
    "RSYNC_OPTIONS": "-e=! --rsh=! --rsync-path=!",
    "TAR_OPTIONS": "--to-command=! --use-compress-program=! -I=! --rsh-command=! --info-script=! -F=!",
    "MANOPT": "-P=! --pager=!",
    "SSH_OPTIONS": "-o=@",
}
"""Variables that hold options, and those of them whose value is a command."""

CODE: Mapping[str, str] = {
    "PERL5DB": "perl",
    "PERL5OPT": "perl",
    "RUBYOPT": "ruby",
    "NODE_OPTIONS": "node",
    "FZF_DEFAULT_OPTS": "fzf",
}
"""Variables that hold a program, or options with one in them, and the language that it is written in."""

WRITTEN = (
    "GIT_TRACE",
    "GIT_REDIRECT_",
    "GCOV_PREFIX",
    "NODE_V8_COVERAGE",
    "PYTHONPYCACHEPREFIX",
    "CARGO_TARGET_DIR",
)
"""How the names of variables begin that hold a file or a directory to be written."""
WRITTEN_ENDINGS = ("_TRACE", "_LOG", "LOGFILE", "LOG_FILE", "LOG_PATH", "LOG_DIR", "HISTFILE", "HISTORY", "_OUTPUT", "PROFILE_FILE",
                   "COVERAGE_FILE", "INDEX_FILE", "OUTPUT_FILE", "OUTPUT_DIR", "OUT_DIR", "CACHE_DIR")  # fmt: skip
"""How they end."""

SETTINGS = (
    "command",
    "commands",
    "cmd",
    "pager",
    "editor",
    "helper",
    "textconv",
    "program",
    "askpass",
    "fsmonitor",
    "external",
    "clean",
    "smudge",
    "process",
    "driver",
    "invoke",
    "hook",
    "filter",
    "uploadpack",
    "receivepack",
    "gitproxy",
    "browser",
    "runner",
    "tunnel",
    "smtpserver",
    "rustc",
    "linker",
    "wrapper",
    "ssh",
    *(f"exec{step}" for step in "start startpre startpost stop stoppost reload condition".split()),
)
"""How the names of settings end that hold a program, in git, ssh, apt and others."""

HARMLESS_SETTINGS = frozenset({"", "cat", "true", "false", "none", "yes", "no", "0", "1"})
"""Values of such settings that run nothing, or nothing but `cat`."""
