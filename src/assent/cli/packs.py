"""`assent rules packs`, `add-pack` and `remove-pack`: list the shipped packs, and turn them on and off."""

import os
import re
import sys
from collections.abc import Iterable

import click

from assent.cli.base.decider import current_config_paths
from assent.cli.base.terminal import visible_text
from assent.config.files import Source, read_source
from assent.config.paths import ConfigPaths
from assent.config.policy_file import read_policy_file
from assent.config.task_files import add_pins, find_changed_tasks, fitting_packs, load_pins
from assent.config.tools import KNOWN_TOOLS
from assent.config.workspace import directories_on_disk
from assent.config.written_calls import does_rule_match
from assent.engine.base.facts import DirectorySearch, Search
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.task_files import changed_tasks
from assent.engine.programs.packs import PACKS
from assent.errors import AssentError, ConfigError, UnknownWordError
from assent.hosts.hook.history import read_history_entries

PACK_WARNING = (
    "A pack lets the agent run code that it may just have edited, with your rights: "
    "tests, builds and tasks of the project are such code."
)
"""What a person must know before a pack is turned on."""
_ALLOW_LIST = re.compile(r"^allow\s*=\s*\[", re.MULTILINE)
_ALLOW_TABLE = re.compile(r"^\[\[allow\]\]", re.MULTILINE)


@click.command(name="packs")
def list_packs() -> None:
    """List the shipped packs: which are on, fit this directory, or would have avoided questions."""
    paths = current_config_paths()
    fitting = fitting_packs(os.getcwd())
    asked = _asked_commands(paths)
    text = read_source(paths.user_file).text if os.path.lexists(paths.user_file) else ""
    width = max(map(len, PACKS)) + 2
    for name, pack in PACKS.items():
        notes = ["on"] if f'"{pack_rule(name)}"' in text else []
        notes += ["fits this project"] if name in fitting else []
        avoided = count_avoided_questions(name, asked)
        notes += (
            [f"would have avoided {avoided} of {len(asked)} questions of your history"] if avoided else []
        )
        click.echo(
            f"{name:<{width}}{pack.purpose}{'  (' if notes else ''}{', '.join(notes)}{')' if notes else ''}"
        )


@click.command(name="add-pack")
@click.argument("name")
def add_pack(name: str) -> None:
    """Allow the commands of the pack NAME in your own policy file, with the tasks as they are defined now.

    Only a person can do this. After a change of these definitions, do it again, or answer a question.
    """
    _check_name(name)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # If an agent could confirm this, it could extend its own rights.
        raise AssentError("only a person at a terminal can turn on a pack; run this in a terminal")
    paths = current_config_paths()
    pack = PACKS[name]
    click.echo(f"The pack `{name}` allows: {pack.purpose}.")
    click.echo(f"It allows, for example, {', '.join(f'`{one}`' for one in pack.match)}.")
    click.echo(f"It never allows, for example, {', '.join(f'`{one}`' for one in pack.never)}.")
    tasks = unapproved_tasks(paths, name)
    if tasks:
        shown = ", ".join(visible_text(os.path.relpath(path, paths.root)) for path in tasks)
        click.echo(f"These files define what the commands run, and are approved as they are now: {shown}.")
    if asked := _asked_commands(paths):
        avoided = count_avoided_questions(name, asked)
        click.echo(f"It would have avoided {avoided} of the {len(asked)} questions of your history.")
    click.echo(PACK_WARNING)
    if not click.confirm("Turn it on?", default=False):
        return
    add_pins(paths.pins_file, tasks)
    path = save_pack_rule(paths, name)
    click.echo(f"saved in {visible_text(path)}")


