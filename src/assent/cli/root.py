"""The commands by name; each is loaded when it is called for."""

import sys
from importlib import import_module

import click

from assent import __version__
from assent.cli.group import Group
from assent.cli.terminal import visible
from assent.errors import AssentError

COMMANDS = {
    "answer": ("assent.cli.answer", "answer", "say yes or no to a question, for once or for longer"),
    "audit": ("assent.cli.audit", "audit", "look through what was decided, verify it, archive it"),
    "check": ("assent.cli.root", "check_command", "decide a call, or a batch of them"),
    "collections": ("assent.cli.collections", "collections", "put documents where a chat can ask them"),
    "completion": ("assent.cli.completion", "completion", "print the completion script of a shell"),
    "config": ("assent.cli.config", "config", "see where each value comes from; trust a repository"),
    "db": ("assent.cli.db", "db", "upgrade, check, back up or restore a database"),
    "demo": ("assent.cli.demo", "demo", "try the inbox with example agents, without a key"),
    "doctor": ("assent.cli.doctor", "doctor", "see what is installed and readable, and what to do"),
    "grants": ("assent.cli.grants", "grants", "see what was said yes to for longer; end it"),
    "init": ("assent.cli.init", "init", "write a commented policy file"),
    "login": ("assent.cli.login", "login", "print a new log-in link, on the server's own machine"),
    "modes": ("assent.cli.modes", "modes", "print what each mode does with each effect"),
    "pause": ("assent.cli.pause", "pause", "let every call wait that does more than read, on every pod"),
    "pending": ("assent.cli.pending", "pending", "list the questions that wait for a person"),
    "rules": ("assent.cli.rules", "rules", "test the rules of a file; explain a rule"),
    "serve": ("assent.cli.serve", "serve", "run the server that agents, people and pages talk to"),
    "tiers": ("assent.cli.tiers", "tiers", "see and set what each agent may do with each tool"),
    "tools": ("assent.cli.tools", "tools", "see which tools changed their definition; accept it"),
    "token": ("assent.cli.token", "token", "make, list and revoke the tokens of people, agents, services"),
    "unpause": ("assent.cli.pause", "unpause", "let agents go on after a pause"),
    "user": ("assent.cli.user", "user", "add people, say what they may do, shut them out"),
}
"""Where each command is, and what it is for, so that the list needs none of them."""


def root(words: list[str]) -> int:
    """Run any command but `check`, which has a shorter way."""
    try:
        status = group.main(args=words or ["--help"], prog_name="assent", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.UsageError as error:
        if error.ctx is not None:
            print(error.ctx.get_usage(), file=sys.stderr)
        print(f"assent: {_one_line(error)}", file=sys.stderr)
        return 2
    except click.ClickException as error:
        print(f"assent: {_one_line(error)}", file=sys.stderr)
        return 2
    except click.Abort:
        print(file=sys.stderr)
        return 130
    except click.exceptions.Exit as done:
        return done.exit_code
    except SystemExit:
        # So click ends when whoever read our output is gone; for us that has a status of its own.
        raise BrokenPipeError from None
    return status if isinstance(status, int) else 0


def _one_line(error: click.ClickException) -> str:
    """What click has to say; it lists choices on lines of their own, which would show as escapes."""
    return visible(error.format_message().replace("\n\t", " "))


class _LazyGroup(Group):
    """A group that knows its commands' names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own shape
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        try:
            command = getattr(import_module(module), name)
        except AssentError:
            if ctx.resilient_parsing:  # Whoever only completes a word is not told what to install.
                return None
            raise
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with what they are for, again without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, _, purpose) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assent", message="%(prog)s %(version)s")
def group() -> None:
    """Assent decides what an agent's tool call may do: run, ask a person, or be denied."""


def _check_options() -> list[click.Parameter]:
    from assent.cli.check import OPTIONS

    found: list[click.Parameter] = [click.Argument(["call"], required=False)]
    for name, settings in OPTIONS:
        is_flag = settings.get("action") == "store_true"
        found.append(
            click.Option([name], is_flag=is_flag, metavar=settings.get("metavar"), help=settings["help"])
        )
    return found


class _CheckCommand(click.Command):
    """`check` as the other commands' parser sees it: for the list of commands and for completion."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*_check_options(), *super().get_params(ctx)]


check_command = _CheckCommand("check", help="Decide a call by the policy that holds in this directory.")
