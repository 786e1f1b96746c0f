"""`assent config`: where each value comes from, and what of a repository is trusted."""

import json
import sys
from collections.abc import Iterator

import click

from assent.cli.group import Group
from assent.cli.standpoint import here, load_standing_policy
from assent.cli.terminal import Style, paint, visible
from assent.config.joining import loosened
from assent.config.layers import read_layers
from assent.config.policy import Policy
from assent.config.repository import find_repository
from assent.config.trust import Trust, load_trust, save_trust
from assent.config.whereabouts import Whereabouts
from assent.engine.policy.rule import Layer
from assent.errors import AssentError


@click.group(cls=Group)
def config() -> None:
    """See where each value comes from; trust a repository."""


@config.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def explain(*, as_json: bool) -> None:
    """Show each value that holds here and the layer it comes from."""
    where = here()
    policy = load_standing_policy(where)
    rows = [*_values(policy, where), *_rules(policy), *_tiers(policy), *_own_tools(policy)]
    if as_json:
        found = [dict(zip(("name", "value", "layer", "source"), row, strict=True)) for row in rows]
        click.echo(json.dumps({"values": found, "held_back": list(policy.held_back)}))
        return
    widths = [max(len(visible(row[column])) for row in rows) + 2 for column in range(3)]
    for row in rows:
        cells = [f"{visible(cell):<{width}}" for cell, width in zip(row, widths, strict=False)]
        click.echo(f"{''.join(cells)}{paint(visible(row[3]), Style.FAINT)}".rstrip())
    for held in policy.held_back:
        click.echo(f"held back: {visible(held)}")


@config.command()
def trust() -> None:
    """Trust this repository's own policy files and its Git configuration, as they are now.

    What they would loosen is shown first, and a person at a terminal must say yes to each.
    """
    where = here()
    known = load_trust(where.trust_file)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # An agent that could answer this could widen its own rights.
        raise AssentError("trust is given by a person at a terminal; run this in one")
    given = _trust_repository(_trust_files(known, where), where)
    if given == known:
        click.echo("nothing new is trusted")
        return
    save_trust(where.trust_file, given)
    click.echo(f"remembered in {visible(where.trust_file)}; a change of any of it asks again")


def _trust_files(known: Trust, where: Whereabouts) -> Trust:
    policy = load_standing_policy(where)
    for layer, file, trusted in read_layers(where, known):
        if layer not in (Layer.PROJECT, Layer.LOCAL) or trusted:
            continue
        looser = list(loosened(policy, file))
        if not looser:
            continue
        click.echo(f"{visible(file.source.path)} would loosen:")
        for item in looser:
            click.echo(f"  {visible(item)}")
        if click.confirm("Trust this file as it is now?", default=False):
            known = known.with_file(file.source.path, file.source.digest)
    return known


def _trust_repository(known: Trust, where: Whereabouts) -> Trust:
    repository = find_repository(where.cwd)
    if repository is None or known.of_repository(repository):
        return known
    click.echo(f"{visible(repository.directory)} can name programs that Git runs, even when it only reads.")
    if click.confirm("Trust its configuration, attributes and hooks as they are now?", default=False):
        return known.with_repository(repository)
    return known


def _values(policy: Policy, where: Whereabouts) -> Iterator[tuple[str, str, str, str]]:
    options = policy.options
    named = {
        "preset": policy.preset,
        "mode": policy.mode_word or "none",
        "fallback": policy.fallback.word,
        "claude_settings": str(policy.claude_settings).lower(),
        "reads_bypass_rules": str(options.reads_bypass_rules).lower(),
        "strip_privilege_wrappers": "strip" if options.strip_privilege_wrappers else "ask",
        "attended": str(policy.attended).lower(),
        "keep_arguments_days": str(policy.keep_arguments_days),
    }
    shown = {"strip_privilege_wrappers": "privilege_wrappers"}
    for key, value in named.items():
        layer, source = policy.origin(key)
        yield shown.get(key, key), value, layer, source
    yield "workspace", where.root, "found", "from the current directory"
    yield from (("workspace", root, "files", "roots") for root in policy.roots)


def _rules(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    for kind, rules in policy.rules.items():
        yield from ((kind.value, rule.text, rule.layer.value, rule.source) for rule in rules)


def _tiers(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    for (agent, tool), assignment in policy.tiers.items():
        yield "tier", f"{agent}, {tool}: {assignment.tier}", "files", ""


def _own_tools(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    from assent.config.tools import KNOWN

    for name, tool in policy.tools.items():
        if KNOWN.get(name) != tool:
            yield "tool", f"{name}: {tool.effect}, {tool.dialect}", "files", ""
