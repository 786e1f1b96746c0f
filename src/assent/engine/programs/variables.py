"""Assignments of variables: which of them are harmless, and which names suggest secrets or commands."""

import re
from collections.abc import Mapping
from enum import StrEnum

from assent.engine.base.lazy import regex
from assent.engine.programs.word import UNKNOWN_MARK, Word


class ValueShape(StrEnum):
    """The regular expression of all harmless values of a kind of variable."""

    LOCALE = r"[A-Za-z0-9_.@:-]*"
    """A locale; with a slash, the value would be a file name."""
    ZONE = r"[A-Za-z0-9_+-][A-Za-z0-9_+/-]*"
    """A time zone such as `Europe/Berlin` or `UTC+2`; a leading colon or slash would make it a file name."""
    NUMBER = r"[0-9]{1,6}"
    SWITCH = r"|[01]|true|false|yes|no|on|off"
    COLOR = r"|[0-3]|true|false|always|never|auto"
    LEVEL = r"off|error|warn|warning|info|debug|trace"
    TERMINAL = (
        r"dumb|unknown|ansi|linux|vt(?:100|102|220)|(?:xterm|screen|tmux|rxvt)(?:-(?:256color|color|direct))?"
    )
    DEPTH = r"|truecolor|24bit|256color"
    CAT = r"|cat"
    """No pager, or `cat` as the pager."""
    RAW = r"-?[FRSX]*"
    """Flags of `less` that only change the display."""
    ENCODING = r"(?:utf-?8|ascii|latin-?1)(?::[a-z]+)?"
    BACKTRACE = r"[01]|full|short"
    NONINTERACTIVE = r"noninteractive"
    ZERO = r"0"
    SEED = r"[0-9]{1,10}|random"
    NAME = r"[A-Za-z0-9_]*"
    COLORS = r"[\w.*=:;-]*"


