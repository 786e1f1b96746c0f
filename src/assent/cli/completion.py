"""`assent completion`: the script that makes a shell complete our commands."""

import click
from click.shell_completion import get_completion_class

from assent.cli import root

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    For bash, put `eval "$(assent completion bash)"` into ~/.bashrc.
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for `{shell}`")
    click.echo(found(root.group, {}, "assent", "_ASSENT_COMPLETE").source())
