"""Files that programs write besides: logs of tracers, settings of tools, files that a script names."""

import re
from functools import lru_cache

from assent.engine.lines.options import Options
from assent.engine.programs.word import Word, base_name, versionless
from assent.engine.regex import regex
from assent.engine.shell.knowledge.script_shapes import SED_COMMAND
from assent.engine.shell.knowledge.wrapper import Wrapper
from assent.engine.shell.knowledge.wrappers import PERF, WRAPPERS

_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "goawk"})
_SEDS = frozenset({"sed", "gsed", "ssed"})
_LANGUAGES = frozenset("python pypy perl ruby php node nodejs deno bun lua luajit".split())
_LOGGED = frozenset({"script", "logsave", "flock", "lockf", "lckdo", "setlock"})
"""Programs that write to their first operand what the command after it prints, or make it to lock it."""
_ADDRESSED = regex(
    r"(?:open|file|creat|create|gopen|pipe|fifo|unix(?:-\w+)?|abstract-\w+)(?::|$)([^,!]+)", re.IGNORECASE
)
"""Addresses of `socat` that are files."""

_SED_WRITES = regex(
    SED_COMMAND + r"[wW]\s*(?P<file>[^\n;}]+)"
    r"|s(?P<mark>[/|,:#@!%])(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiImM0-9]*w\s*"
    r"(?P<more>[^\n;}]+)"
)
_MARKS = "/|,:#@!%"
_EDITORS = frozenset("vi vim nvim gvim view ex ed red".split())
_EDITOR_WRITES = regex(r"(?:^|[|:+\s])(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!][^|]*)")
_DATABASES = frozenset("sqlite3 sqlite psql usql duckdb".split())
_DATABASE_WRITES = regex(
    r"^\s*(?:\.(?:output|once|backup|save|log|clone|excel)|\\(?:o|out|w|write|g))\s+[\"']?([^\s\"'|]+)"
)
"""How clients of databases are told to write what they print to a file."""
_AWK_STATEMENT = regex(r"[;}\n]")
_AWK_STRING = regex(r'"((?:\\.|[^"\\])*)"')
_OPENS = regex(
    r"""\b(?:open|fopen|File\.open)\s*\(\s*["']([^"']+)["']\s*,\s*["'][^"']*[wax+]"""
    r"""|\b(?:writeFile|appendFile|copyFile|rename|unlink|symlink|createWriteStream)\w*\s*\(\s*["']([^"']+)"""
    r"""|\b(?:File\.write|IO\.write|file_put_contents|rmtree|rmSync|remove)\s*\(\s*["']([^"']+)"""
    r"""|Path\(\s*["']([^"']+)["']\s*\)\.(?:write|unlink|touch|rename|chmod|symlink|open\(\s*["'][wax])"""
    r"""|open[\s(][^"']{0,80}["']\+?>{1,2}(?:["']\s*,\s*["'])?\s*([^"']+)["']"""
)

_NPMRC = (Word(".npmrc"), Word("~/.npmrc", tilde=True))
_SETTINGS: dict[str, tuple[str, tuple[Word, ...]]] = {
    **dict.fromkeys(("npm", "pnpm"), ("set delete rm edit fix", _NPMRC)),
    **dict.fromkeys(("yarn", "yarnpkg"), ("set unset delete", (Word(".yarnrc.yml"), Word(".yarnrc")))),
    **dict.fromkeys(("pip", "pip3"), ("set unset edit", (Word("pip.conf"),))),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"),
        ("--add --append --prepend --set --remove --remove-key set append", (Word(".condarc"),)),
    ),
    "claude": ("set add remove add-json", (Word(".mcp.json"), Word("~/.claude.json", tilde=True))),
    "direnv": ("allow permit grant", (Word(".envrc"),)),
    **dict.fromkeys("pyenv rbenv nodenv goenv jenv plenv".split(), ("local", (Word(".python-version"),))),
    **dict.fromkeys(("asdf", "mise", "rtx"), ("local set use", (Word(".tool-versions"),))),
    "uv": ("pin", (Word(".python-version"),)),
    **dict.fromkeys(("pre-commit", "lefthook", "husky"), ("install init add", (Word(".git/hooks"),))),
}
"""Tools that keep what they run in a file of settings, the words that change it, and the file."""
_WRITERS_BESIDES = frozenset({"crontab", "socat", "perf"}).union(
    _SETTINGS, _EDITORS, _DATABASES, _SEDS, _AWKS, _LANGUAGES, WRAPPERS
)
_GROUPS = frozenset({"config", "c", "mcp", "python"})
_ALONE = frozenset({"set", "allow", "permit", "grant", "install", "init", "add", "local", "use"})


def outputs(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files that a command writes besides those that writers of files are known to write."""
    if not _writes_besides(words[0].text):
        return ()
    name = base_name(words[0].text)
    plain = versionless(name)
    texts = [word.text for word in words[1:]]
    if name in _SETTINGS:
        return _settings(name, texts)
    if name == "crontab":
        return () if "-l" in texts else (Word("/var/spool/cron"),)
    if name == "socat":
        return addressed(words[1:])
    if plain in _EDITORS:
        return _named(_EDITOR_WRITES, texts)
    if plain in _DATABASES:
        return _named(_DATABASE_WRITES, texts)
    if plain in _SEDS:
        return _named(_SED_WRITES, texts)
    if plain in _AWKS:
        return tuple(Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one))
    if plain in _LANGUAGES:
        return _named(_OPENS, texts)
    return _logs(name, words)


@lru_cache(maxsize=4096)
def _writes_besides(program: str) -> bool:
    """Whether anything is known of what a program writes besides; of most nothing is."""
    name = base_name(program)
    return name in _WRITERS_BESIDES or versionless(name) in _WRITERS_BESIDES


def addressed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files among the addresses of `socat`."""
    found = ((word, match) for word in words for match in _ADDRESSED.finditer(word.text))
    return tuple(word._replace(text=match[1]) for word, match in found)


def _prints_to_file(program: str) -> bool:
    return any(">" in statement.partition("print")[2] for statement in _AWK_STATEMENT.split(program))


def _settings(name: str, texts: list[str]) -> tuple[Word, ...]:
    changing, files = _SETTINGS[name]
    words = set(changing.split())
    first = next((text for text in texts if not text.startswith("-")), "")
    changes = words.intersection(texts) if first in _GROUPS else {first} & words & _ALONE
    return files if changes else ()


def _named(shape: re.Pattern[str], texts: list[str]) -> tuple[Word, ...]:
    """The files that a pattern finds in texts, by whichever of its groups."""
    found = [match for text in texts for match in shape.finditer(text)]
    files = (value for match in found for value in match.groups() if value and value not in _MARKS)
    return tuple(Word(file.strip()) for file in files)


def _logs(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """What a wrapper writes itself: its own options say that, and not those of what it runs."""
    carrier = WRAPPERS.get(name)
    at = 1
    if name == "perf":
        carrier, at = PERF, 2
    if not isinstance(carrier, Wrapper):
        return ()
    own = Options(carrier.options, words, at)
    own.skip()
    files = tuple(option.value for option in own.values(">"))
    return (*files, *words[own.at : own.at + 1]) if name in _LOGGED else files