HARMLESS_VARIABLES: Mapping[str, ValueShape] = {
    "GOOS": ValueShape.NAME,
    "GOARCH": ValueShape.NAME,
    "CGO_ENABLED": ValueShape.SWITCH,
    "NODE_ENV": ValueShape.NAME,
    "LS_COLORS": ValueShape.COLORS,
    "LANG": ValueShape.LOCALE,
    "LANGUAGE": ValueShape.LOCALE,
    "TZ": ValueShape.ZONE,
    "NO_COLOR": ValueShape.COLOR,
    "FORCE_COLOR": ValueShape.COLOR,
    "CLICOLOR": ValueShape.COLOR,
    "CLICOLOR_FORCE": ValueShape.COLOR,
    "PY_COLORS": ValueShape.COLOR,
    "CARGO_TERM_COLOR": ValueShape.COLOR,
    "NPM_CONFIG_COLOR": ValueShape.COLOR,
    "GH_FORCE_TTY": ValueShape.NUMBER,
    "COLORTERM": ValueShape.DEPTH,
    "TERM": ValueShape.TERMINAL,
    "SYSTEMD_COLORS": ValueShape.COLOR,
    "COLUMNS": ValueShape.NUMBER,
    "LINES": ValueShape.NUMBER,
    "CI": ValueShape.SWITCH,
    "PAGER": ValueShape.CAT,
    "GIT_PAGER": ValueShape.CAT,
    "MANPAGER": ValueShape.CAT,
    "GH_PAGER": ValueShape.CAT,
    "BAT_PAGER": ValueShape.CAT,
    "DELTA_PAGER": ValueShape.CAT,
    "AWS_PAGER": ValueShape.CAT,
    "SYSTEMD_PAGER": ValueShape.CAT,
    "GLAB_PAGER": ValueShape.CAT,
    "PSQL_PAGER": ValueShape.CAT,
    "LESS": ValueShape.RAW,
    "GIT_OPTIONAL_LOCKS": ValueShape.ZERO,
    "GIT_TERMINAL_PROMPT": ValueShape.ZERO,
    "GIT_TRACE": ValueShape.SWITCH,
    "PYTHONDONTWRITEBYTECODE": ValueShape.SWITCH,
    "PYTHONUNBUFFERED": ValueShape.SWITCH,
    "PYTHONUTF8": ValueShape.SWITCH,
    "PYTHONIOENCODING": ValueShape.ENCODING,
    "PYTHONHASHSEED": ValueShape.SEED,
    "PYTHONFAULTHANDLER": ValueShape.SWITCH,
    "PYTHONNOUSERSITE": ValueShape.SWITCH,
    "PYTHONSAFEPATH": ValueShape.SWITCH,
    "PYTHONTRACEMALLOC": ValueShape.NUMBER,
    "PIP_DISABLE_PIP_VERSION_CHECK": ValueShape.SWITCH,
    "PIP_NO_INPUT": ValueShape.SWITCH,
    "PIP_NO_COLOR": ValueShape.SWITCH,
    "POETRY_NO_INTERACTION": ValueShape.SWITCH,
    "UV_NO_PROGRESS": ValueShape.SWITCH,
    "NODE_NO_WARNINGS": ValueShape.SWITCH,
    "NO_UPDATE_NOTIFIER": ValueShape.SWITCH,
    "GH_NO_UPDATE_NOTIFIER": ValueShape.SWITCH,
    "GH_PROMPT_DISABLED": ValueShape.SWITCH,
    "ADBLOCK": ValueShape.SWITCH,
    "DO_NOT_TRACK": ValueShape.SWITCH,
    "NEXT_TELEMETRY_DISABLED": ValueShape.SWITCH,
    "ASTRO_TELEMETRY_DISABLED": ValueShape.SWITCH,
    "DOTNET_CLI_TELEMETRY_OPTOUT": ValueShape.SWITCH,
    "DOTNET_NOLOGO": ValueShape.SWITCH,
    "CHECKPOINT_DISABLE": ValueShape.SWITCH,
    "TF_IN_AUTOMATION": ValueShape.SWITCH,
    "TF_INPUT": ValueShape.ZERO,
    "RUST_BACKTRACE": ValueShape.BACKTRACE,
    "RUST_LIB_BACKTRACE": ValueShape.BACKTRACE,
    "RUST_LOG": ValueShape.LEVEL,
    "GOMAXPROCS": ValueShape.NUMBER,
    "OMP_NUM_THREADS": ValueShape.NUMBER,
    "DEBIAN_FRONTEND": ValueShape.NONINTERACTIVE,
    "HOMEBREW_NO_AUTO_UPDATE": ValueShape.SWITCH,
    "HOMEBREW_NO_ANALYTICS": ValueShape.SWITCH,
    "HOMEBREW_NO_COLOR": ValueShape.SWITCH,
    "HOMEBREW_NO_EMOJI": ValueShape.SWITCH,
    "HOMEBREW_NO_ENV_HINTS": ValueShape.SWITCH,
    "HOMEBREW_NO_INSTALL_CLEANUP": ValueShape.SWITCH,
}
"""Variables that can be set before a command without changing what the command does."""

HARMLESS_PREFIXES: Mapping[str, ValueShape] = {"LC_": ValueShape.LOCALE}
"""Prefixes of such variables."""

EFFECTIVE_VARIABLES = frozenset(
    """http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy socks_proxy socks_server gopher_proxy ws_proxy
    path fpath cdpath manpath mailpath module_path fignore psvar watch prompt prompt2 prompt3 prompt4 rprompt
    histchars argv status pipestatus signals term home shell user cwd owd auto_resume aliases galiases saliases functions
    commands options parameters builtins modules nameddirs userdirs dirstack reply match mbegin mend noclobber nomatch
    zle_highlight zsh_eval_context region_highlight""".split()
)
"""Lower-case names of variables that a shell or a program reads."""

EFFECTIVE_PREFIXES = (
    "npm_",
    "pip_",
    "yarn_",
    "pnpm_",
    "bun_",
    "fish_",
    "zsh_",
    "comp_",
    "bash_",
    "git_",
    "ld_",
    "dyld_",
)
"""Lower-case prefixes of variables that a shell or a program reads."""

