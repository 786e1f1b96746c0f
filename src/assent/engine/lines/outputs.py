"""Files that programs write besides: logs of tracers, settings of tools, files that a script names."""

import re
from functools import lru_cache

from assent.engine.lines.options import Options
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Output, Program, RunCommands, RunEntry, Runs, Settings
from assent.engine.programs.script_shapes import SED_COMMAND
from assent.engine.programs.word import Word, base_name, versionless
from assent.engine.regex import regex

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
_EDITOR_WRITES = regex(r"(?:^|[|:+\s])(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!][^|]*)")
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

_GROUPS = frozenset({"config", "c", "mcp", "python"})
_ALONE = frozenset({"set", "allow", "permit", "grant", "install", "init", "add", "local", "use"})


def outputs(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files that a command writes besides those that writers of files are known to write."""
    known = _known(words[0].text)
    texts = [word.text for word in words[1:]]
    if known.settings is not None:
        return _settings(known.settings, texts)
    match known.output:
        case None:
            return _logs(known.runs, words, 1)
        case Output.CRONTAB:
            return () if "-l" in texts else (Word("/var/spool/cron"),)
        case Output.ADDRESS:
            return addressed(words[1:])
        case Output.EDITOR:
            return _named(_EDITOR_WRITES, texts)
        case Output.DATABASE:
            return _named(_DATABASE_WRITES, texts)
        case Output.SED:
            return _named(_SED_WRITES, texts)
        case Output.AWK:
            return tuple(
                Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one)
            )
        case Output.CODE:
            return _named(_OPENS, texts)
        case Output.FIRST_OPERAND:
            return _logs(known.runs, words, 1, first_operand=True)
        case Output.SUBCOMMAND:
            return _logs(known.runs, words, 2)


@lru_cache(maxsize=4096)
def _known(program: str) -> Program:
    """What is known about a program by its name, or else by its name without a version."""
    name = base_name(program)
    known = lookup(name)
    plain = lookup(versionless(name))
    return known if known.settings is not None or known.output is not None or plain.output is None else plain


def addressed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files among the addresses of `socat`."""
    found = ((word, match) for word in words for match in _ADDRESSED.finditer(word.text))
    return tuple(word._replace(text=match[1]) for word, match in found)


def _prints_to_file(program: str) -> bool:
    return any(">" in statement.partition("print")[2] for statement in _AWK_STATEMENT.split(program))


def _settings(settings: Settings, texts: list[str]) -> tuple[Word, ...]:
    words = set(settings.words.split())
    first = next((text for text in texts if not text.startswith("-")), "")
    changes = words.intersection(texts) if first in _GROUPS else {first} & words & _ALONE
    files = settings.files.split() if changes else ()
    return tuple(Word(file, tilde=file.startswith("~")) for file in files)


def _named(shape: re.Pattern[str], texts: list[str]) -> tuple[Word, ...]:
    """The files that a pattern finds in texts, by whichever of its groups."""
    found = [match for text in texts for match in shape.finditer(text)]
    files = (value for match in found for value in match.groups() if value and value not in _MARKS)
    return tuple(Word(file.strip()) for file in files)


def _logs(
    runs: RunEntry | None, words: tuple[Word, ...], at: int, *, first_operand: bool = False
) -> tuple[Word, ...]:
    """What a program that runs another one writes itself: its own options, not those of what it runs."""
    if isinstance(runs, RunCommands) and at > 1:
        # All sub-commands take the same options.
        runs = next(iter(runs.commands.values()))
    if not isinstance(runs, Runs):
        return ()
    own = Options(runs.options, words, at)
    own.skip()
    files = tuple(option.value for option in own.values(">"))
    return (*files, *words[own.at : own.at + 1]) if first_operand else files
