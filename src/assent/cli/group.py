"""A group of commands that is gentle with a mistaken name."""

import click

_ALIKE = 0.7
"""How alike two names are before one is taken for a slip of the other; `user` and `pause` are none."""


class Group(click.Group):
    """A group that says what was meant, or where its commands are listed."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a person wrote; a name that is none of ours gets a hint."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            from assent.config.table import did_you_mean

            listed = f"; `{ctx.command_path} --help` lists them"
            ctx.fail(f"there is no command `{args[0]}`{did_you_mean(args[0], names, alike=_ALIKE) or listed}")
        return super().resolve_command(ctx, args)
