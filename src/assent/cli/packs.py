"""`assent rules packs` and `assent rules add-pack`: list the shipped packs, and allow the commands of one."""

import os
import re
import sys

import click

from assent.cli.base.decider import current_config_paths
from assent.cli.base.terminal import visible_text
from assent.config.files import Source, read_source
from assent.config.paths import ConfigPaths
from assent.config.policy_file import read_policy_file
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import Layer
from assent.engine.programs.packs import PACKS
from assent.errors import AssentError, UnknownWordError

PACK_WARNING = (
    "A pack lets the agent run code that it may just have edited, with your rights: "
    "tests, builds and tasks of the project are such code."
)
"""What a person must know before a pack is turned on."""
_ALLOW_LIST = re.compile(r"^allow\s*=\s*\[", re.MULTILINE)
_ALLOW_TABLE = re.compile(r"^\[\[allow\]\]", re.MULTILINE)


@click.command(name="packs")
def list_packs() -> None:
    """List the shipped packs of rules, and those that fit the files of this directory."""
    fitting = fitting_packs(os.getcwd())
    width = max(map(len, PACKS)) + 2
    for name, pack in PACKS.items():
        mark = "  fits this project" if name in fitting else ""
        click.echo(f"{name:<{width}}{pack.purpose}{mark}")


@click.command(name="add-pack")
@click.argument("name")
def add_pack(name: str) -> None:
    """Allow the commands of the pack NAME in your own policy file; only a person can do this."""
    if name not in PACKS:
        raise UnknownWordError("pack", name, tuple(PACKS))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # If an agent could confirm this, it could extend its own rights.
        raise AssentError("only a person at a terminal can turn on a pack; run this in a terminal")
    pack = PACKS[name]
    click.echo(f"The pack `{name}` allows: {pack.purpose}.")
    click.echo(f"It allows, for example, {', '.join(f'`{one}`' for one in pack.match)}.")
    click.echo(f"It never allows, for example, {', '.join(f'`{one}`' for one in pack.never)}.")
    click.echo(PACK_WARNING)
    if not click.confirm("Turn it on?", default=False):
        return
    path = save_pack_rule(current_config_paths(), name)
    click.echo(f"saved in {visible_text(path)}")


def fitting_packs(directory: str) -> list[str]:
    """The packs whose files are present in a directory."""
    return [
        name
        for name, pack in PACKS.items()
        if any(os.path.lexists(os.path.join(directory, file)) for file in pack.files)
    ]


def save_pack_rule(paths: ConfigPaths, name: str) -> str:
    """Add the allow rule of a pack to the user's policy file; return the path of the file."""
    path = paths.user_file
    text = read_source(path, guarded=True).text if os.path.lexists(path) else ""
    changed = add_allow_rule(text, f"Bash({PACK_SIGN}{name})")
    read_policy_file(Source(path, changed.encode()), Layer.USER)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(changed)
    os.replace(temporary, path)
    return path


def add_allow_rule(text: str, rule: str) -> str:
    """The text of a policy file with one more allow rule; unchanged if the rule is there."""
    if f'"{rule}"' in text:
        return text
    if found := _ALLOW_LIST.search(text):
        return f'{text[: found.end()]}"{rule}", {text[found.end() :]}'
    if found := _ALLOW_TABLE.search(text):
        return f'{text[: found.start()]}[[allow]]\nrule = "{rule}"\n\n{text[found.start() :]}'
    return f'allow = ["{rule}"]\n{text}'