# A variable with an upper-case name may already be in the environment; then every program of the line gets its
# new value. These lists therefore contain all variables that the read-only programs use, and also the loader,
# the C library, the shells and the languages of these programs. A variable that is new stays in the shell:
# only `export`, `declare -x` and `set -a` would pass it on, and none of these is harmless.
EFFECTIVE_UPPER_CASE = frozenset(
    """PATH IFS ENV HOME USER USERNAME LOGNAME SHELL PWD OLDPWD TERM TERMCAP TERMINFO TERMINFO_DIRS DISPLAY XAUTHORITY
    LANG LANGUAGE TZ TZDIR TMP TMPDIR TEMP TEMPDIR TMPPREFIX COLUMNS LINES HOST HOSTNAME HOSTTYPE OSTYPE MACHTYPE
    UID EUID GID EGID PPID GROUPS RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO SHLVL SHELLOPTS OPTIND OPTARG OPTERR
    CDPATH FPATH MANPATH INFOPATH MAILCHECK MAILPATH FCEDIT FIGNORE GLOBIGNORE EXECIGNORE FUNCNEST FUNCNAME DIRSTACK
    TIMEFORMAT TIMEFMT TMOUT CHILD_MAX IGNOREEOF INPUTRC NULLCMD READNULLCMD WORDCHARS WATCH WATCHFMT
    POSIXLY_CORRECT POSIX_ME_HARDER NLSPATH LOCPATH GCONV_PATH HOSTALIASES LOCALDOMAIN RES_OPTIONS NSS_WRAPPER_PASSWD
    PAGER EDITOR VISUAL BROWSER VIEWER ASKPASS EXINIT VIMINIT MORE CI DEBUG VERBOSE NO_COLOR
    TAPE UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT ZIP ZIPOPT GZIP BZIP BZIP2 MAGIC RSH QUOTING_STYLE TIME_STYLE
    BLOCKSIZE BLOCK_SIZE TABSIZE SIMPLE_BACKUP_SUFFIX VERSION_CONTROL CMD_ENV I_WANT_A_BROKEN_PS STY
    CC CXX CPP CPATH FC AR AS LD NM RANLIB STRIP OBJDUMP PREFIX DESTDIR ARCH COMPOSER BOTO RANDFILE
    DEVELOPER_DIR SDKROOT TOOLCHAINS GCC_EXEC_PREFIX COMPILER_PATH SOURCE_DATE_EPOCH LISTEN_FDS LISTEN_PID
    STTY ARGV0 PSVAR SPROMPT RPS1 RPS2 TTYIDLE LOGCHECK LISTMAX BAUD KEYTIMEOUT TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT ERRNO
    SAVEHIST DIRSTACKSIZE REPORTTIME REPORTMEMORY CURSOR PENDING KEYS_QUEUED_COUNT EPOCHREALTIME ZDOTDIR OPENER SUDO_ASKPASS SUDO_EDITOR VIRTUAL_ENV CUDA_VISIBLE_DEVICES PROMPT RPROMPT
    GETCONF_DIR LOCALE_ARCHIVE TEXTDOMAINDIR NETRC ACKRC VIM VIMRUNTIME FFREPORT STACK_ROOT STACK_YAML CABAL_DIR PUB_CACHE
    FLUTTER_ROOT COVERAGE_PROCESS_START USE_BAZEL_VERSION""".split()
)
"""Upper-case names of variables that a shell or a program reads."""

