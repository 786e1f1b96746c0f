"""A group of commands that is gentle with a mistaken name."""

from difflib import get_close_matches

import click

_ALIKE = 0.7
"""How alike two names are before one is taken for a slip of the other; `pause` is no slip of `user`."""


class Group(click.Group):
    """A group that says what was meant, or where its commands are listed."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a person wrote; a name that is none of ours gets a hint."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            near = get_close_matches(args[0], names, 1, _ALIKE)
            hint = f"did you mean `{near[0]}`?" if near else f"`{ctx.command_path} --help` lists them"
            ctx.fail(f"there is no command `{args[0]}`; {hint}")
        return super().resolve_command(ctx, args)
