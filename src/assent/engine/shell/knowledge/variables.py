"""Variables that change how a program looks or talks, and nothing else."""

from collections.abc import Mapping
from enum import StrEnum


class Shape(StrEnum):
    """What a harmless value looks like, as a regular expression for all of it."""

    LOCALE = r"[A-Za-z0-9_.@:-]*"
    """No slash, or it would name a file."""
    ZONE = r"[A-Za-z0-9_+-][A-Za-z0-9_+/-]*"
    """`Europe/Berlin`, `UTC+2`; a colon or a slash in front would name a file."""
    NUMBER = r"[0-9]{1,6}"
    SWITCH = r"|[01]|true|false|yes|no|on|off"
    COLOR = r"|[0-3]|true|false|always|never|auto"
    LEVEL = r"off|error|warn|warning|info|debug|trace"
    TERMINAL = (
        r"dumb|unknown|ansi|linux|vt(?:100|102|220)|(?:xterm|screen|tmux|rxvt)(?:-(?:256color|color|direct))?"
    )
    DEPTH = r"|truecolor|24bit|256color"
    CAT = r"|cat"
    """No pager at all."""
    RAW = r"-?[FRSX]*"
    """Flags of `less` that only change what it shows."""
    ENCODING = r"(?:utf-?8|ascii|latin-?1)(?::[a-z]+)?"
    BACKTRACE = r"[01]|full|short"
    NONINTERACTIVE = r"noninteractive"
    ZERO = r"0"
    SEED = r"[0-9]{1,10}|random"


HARMLESS: Mapping[str, Shape] = {
    "LANG": Shape.LOCALE,
    "LANGUAGE": Shape.LOCALE,
    "TZ": Shape.ZONE,
    "NO_COLOR": Shape.COLOR,
    "FORCE_COLOR": Shape.COLOR,
    "CLICOLOR": Shape.COLOR,
    "CLICOLOR_FORCE": Shape.COLOR,
    "PY_COLORS": Shape.COLOR,
    "CARGO_TERM_COLOR": Shape.COLOR,
    "NPM_CONFIG_COLOR": Shape.COLOR,
    "GH_FORCE_TTY": Shape.NUMBER,
    "COLORTERM": Shape.DEPTH,
    "TERM": Shape.TERMINAL,
    "SYSTEMD_COLORS": Shape.COLOR,
    "COLUMNS": Shape.NUMBER,
    "LINES": Shape.NUMBER,
    "CI": Shape.SWITCH,
    "PAGER": Shape.CAT,
    "GIT_PAGER": Shape.CAT,
    "MANPAGER": Shape.CAT,
    "GH_PAGER": Shape.CAT,
    "BAT_PAGER": Shape.CAT,
    "DELTA_PAGER": Shape.CAT,
    "AWS_PAGER": Shape.CAT,
    "SYSTEMD_PAGER": Shape.CAT,
    "GLAB_PAGER": Shape.CAT,
    "PSQL_PAGER": Shape.CAT,
    "LESS": Shape.RAW,
    "GIT_OPTIONAL_LOCKS": Shape.ZERO,
    "GIT_TERMINAL_PROMPT": Shape.ZERO,
    "GIT_TRACE": Shape.SWITCH,
    "PYTHONDONTWRITEBYTECODE": Shape.SWITCH,
    "PYTHONUNBUFFERED": Shape.SWITCH,
    "PYTHONUTF8": Shape.SWITCH,
    "PYTHONIOENCODING": Shape.ENCODING,
    "PYTHONHASHSEED": Shape.SEED,
    "PYTHONFAULTHANDLER": Shape.SWITCH,
    "PYTHONNOUSERSITE": Shape.SWITCH,
    "PYTHONSAFEPATH": Shape.SWITCH,
    "PYTHONTRACEMALLOC": Shape.NUMBER,
    "PIP_DISABLE_PIP_VERSION_CHECK": Shape.SWITCH,
    "PIP_NO_INPUT": Shape.SWITCH,
    "PIP_NO_COLOR": Shape.SWITCH,
    "POETRY_NO_INTERACTION": Shape.SWITCH,
    "UV_NO_PROGRESS": Shape.SWITCH,
    "NODE_NO_WARNINGS": Shape.SWITCH,
    "NO_UPDATE_NOTIFIER": Shape.SWITCH,
    "GH_NO_UPDATE_NOTIFIER": Shape.SWITCH,
    "GH_PROMPT_DISABLED": Shape.SWITCH,
    "ADBLOCK": Shape.SWITCH,
    "DO_NOT_TRACK": Shape.SWITCH,
    "NEXT_TELEMETRY_DISABLED": Shape.SWITCH,
    "ASTRO_TELEMETRY_DISABLED": Shape.SWITCH,
    "DOTNET_CLI_TELEMETRY_OPTOUT": Shape.SWITCH,
    "DOTNET_NOLOGO": Shape.SWITCH,
    "CHECKPOINT_DISABLE": Shape.SWITCH,
    "TF_IN_AUTOMATION": Shape.SWITCH,
    "TF_INPUT": Shape.ZERO,
    "RUST_BACKTRACE": Shape.BACKTRACE,
    "RUST_LIB_BACKTRACE": Shape.BACKTRACE,
    "RUST_LOG": Shape.LEVEL,
    "GOMAXPROCS": Shape.NUMBER,
    "OMP_NUM_THREADS": Shape.NUMBER,
    "DEBIAN_FRONTEND": Shape.NONINTERACTIVE,
    "HOMEBREW_NO_AUTO_UPDATE": Shape.SWITCH,
    "HOMEBREW_NO_ANALYTICS": Shape.SWITCH,
    "HOMEBREW_NO_COLOR": Shape.SWITCH,
    "HOMEBREW_NO_EMOJI": Shape.SWITCH,
    "HOMEBREW_NO_ENV_HINTS": Shape.SWITCH,
    "HOMEBREW_NO_INSTALL_CLEANUP": Shape.SWITCH,
}
"""What may stand before a command without changing what it does."""

HARMLESS_BEGINNINGS: Mapping[str, Shape] = {"LC_": Shape.LOCALE}

PLAIN = frozenset(
    "FILE FILES DIR DIRS SRC NAME NAMES LINE COUNT START END PATTERN QUERY RESULT BASE BRANCH COMMIT SHA"
    " TARGET URL".split()
)
"""Upper-case names that people give to variables of their own and no program looks at."""

EFFECTIVE = frozenset(
    """http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy socks_proxy socks_server gopher_proxy ws_proxy
    path fpath cdpath manpath mailpath module_path fignore psvar watch prompt prompt2 prompt3 prompt4 rprompt
    histchars argv status pipestatus signals term home shell user cwd owd auto_resume aliases galiases saliases functions
    commands options parameters builtins modules nameddirs userdirs dirstack reply match mbegin mend noclobber nomatch
    zle_highlight zsh_eval_context region_highlight""".split()
)
"""Lower-case names that a shell or a program looks at."""

EFFECTIVE_BEGINNINGS = (
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

SECRET_ENDS = (
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
"""How the names of variables end that hold a secret."""
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
NOT_SECRET = frozenset(
    {"PWD", "OLDPWD", "SSH_AUTH_SOCK", "PRIMARY_KEY", "FOREIGN_KEY", "PUBLIC_KEY", "SSH_PUBLIC_KEY"}
)
