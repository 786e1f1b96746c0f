"""Harmless assignments of variables."""

import pytest

from assent.engine.bash.language import parse_bash
from assent.engine.lines.embedded_commands import has_harmless_assignments
from assent.engine.programs.variables import (
    is_harmless_assignment,
    is_harmless_lone_assignment,
    is_secret_variable,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word

HARMLESS = """
LC_ALL=C
LC_ALL=en_US.UTF-8
LC_CTYPE=
LC_TIME=de_DE@euro
LANG=C.UTF-8
LANGUAGE=en:de
TZ=UTC
TZ=Europe/Berlin
TZ=UTC+2
TZ=America/Argentina/Buenos_Aires
NO_COLOR=1
NO_COLOR=
FORCE_COLOR=0
FORCE_COLOR=3
CLICOLOR=1
CLICOLOR_FORCE=0
COLORTERM=truecolor
TERM=dumb
TERM=xterm-256color
CI=1
CI=true
COLUMNS=200
LINES=50
PAGER=cat
PAGER=
GIT_PAGER=cat
GH_PAGER=
MANPAGER=cat
AWS_PAGER=
SYSTEMD_PAGER=cat
LESS=-R
LESS=FRX
GIT_OPTIONAL_LOCKS=0
GIT_TERMINAL_PROMPT=0
GIT_TRACE=1
PYTHONDONTWRITEBYTECODE=1
PYTHONUNBUFFERED=1
PYTHONIOENCODING=utf-8
PYTHONUTF8=1
PYTHONHASHSEED=0
PYTHONHASHSEED=random
DEBIAN_FRONTEND=noninteractive
RUST_BACKTRACE=full
RUST_BACKTRACE=1
RUST_LOG=debug
CARGO_TERM_COLOR=never
HOMEBREW_NO_AUTO_UPDATE=1
NEXT_TELEMETRY_DISABLED=1
""".split("\n")[1:-1]

HARMFUL = """
PATH=.
LD_PRELOAD=./x.so
LD_LIBRARY_PATH=.
DYLD_INSERT_LIBRARIES=./x
BASH_ENV=./x
ENV=./x
SHELLOPTS=xtrace
PS4=$(rm x)
IFS=x
LC_ALL=/tmp/locale
LC_ALL=../x
LANG=a/b
LOCPATH=.
NLSPATH=./x
TZ=:/etc/passwd
TZ=/etc/passwd
TZ=
TZ=../x
TERM=../x
TERM=
TERMINFO=.
PAGER=less
PAGER='sh -c pwn'
PAGER=./cat
PAGER=cat;rm
GIT_PAGER=rm
MANPAGER=sh
BROWSER=./x
EDITOR=./x
GIT_SSH=./x
GIT_SSH_COMMAND=./x
GIT_TRACE=/tmp/out
GIT_TRACE=5
GIT_DIR=.
GIT_CONFIG_COUNT=1
GIT_EXTERNAL_DIFF=./x
GIT_OPTIONAL_LOCKS=1
GIT_TERMINAL_PROMPT=1
RUBYOPT=-r./x
PERL5OPT=-Mx
PYTHONPATH=.
PYTHONSTARTUP=./x
PYTHONWARNINGS=all:0:a.b:0:0
NODE_OPTIONS=--require=./x
NODE_PATH=production
NODE_PATH=.
AWKLIBPATH=.
CARGO_HOME=./x
RUSTC_WRAPPER=./x
MAKEFLAGS=--eval=x
npm_config_script_shell=./x
http_proxy=http://a
HTTPS_PROXY=http://a
LESS=+!rm
LESS=-oout
LESSOPEN=x
COLUMNS=x
COLUMNS=1;2
FORCE_COLOR=rm
CI=$X
KUBECONFIG=x
AWS_PROFILE=prod
HOME=/tmp
XDG_CONFIG_HOME=.
POSIXLY_CORRECT=1
LC_ALL=C|D
""".split("\n")[1:-1]


def split_assignment(text: str) -> tuple[str, Word]:
    name, _, value = text.partition("=")
    return name, Word(value.replace("|", "\n").replace("$X", UNKNOWN_MARK))


@pytest.mark.proves("D-3")
@pytest.mark.parametrize("text", HARMLESS)
def test_a_variable_for_display_or_language_is_harmless(text: str) -> None:
    assert is_harmless_assignment(*split_assignment(text)) is True
    assert is_harmless_lone_assignment(*split_assignment(text)) is True


@pytest.mark.proves("D-3", "T-20")
@pytest.mark.parametrize("text", HARMFUL)
def test_nothing_else_is_harmless_before_a_command(text: str) -> None:
    assert is_harmless_assignment(*split_assignment(text)) is False


@pytest.mark.proves("D-3")
@pytest.mark.parametrize("text", HARMFUL)
def test_other_variables_are_not_harmless_as_a_statement(text: str) -> None:
    assert is_harmless_lone_assignment(*split_assignment(text)) is False


@pytest.mark.proves("D-3")
@pytest.mark.parametrize(
    "value",
    [
        Word(UNKNOWN_MARK),
        Word("C", glob=True),
        Word("C", tilde=True),
        Word("C", splits=True),
        Word(f"C{UNKNOWN_MARK}"),
    ],
)
def test_an_unknown_value_is_not_harmless(value: Word) -> None:
    assert is_harmless_assignment("LC_ALL", value) is False


@pytest.mark.parametrize("name", "x file my_dir2 _ FILE DIR i F X MY_VAR ROOT_DIR fileName CONTAINER".split())
@pytest.mark.parametrize("value", [Word("a"), Word(UNKNOWN_MARK, splits=True), Word("*", glob=True)])
def test_a_plain_variable_may_hold_anything(name: str, value: Word) -> None:
    assert is_harmless_lone_assignment(name, value) is True
    assert is_harmless_assignment(name, value) is False


EFFECTIVE_NAMES = """
path fpath cdpath prompt http_proxy https_proxy all_proxy no_proxy npm_config_x pip_index_url PATH HOME IFS
x[0] x-y LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GIT_DIR GIT_SSH_COMMAND HTTPS_PROXY NO_PROXY BASH_ENV ENV
PYTHONPATH PYTHONSTARTUP NODE_OPTIONS NODE_PATH PERL5LIB PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS
PROMPT_COMMAND PS4 PAGER GIT_PAGER MANPAGER LESSOPEN LESS EDITOR VISUAL BROWSER SHELL SHELLOPTS CDPATH GLOBIGNORE
KUBECONFIG DOCKER_HOST AWS_PROFILE CLOUDSDK_CONFIG AZURE_CONFIG_DIR TF_CLI_ARGS TF_PLUGIN_CACHE_DIR HELM_DRIVER
CARGO_HOME RUSTC_WRAPPER GOFLAGS GOPROXY CGO_CFLAGS npm_config_registry Npm_Config_Registry PIP_INDEX_URL UV_INDEX
SSL_CERT_FILE SSLKEYLOGFILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GREP_OPTIONS RIPGREP_CONFIG_PATH JQ_COLORS AWKPATH
TAR_OPTIONS TAPE GZIP XZ_OPT MAGIC OPENSSL_CONF XML_CATALOG_FILES DEVELOPER_DIR MAKEFLAGS CC TMPDIR TZDIR RANDOM
SECONDS OPTIND LINENO GCONV_PATH LOCPATH HOSTALIASES GH_HOST GITLAB_HOST SVN_SSH PKG_CONFIG_PATH GEM_HOME PREFIX
""".split()


@pytest.mark.proves("D-3")
@pytest.mark.parametrize(
    ("line", "harmless_there"),
    [
        ("IFS= read -r line", True),
        ("IFS=, LC_ALL=C read -r a b", True),
        ("IFS=x PATH=. read -r a", False),
        ("IFS=x cat f", False),
        ("LC_ALL=C sort f", True),
    ],
)
def test_ifs_is_harmless_before_read_alone(line: str, harmless_there: bool) -> None:
    assert has_harmless_assignments(parse_bash(line).commands[0]) is harmless_there


@pytest.mark.proves("D-3")
@pytest.mark.parametrize("name", EFFECTIVE_NAMES)
def test_a_variable_that_a_program_may_read_is_not_plain(name: str) -> None:
    assert is_harmless_lone_assignment(name, Word("a")) is False


SECRET = """
GITHUB_TOKEN TOKEN NPM_TOKEN API_KEY OPENAI_API_KEY AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN
SECRET CLIENT_SECRET DB_PASSWORD PASSWORD PGPASSWORD MYSQL_PWD GOOGLE_APPLICATION_CREDENTIALS SSH_PRIVATE_KEY
ENCRYPTION_KEY PASSPHRASE DATABASE_URL SENTRY_DSN db_password github_token SECRET_KEY_BASE TOKEN_FILE KEY PASS
ROOT_PASSWD GITHUB_TOKEN:-none GITHUB_TOKEN:0:4 #GITHUB_TOKEN !API_KEY
""".split()

NOT_SECRET = """
PATH HOME PWD OLDPWD USER LANG file key token password secret TOKENIZER KEYBOARD MONKEY PUBLIC_KEY
SSH_AUTH_SOCK PASSED SECRETARY COMPASS 1 @ ? - x
""".split()


@pytest.mark.proves("D-6", "T-39")
@pytest.mark.parametrize("name", SECRET)
def test_a_secret_variable_is_recognized_by_its_name(name: str) -> None:
    assert is_secret_variable(name) is True


@pytest.mark.parametrize("name", NOT_SECRET)
def test_other_names_are_not_taken_for_secrets(name: str) -> None:
    assert is_secret_variable(name) is False