@click.command(name="remove-pack")
@click.argument("name")
def remove_pack(name: str) -> None:
    """Remove the rule of the pack NAME from your own policy file."""
    _check_name(name)
    path = current_config_paths().user_file
    text = read_source(path, guarded=True).text if os.path.lexists(path) else ""
    changed = remove_allow_rule(text, pack_rule(name))
    if changed == text:
        click.echo(f"the pack `{name}` is not in {visible_text(path)}")
        return
    if f'"{pack_rule(name)}"' in changed:
        raise ConfigError(
            path, f"the rule `{pack_rule(name)}` could not be removed; remove it with an editor"
        )
    _write_policy(path, changed)
    click.echo(f"removed from {visible_text(path)}")


def pack_rule(name: str) -> str:
    """The text of the allow rule of a pack."""
    return f"Bash({PACK_SIGN}{name})"


def count_avoided_questions(name: str, asked: Iterable[str]) -> int:
    """How many of these commands a pack allows."""
    rule = parse_rule(pack_rule(name))
    return sum(does_rule_match(rule, RuleList.ALLOW, command, KNOWN_TOOLS) for command in asked)


def unapproved_tasks(paths: ConfigPaths, name: str) -> dict[str, str]:
    """The task files of a pack for the current directory that are not approved, with their digests."""
    if not PACKS[name].tasks:
        return {}
    directories = directories_on_disk(paths.cwd, (paths.root,), paths.home)
    start = os.path.realpath(paths.cwd)
    found = find_changed_tasks(start, PACKS[name].tasks, load_pins(paths.pins_file), directories)
    key = DirectorySearch(Search(PACK_SIGN + name), start).key
    return {path: digest for path, digest in changed_tasks({key: found}).items() if digest}


def describe_fitting_packs(directory: str) -> str:
    """The sentences that offer the packs that fit a directory; empty if none fits."""
    names = fitting_packs(directory)
    if not names:
        return ""
    packs = ", ".join(f"`{name}`" for name in names)
    return f"Packs that fit this project: {packs}; `assent rules add-pack NAME` turns one on. {PACK_WARNING}"


def _check_name(name: str) -> None:
    if name not in PACKS:
        raise UnknownWordError("pack", name, tuple(PACKS))


def _asked_commands(paths: ConfigPaths) -> list[str]:
    """The commands of this project that the hook asked about, as far as the history has them."""
    return [
        one.command
        for one in read_history_entries(paths.data)
        if one.project == paths.root and one.verdict == "ask" and one.command and one.tool == "Bash"
    ]


def save_pack_rule(paths: ConfigPaths, name: str) -> str:
    """Add the allow rule of a pack to the user's policy file; return the path of the file."""
    path = paths.user_file
    text = read_source(path, guarded=True).text if os.path.lexists(path) else ""
    _write_policy(path, add_allow_rule(text, pack_rule(name)))
    return path


def _write_policy(path: str, text: str) -> None:
    """Replace a policy file by a valid one."""
    read_policy_file(Source(path, text.encode()), Layer.USER)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def add_allow_rule(text: str, rule: str) -> str:
    """The text of a policy file with one more allow rule; unchanged if the rule is there."""
    if f'"{rule}"' in text:
        return text
    if found := _ALLOW_LIST.search(text):
        return f'{text[: found.end()]}"{rule}", {text[found.end() :]}'
    if found := _ALLOW_TABLE.search(text):
        return f'{text[: found.start()]}[[allow]]\nrule = "{rule}"\n\n{text[found.start() :]}'
    return f'allow = ["{rule}"]\n{text}'


def remove_allow_rule(text: str, rule: str) -> str:
    """The text of a policy file without an allow rule; unchanged if the rule is not there."""
    quoted = re.escape(f'"{rule}"')
    table = re.compile(
        rf"^\[\[allow\]\]\s*\nrule\s*=\s*{quoted}[^\n]*\n(?:(?!\[)[^\n]*(?:\n|$))*", re.MULTILINE
    )
    text = table.sub("", text)
    return re.sub(rf"(?:,\s*{quoted}(?=\s*\]))|(?:{quoted}\s*,?[ \t]*)", "", text)