EFFECTIVE_UPPER_CASE_PREFIXES = tuple(
    """LD_ DYLD_ LIBC_ GLIBC MALLOC LC_ XDG_ DBUS_ SYSTEMD_ JOURNAL_ BASH ZSH KSH FISH HIST PS0 PS1 PS2 PS3 PS4 PROMPT
    COMP_ READLINE_ MAIL LESS MAN_ MANPAGER MANOPT MANROFF MANSECT MANWIDTH MOST_ BAT_ DELTA_ FZF_ GREP_ RIPGREP_ EXA_ EZA_ FD_ AG_ LS_ LSCOLORS TREE_
    JQ_ YQ_ AWK GAWK MAWK BC_ DC_ POSIX XZ_ ZSTD_ TAR_ XML_ SGML_ XMLLINT_ SHELLCHECK_ HADOLINT_ YAMLLINT_ SHFMT_ S_
    PS_ PROCPS_ LIBPROC_ LSOF LSBLK_ LIBMOUNT_ LIBSMARTCOLS_ LIBBLKID_ BLKID_ TMUX SCREENDIR SCREENRC OPENSSL SSL CURL_ WGET
    REQUESTS_ FTP_ SOCKS RSYNC_ SSH_ GPG_ GNUPG KRB5 PROXY
    GIT HG SVN_ APR_ CVS P4 GH_ GITHUB_ GLAB_ GITLAB_ GLAMOUR_ CLICOLOR FORCE_ NO_
    NODE_ NODENV_ NPM_ NPX_ PNPM_ YARN_ BUN_ DENO_ COREPACK_ NVM_ FNM_ VOLTA_ N_ ELECTRON_ TS_ V8_ UV_
    PYTHON PYENV_ PY_ PIP VIRTUALENV CONDA MAMBA POETRY_ PDM_ HATCH_ TOX_ RYE_ PYPI_ TWINE_
    CARGO RUST GO CGO_ JAVA JDK_ JRE_ _JAVA JAR CLASSPATH MAVEN_ MVN_ GRADLE_ KOTLIN_ SCALA_ SBT_ ANT_
    RUBY RBENV_ GEM_ BUNDLE RAKE_ PERL PLENV_ PHP COMPOSER_ LUA TCL R_ JULIA_ ERL_ MIX_ HEX_ DOTNET NUGET_ MSBUILD COMPLUS_
    CORECLR_ GOENV_ ASDF_ MISE_ RTX_ JUST_ PKG_CONFIG CMAKE_ MAKE MFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS GMAKE CCACHE_
    DOCKER_ COMPOSE_ BUILDX_ BUILDKIT_ CONTAINER_ CONTAINERS_ PODMAN_ NERDCTL_ CNI_ STORAGE_ REGISTRY_ KUBE K3S_ KIND_ MINIKUBE_ MICROK8S
    OC_ HELM_ ARGOCD_ FLUX_ TF_ TERRAFORM_ TOFU_ PULUMI_ VAGRANT_ VIRSH_ LIBVIRT_ FLY_ AWS_ BOTO_ GOOGLE_ GCLOUD_ GCE_
    CLOUDSDK_ AZURE_ AZ_ ANSIBLE_ VAULT_ CONSUL_ NOMAD_
    HOMEBREW_ BREW_ APT_ DEB DPKG_ RPM_ DNF_ YUM_ PACMAN_ NIX_ SNAP_ FLATPAK_ PG MYSQL_ REDISCLI_ MONGO_ SQLITE_
    BAZEL GHC OPAM OCAML CAML SWIFT_ XCRUN_ PYTEST_ MYPY PYLINT JUPYTER_ IPYTHON MAGICK_ LLVM_ GCOV_ GMON_ NX_ TURBO_ ESLINT_
    NVIDIA_ CUDA_ QT_ GTK_ GDK_ GIO_ G_ WAYLAND_ XCODE DEVELOPER_ OTEL_ SENTRY_ ELECTRON DVC_ WSL""".split()
)
"""Upper-case prefixes of variables that a shell or a program reads."""

EFFECTIVE_UPPER_CASE_SUFFIXES = tuple(
    """PROXY PATH HOME PAGER EDITOR BROWSER SHELL ASKPASS _COMMAND _OPTIONS _OPTS FLAGS _RC _CONFIG _CONF CONFIG_FILE
    _PRELOAD _PLUGIN _PLUGINS _STARTUP _WRAPPER _INIT _COLORS _TRACE _CA_BUNDLE _CERT _SOCK _LOADER""".split()
)
"""Suffixes of variables that a program probably reads."""

