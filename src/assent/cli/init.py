"""`assent init`: write a policy file that explains itself."""

import os

import click

from assent.cli.standpoint import here
from assent.cli.terminal import visible
from assent.config.source import read_source
from assent.errors import ConfigError

HERE = os.path.dirname(os.path.dirname(__file__))
TEMPLATE = os.path.join(HERE, "config", "template.toml")
SCHEMA = os.path.join(HERE, "config", "assent.schema.json")


@click.command()
@click.option("--user", is_flag=True, help="Write the person's own file instead of the repository's.")
@click.option("--force", is_flag=True, help="Write over a file that is there already.")
def init(*, user: bool, force: bool) -> None:
    """Write a commented policy file with its schema beside it."""
    where = here()
    path = where.user_file if user else where.project_file
    if os.path.lexists(path) and not force:
        raise ConfigError(path, "it exists already; `--force` writes over it")
    directory = os.path.dirname(path)
    written = {path: TEMPLATE, os.path.join(directory, "assent.schema.json"): SCHEMA}
    for target, original in written.items():
        _write(target, read_source(original).data)
        click.echo(f"wrote {visible(target)}")
    if not user:
        _write(os.path.join(directory, ".gitignore"), b"config.local.toml\n")
        click.echo(f"wrote {visible(os.path.join(directory, '.gitignore'))}")


def _write(path: str, data: bytes) -> None:
    """Write a file that only its owner may change."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o644)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {(error.strerror or 'it failed').lower()}") from None
