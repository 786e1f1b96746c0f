"""The table of all `assent` commands; the module of a command is imported when the command runs."""

import sys
from importlib import import_module

import click

from assent.cli.base.command import CommandGroup
from assent.cli.base.terminal import visible_text
from assent.errors import AssentError
from assent.version import __version__

COMMANDS = {
    "answer": ("assent.cli.approvals", "answer_approval", "allow or deny a call that waits for approval"),
    "audit": ("assent.cli.audit", "audit_commands", "search, verify, export or archive the audit log"),
    "check": ("assent.cli.root", "check_command", "decide one call or a batch of calls"),
    "claude": ("assent.cli.claude", "start_agent", "start one Claude Code agent behind the server"),
    "collections": (
        "assent.cli.collections",
        "collection_commands",
        "manage the documents that a chat can search",
    ),
    "completion": ("assent.cli.root", "print_completion_script", "print the completion script for a shell"),
    "config": (
        "assent.cli.config",
        "config_commands",
        "show where each setting comes from; trust a repository",
    ),
    "dashboard": ("assent.cli.dashboard", "run_dashboard", "answer questions at this terminal"),
    "db": ("assent.cli.db", "database_commands", "upgrade, check, back up or restore a database"),
    "demo": ("assent.cli.demo", "run_demo", "try the inbox with example agents; no API key is needed"),
    "doctor": ("assent.cli.doctor", "check_installation", "check the installation and suggest fixes"),
    "grants": ("assent.cli.policy", "grant_commands", "list and revoke standing approvals"),
    "history": ("assent.cli.history", "show_history", "show what the hook decided without a server"),
    "hook": ("assent.cli.hook.commands", "hook_commands", "put Assent in front of Claude Code"),
    "init": ("assent.cli.config", "write_policy_file", "write a commented policy file"),
    "login": (
        "assent.cli.user",
        "create_login_link",
        "print a new log-in link; run it on the server's machine",
    ),
    "modes": ("assent.cli.rules", "print_modes", "print what each mode does with each effect"),
    "pause": ("assent.cli.policy", "pause_agents", "pause every agent; only reads continue"),
    "pending": ("assent.cli.approvals", "show_pending", "list the calls that wait for approval"),
    "resume": ("assent.cli.policy", "resume_agents", "resume every agent after a pause"),
    "rules": ("assent.cli.rules", "rule_commands", "test the rules of a file; explain a rule"),
    "serve": ("assent.cli.serve", "serve", "run the server for agents, people and the web page"),
    "tiers": ("assent.cli.policy", "tier_commands", "list and set what each agent may do with each tool"),
    "tools": (
        "assent.cli.policy",
        "tool_commands",
        "list tools whose definition changed; accept a definition",
    ),
    "token": (
        "assent.cli.token",
        "token_commands",
        "create, list and revoke tokens of people, agents and services",
    ),
    "up": ("assent.cli.up", "start_fleet", "start a fleet of Claude Code agents from a fleet file"),
    "user": ("assent.cli.user", "user_commands", "create people, set their roles, disable and enable them"),
    "workspace": (
        "assent.cli.workspace",
        "workspace_commands",
        "register the directories that agents work in",
    ),
}
"""Module, attribute and purpose of each command; `--help` reads this table instead of importing modules."""

COMPLETION_SHELLS = ("bash", "zsh", "fish")


def run_root(words: list[str]) -> int:
    """Run a command with its arguments; return its exit status."""
    try:
        status = root_group.main(args=words or ["--help"], prog_name="assent", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.UsageError as error:
        if error.ctx is not None:
            print(error.ctx.get_usage(), file=sys.stderr)
        print(f"assent: {_error_in_one_line(error)}", file=sys.stderr)
        return 2
    except click.ClickException as error:
        print(f"assent: {_error_in_one_line(error)}", file=sys.stderr)
        return 2
    except click.Abort:
        print(file=sys.stderr)
        return 130
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except SystemExit:
        # Click raises this if the reader of standard output has exited; we use another exit status.
        raise BrokenPipeError from None
    return status if isinstance(status, int) else 0


class _LazyGroup(CommandGroup):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        try:
            command = getattr(import_module(module), name)
        except AssentError:
            if ctx.resilient_parsing:  # Omit a command from shell completion if its extra is not installed.
                return None
            raise
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with their purposes, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, _, purpose) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assent", message="%(prog)s %(version)s")
def root_group() -> None:
    """Assent decides what happens to a tool call of an agent: run it, ask a person, or deny it."""


class _CheckCommand(click.Command):
    """The click command for `check`, for its help, its error messages and shell completion."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Build the parameters from the table that `parse_plain_options` also uses."""
        from assent.cli.check import OPTIONS

        options = [
            click.Option(
                [f"--{one.name}"], is_flag=not one.metavar, metavar=one.metavar or None, help=one.help
            )
            for one in OPTIONS
        ]
        return [click.Argument(["call"], required=False), *options, *super().get_params(ctx)]

    def invoke(self, ctx: click.Context) -> int:
        """Run a command line that `parse_plain_options` cannot parse."""
        from assent.cli.check import CheckOptions, run_check

        return run_check(CheckOptions(**ctx.params))


check_command = _CheckCommand(
    "check",
    help="Decide a call by the policy of this directory. CALL is `Tool` or `Tool(specifier)`.",
    epilog="Exit status: 0 run, 3 deny or absent, 4 ask, 2 nothing was decided.",
)


@click.command(name="completion")
@click.argument("shell", type=click.Choice(COMPLETION_SHELLS))
def print_completion_script(shell: str) -> None:
    """Print the completion script for SHELL.

    For bash, add `eval "$(assent completion bash)"` to ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for `{shell}`")
    click.echo(found(root_group, {}, "assent", "_ASSENT_COMPLETE").source())


def _error_in_one_line(error: click.ClickException) -> str:
    """Join click's message, which lists choices on separate lines, into one line."""
    return visible_text(error.format_message().replace("\n\t", " "))