SECRET_SUFFIXES = (
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "_KEY",
    "_KEYS",
    "_PAT",
    "_PASS",
    "_PWD",
    "_AUTH",
    "_COOKIE",
    "_DSN",
    "PRIVATEKEY",
    "SECRETKEY",
    "ACCESSKEY",
    "_CREDS",
    "_JWT",
)
"""Suffixes of variables that contain a secret."""
SECRET_PARTS = (
    "AWS_ACCESS",
    "AWS_SECRET",
    "AWS_SESSION",
    "SECRET_",
    "PASSWORD_",
    "TOKEN_",
    "API_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
)
"""Texts in the names of variables that contain a secret."""
SECRET_NAMES = frozenset(
    {
        "PGPASSWORD",
        "MYSQL_PWD",
        "DATABASE_URL",
        "REDIS_URL",
        "MONGO_URI",
        "MONGODB_URI",
        "SENTRY_DSN",
        "GH_TOKEN",
        "NPM_AUTH",
        "NETRC",
        "PASS",
        "KEY",
        "PAT",
    }
)
"""Other variables that contain a secret."""
NOT_SECRET = frozenset(
    {"PWD", "OLDPWD", "SSH_AUTH_SOCK", "PRIMARY_KEY", "FOREIGN_KEY", "PUBLIC_KEY", "SSH_PUBLIC_KEY"}
)
"""Variables that look like secrets but are none."""


