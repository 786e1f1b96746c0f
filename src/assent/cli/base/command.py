"""What the commands are made of: groups of commands, the event loop, and extras that may be missing."""

from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from typing import TypeVar

import click

from assent.errors import AssentError

_MIN_SIMILARITY = 0.7
"""Minimum similarity of a suggested command to the unknown one; `user` and `pause` are not that similar."""

Result = TypeVar("Result")


def run_async(coroutine: Awaitable[Result]) -> Result:
    """Run the coroutine of a command in a new event loop."""
    import asyncio

    async def run_group() -> Result:
        return await coroutine

    return asyncio.run(run_group())


@contextmanager
def requires_extra(name: str) -> Generator[None]:
    """Wrap imports that need an optional extra; if a module is missing, the error names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise AssentError(f"{error.name} is not installed: pip install 'assent[{name}]'") from None


class CommandGroup(click.Group):
    """A group of commands that suggests the nearest name for an unknown command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name; the error for an unknown command contains a suggestion."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            from assent.config.table import did_you_mean

            hint = did_you_mean(args[0], names, similarity=_MIN_SIMILARITY)
            listed = f"; `{ctx.command_path} --help` lists the commands"
            ctx.fail(f"unknown command `{args[0]}`{hint or listed}")
        return super().resolve_command(ctx, args)
