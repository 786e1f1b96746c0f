"""`assent config` and `assent init`: explain and trust policy files, and write a first one."""

import json
import os
import sys
from collections.abc import Iterator

import click

from assent.cli.base.command import CommandGroup
from assent.cli.base.decider import current_config_paths, load_current_policy
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.cli.packs import describe_fitting_packs
from assent.config.files import read_source
from assent.config.findings import find_untrusted_code
from assent.config.layers import loosening_changes, read_layers
from assent.config.paths import ConfigPaths
from assent.config.policy import Policy
from assent.config.repository import Trust, find_repository, load_trust, save_trust
from assent.config.workspace import directories_on_disk
from assent.engine.policy.rule import Layer
from assent.errors import AssentError, ConfigError

_CONFIG_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "config")
TEMPLATE_FILE = os.path.join(_CONFIG_PACKAGE, "template.toml")
SCHEMA_FILE = os.path.join(_CONFIG_PACKAGE, "assent.schema.json")


@click.group(name="config", cls=CommandGroup)
def config_commands() -> None:
    """Show where each setting comes from; trust a repository."""


@config_commands.command(name="explain")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def explain_settings(*, as_json: bool) -> None:
    """Show each setting of this directory and the layer that it comes from."""
    paths = current_config_paths()
    policy = load_current_policy(paths)
    rows = [*_setting_rows(policy, paths), *_rule_rows(policy), *_tier_rows(policy), *_tool_rows(policy)]
    if as_json:
        values = [dict(zip(("name", "value", "layer", "source"), row, strict=True)) for row in rows]
        click.echo(json.dumps({"values": values, "held_back": list(policy.held_back)}))
        return
    widths = [max(len(visible_text(row[column])) for row in rows) + 2 for column in range(3)]
    for row in rows:
        cells = [f"{visible_text(cell):<{width}}" for cell, width in zip(row, widths, strict=False)]
        click.echo(f"{''.join(cells)}{with_style(visible_text(row[3]), Style.FAINT)}".rstrip())
    for change in policy.held_back:
        click.echo(f"held back: {visible_text(change)}")


@config_commands.command(name="trust")
def trust_current_repository() -> None:
    """Trust the policy files, the Git configuration and other files that name code, as they are now.

    Shows what they would loosen; a person at a terminal must confirm each file.
    """
    paths = current_config_paths()
    before = load_trust(paths.trust_file)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # If an agent could confirm this, it could extend its own rights.
        raise AssentError("only a person at a terminal can trust a repository; run this in a terminal")
    after = _trust_git_repository(_trust_policy_files(before, paths), paths)
    after = _trust_code_files(after, paths)
    if after == before:
        click.echo("nothing new is trusted")
        return
    save_trust(paths.trust_file, after)
    click.echo(f"saved in {visible_text(paths.trust_file)}; a changed file must be trusted again")


@click.command(name="init")
@click.option("--user", is_flag=True, help="write your own file instead of the repository's")
@click.option("--force", is_flag=True, help="overwrite an existing file")
def write_policy_file(*, user: bool, force: bool) -> None:
    """Write a commented policy file and its JSON schema."""
    paths = current_config_paths()
    path = paths.user_file if user else paths.project_file
    if os.path.lexists(path) and not force:
        raise ConfigError(path, "it exists already; `--force` overwrites it")
    directory = os.path.dirname(path)
    copies = {path: TEMPLATE_FILE, os.path.join(directory, "assent.schema.json"): SCHEMA_FILE}
    for target, original in copies.items():
        _write_and_print_path(target, read_source(original).data)
    if not user:
        _write_and_print_path(os.path.join(directory, ".gitignore"), b"config.local.toml\n")
    if offer := describe_fitting_packs(paths.root):
        click.echo(offer)


def _trust_policy_files(trust: Trust, paths: ConfigPaths) -> Trust:
    policy = load_current_policy(paths)
    for layer, file, is_trusted in read_layers(paths, trust):
        if layer not in (Layer.PROJECT, Layer.LOCAL) or is_trusted:
            continue
        changes = list(loosening_changes(policy, file))
        if not changes:
            continue
        click.echo(f"{visible_text(file.source.path)} would loosen:")
        for change in changes:
            click.echo(f"  {visible_text(change)}")
        if click.confirm("Trust this file as it is now?", default=False):
            trust = trust.with_file(file.source.path, file.source.digest)
    return trust


def _trust_git_repository(trust: Trust, paths: ConfigPaths) -> Trust:
    repository = find_repository(paths.cwd)
    if repository is None or trust.trusts_repository(repository):
        return trust
    click.echo(
        f"{visible_text(repository.directory)} can name programs that Git runs, even when it only reads."
    )
    if click.confirm("Trust its configuration, attributes and hooks as they are now?", default=False):
        return trust.with_repository(repository)
    return trust


def _trust_code_files(trust: Trust, paths: ConfigPaths) -> Trust:
    """Offer to trust each file that can make a program run code, with its current content."""
    directories = directories_on_disk(paths.cwd, (paths.root,), paths.home)
    for path, (what, digest) in find_untrusted_code(paths.cwd, directories, trust).items():
        click.echo(f"{visible_text(path)} can make programs run code: {visible_text(what)}.")
        if click.confirm("Trust this file as it is now?", default=False):
            trust = trust.with_file(path, digest)
    return trust


def _setting_rows(policy: Policy, paths: ConfigPaths) -> Iterator[tuple[str, str, str, str]]:
    options = policy.options
    values = {
        "preset": policy.preset,
        "mode": policy.mode_word or "none",
        "fallback": policy.fallback.word,
        "claude_settings": str(policy.claude_settings).lower(),
        "reads_bypass_rules": str(options.reads_bypass_rules).lower(),
        "strip_privilege_wrappers": "strip" if options.strip_privilege_wrappers else "ask",
        "shell_edits": str(options.shell_edits).lower(),
        "attended": str(policy.attended).lower(),
        "keep_arguments_days": str(policy.keep_arguments_days),
    }
    names_in_files = {"strip_privilege_wrappers": "privilege_wrappers"}
    for key, value in values.items():
        layer, source = policy.origin(key)
        yield names_in_files.get(key, key), value, layer, source
    yield "workspace", paths.root, "found", "from the current directory"
    yield from (("workspace", root, "files", "roots") for root in policy.roots)


def _rule_rows(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    for kind, rules in policy.rules.items():
        yield from ((kind.value, rule.text, rule.layer.value, rule.source) for rule in rules)


def _tier_rows(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    for (agent, tool), setting in policy.tiers.items():
        yield "tier", f"{agent}, {tool}: {setting.tier}", "files", ""


def _tool_rows(policy: Policy) -> Iterator[tuple[str, str, str, str]]:
    from assent.config.tools import KNOWN_TOOLS

    for name, tool in policy.tools.items():
        if KNOWN_TOOLS.get(name) != tool:
            yield "tool", f"{name}: {tool.effect}, {tool.dialect}", "files", ""


def _write_and_print_path(path: str, data: bytes) -> None:
    """Write a file that only its owner may change, and print its path."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o644)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {(error.strerror or 'it failed').lower()}") from None
    click.echo(f"wrote {visible_text(path)}")