COMMAND_SUFFIXES = (
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
"""Suffixes of variables that contain a command."""

COMMAND_VARIABLES = frozenset(
    """SHELL RSH CC CXX CPP LD AR AS NM FC F77 GCC STRIP RANLIB OBJCOPY HOSTCC HOSTCXX RUSTC RUSTDOC RUSTFMT CARGO
    MAKE NINJA CMAKE PKG_CONFIG YACC LEX INSTALL PYTHON PERL RUBY NODE FCEDIT LESSOPEN LESSCLOSE CCACHE_PREFIX
    CCACHE_PREFIX_CPP CCACHE_COMPILER GPG TERMINAL DOCKER NODE_GYP FZF_CTRL_T_OPTS MAILER TAPE""".split()
)
"""Other variables that contain a command."""

COMMAND_TABLES = (
    "BASH_CMDS[",
    "BASH_ALIASES[",
    "functions[",
    "aliases[",
    "galiases[",
    "saliases[",
    "commands[",
)
"""Tables of the shell in which each entry is a command."""

EXPANDED_VARIABLES = frozenset(
    {"BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "RPROMPT", "RPS1"}
)
"""Variables whose substitutions a shell expands when it reads the variable."""

EDITOR_COMMAND_VARIABLES = frozenset(
    {"EXINIT", "VIMINIT", "NVIMINIT", "GVIMINIT", "LESS", "MORE", "LYNX_CFG"}
)
"""Variables that contain commands of an editor or a pager, which can start a shell."""

OPTION_VARIABLES: Mapping[str, str] = {
    "GOFLAGS": "-exec=! -toolexec=! --exec=! --toolexec=!",
    "RUSTFLAGS": "-C=@ --codegen=@",
    "CARGO_BUILD_RUSTFLAGS": "-C=@ --codegen=@",
    "CARGO_ENCODED_RUSTFLAGS": "-C=@ --codegen=@",
    "RSYNC_OPTIONS": "-e=! --rsh=! --rsync-path=!",
    "TAR_OPTIONS": "--to-command=! --use-compress-program=! -I=! --rsh-command=! --info-script=! -F=!",
    "MANOPT": "-P=! --pager=!",
    "SSH_OPTIONS": "-o=@",
}
"""Variables that contain options, each with the options whose value is a command."""

CODE_VARIABLES: Mapping[str, str] = {
    "PERL5DB": "perl",
    "PERL5OPT": "perl",
    "RUBYOPT": "ruby",
    "NODE_OPTIONS": "node",
    "FZF_DEFAULT_OPTS": "fzf",
}
"""Variables that contain code, or options with code, each with the program that runs it."""

WRITTEN_FILE_PREFIXES = (
    "GIT_TRACE",
    "GIT_REDIRECT_",
    "GCOV_PREFIX",
    "NODE_V8_COVERAGE",
    "PYTHONPYCACHEPREFIX",
    "CARGO_TARGET_DIR",
)
"""Prefixes of variables that name a file or directory to write."""
WRITTEN_FILE_SUFFIXES = ("_TRACE", "_LOG", "LOGFILE", "LOG_FILE", "LOG_PATH", "LOG_DIR", "HISTFILE", "HISTORY", "_OUTPUT", "PROFILE_FILE",
                   "COVERAGE_FILE", "INDEX_FILE", "OUTPUT_FILE", "OUTPUT_DIR", "OUT_DIR", "CACHE_DIR")  # fmt: skip
"""Suffixes of variables that name a file or directory to write."""

PROGRAM_SETTING_SUFFIXES = (
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
"""Suffixes of settings that contain a program, in Git, ssh, apt and others."""

HARMLESS_SETTING_VALUES = frozenset({"", "cat", "true", "false", "none", "yes", "no", "0", "1"})
"""Values of such settings that run nothing, or only `cat`."""

# ---- functions ---------------------------------------------------------------------------------

_VARIABLE_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_LOWER_CASE_NAME = regex(r"[a-z_][a-z0-9_]*")


def is_harmless_assignment(name: str, value: Word) -> bool:
    """Whether `NAME=value` before a command changes only its display or its language."""
    shape = _find_value_shape(name)
    if shape is None or value.tilde or value.glob or value.splits or UNKNOWN_MARK in value.text:
        return False
    return re.fullmatch(shape, value.text) is not None


def is_harmless_lone_assignment(name: str, value: Word) -> bool:
    """Whether an assignment without a command is harmless: only this line uses the variable."""
    if is_harmless_assignment(name, value):
        return True
    return _VARIABLE_NAME.fullmatch(name) is not None and not _may_be_read_by_program(name)


_BUILD_VARIABLES = {
    "GOOS": r"\w*", "GOARCH": r"\w*", "CGO_ENABLED": "[01]?", "GOTRACEBACK": r"\w*", "GOMAXPROCS": r"\d*",
    "GO111MODULE": r"\w*", "NODE_ENV": r"\w*", "TERM": r"[\w-]*", "LS_COLORS": r"[\w.*=:;-]*", "FORCE_COLOR": r"\d?",
    "RUST_BACKTRACE": r"\w*", "RUST_LOG": r"[\w=,:]*", "PYTHONUNBUFFERED": r"\w*", "PYTHONDONTWRITEBYTECODE": r"\w*",
    "PYTHONHASHSEED": r"\w*", "DEBUG": r"[\w:*,-]*", "VERBOSE": r"\w*", "TMOUT": r"\d*", "COLUMNS": r"\d*", "LINES": r"\d*",
    "DOTNET_CLI_TELEMETRY_OPTOUT": r"\w*", "HUSKY": "0", "CARGO_TERM_COLOR": r"\w*", "CARGO_INCREMENTAL": "[01]",
}  # fmt: skip
"""Variables that builds and tests read, with the values that choose no program, path or option."""


def is_harmless_for_builds(name: str, value: Word) -> bool:
    """Whether `NAME=value` before a command of a pack changes only how it builds or prints."""
    shape = _BUILD_VARIABLES.get(name)
    if shape is None or value.tilde or value.glob or value.splits or UNKNOWN_MARK in value.text:
        return False
    return re.fullmatch(shape, value.text) is not None


def is_secret_variable(name: str) -> bool:
    """Whether the name of a variable, possibly as written in `${ }`, suggests a secret."""
    found = _VARIABLE_NAME.search(name)
    plain = "" if found is None else found.group()
    upper = plain.upper()
    if upper in NOT_SECRET or (plain != upper and "_" not in plain):
        # A lower-case name is a variable of the line itself, as in `while read token`.
        return False
    return (
        upper in SECRET_NAMES
        or upper.endswith(SECRET_SUFFIXES)
        or any(part in upper for part in SECRET_PARTS)
    )


def _may_be_read_by_program(name: str) -> bool:
    """Whether a shell or a program may read a variable of this name."""
    if _LOWER_CASE_NAME.fullmatch(name):
        return name in EFFECTIVE_VARIABLES or name.startswith(EFFECTIVE_PREFIXES)
    # Some programs ignore the case of names, so mixed case counts as upper case.
    upper = name.upper()
    return (
        upper in EFFECTIVE_UPPER_CASE
        or upper.startswith(EFFECTIVE_UPPER_CASE_PREFIXES)
        or upper.endswith(EFFECTIVE_UPPER_CASE_SUFFIXES)
    )


def _find_value_shape(name: str) -> ValueShape | None:
    """The shape of harmless values of a variable; None if no value is known to be harmless."""
    for beginning, shape in HARMLESS_PREFIXES.items():
        if name.startswith(beginning):
            return shape
    return HARMLESS_VARIABLES.get(name)
