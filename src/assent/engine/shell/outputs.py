"""Files that programs write besides: logs of tracers, settings of tools, files that a script names."""

import re

from assent.engine.shell.command import Word, base_name
from assent.engine.shell.knowledge.wrapper import Wrapper
from assent.engine.shell.knowledge.wrappers import PERF, WRAPPERS
from assent.engine.shell.options import Options

_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "goawk"})
_SEDS = frozenset({"sed", "gsed", "ssed"})
_LANGUAGES = frozenset("python pypy perl ruby php node nodejs deno bun lua luajit".split())
_LOGGED = frozenset({"script", "logsave"})
"""Programs that write to their first operand what the command after it prints."""

_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\n\\])*/[IM]*)"
_BLANKS = r"[ \t]*+"
SED_COMMAND = (
    rf"(?:^|[;{{}}\n]){_BLANKS}(?:{_ADDRESS}(?:{_BLANKS},{_BLANKS}[+~]?{_ADDRESS})?{_BLANKS})?(?:!{_BLANKS})?"
)
"""Where a command of `sed` begins: after the one before it, and its addresses."""
_SED_WRITES = re.compile(
    SED_COMMAND + r"[wW]\s*(?P<file>[^\n;}]+)"
    r"|s(?P<mark>[/|,:#@!%])(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiImM0-9]*w\s*"
    r"(?P<more>[^\n;}]+)"
)
_MARKS = "/|,:#@!%"
_AWK_STATEMENT = re.compile(r"[;}\n]")
_AWK_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
_OPENS = re.compile(
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
    **dict.fromkeys(("pre-commit", "lefthook", "husky"), ("install init add", (Word(".git/hooks"),))),
}
"""Tools that keep what they run in a file of settings, the words that change it, and the file."""
_GROUPS = frozenset({"config", "c", "mcp"})
_ALONE = frozenset({"set", "allow", "permit", "grant", "install", "init", "add"})


def outputs(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files that a command writes besides those that writers of files are known to write."""
    name = base_name(words[0].text)
    plain = name.rstrip("0123456789.-")
    texts = [word.text for word in words[1:]]
    if name in _SETTINGS:
        return _settings(name, texts)
    if name == "crontab":
        return () if "-l" in texts else (Word("/var/spool/cron"),)
    if plain in _SEDS:
        return _named(_SED_WRITES, texts)
    if plain in _AWKS:
        return tuple(Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one))
    if plain in _LANGUAGES:
        return _named(_OPENS, texts)
    return _logs(name, words)


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
