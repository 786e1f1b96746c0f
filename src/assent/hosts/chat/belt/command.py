"""`run_command`: a line of shell, in the workspace, with a clean environment and a time limit."""

import os
import shutil
from collections.abc import Iterable, Mapping

from assent.engine.facts import is_inside
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.process import Ended, run_group
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

SECONDS = 120
MOST_SECONDS = 1_800

KEPT = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME TZ".split()
)
"""The variables that a command gets; keys and tokens are not among them."""
SET = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    # A repository's own configuration must not name a program that a mere `git status` starts.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}

_PARAMETERS = schema.record(
    {"command": schema.text("The command line, as bash reads it.", minLength=1)},
    {
        "seconds": schema.number(
            f"How long it may take; {SECONDS} by default, then it is ended.", least=1, most=MOST_SECONDS
        )
    },
)


def run_command(*, more: Iterable[str] = (), environ: Mapping[str, str] = os.environ) -> BeltTool | None:
    """The tool that runs a line of shell; None on a machine without bash."""
    bash = shutil.which("bash", path=environ.get("PATH"))
    if bash is None:
        return None
    environment = scrubbed(environ, more)

    async def work(args: Arguments, context: Context) -> Result:
        seconds = args.number("seconds", SECONDS)
        try:
            ended = await run_group(
                # `+B` and the like would change what was decided on: bash starts as it always does.
                [bash, "--norc", "--noprofile", "-c", args.text("command")],
                cwd=_directory(context),
                environment=environment,
                seconds=seconds,
                most=context.limits.characters * 9 // 10,
                progress=context.progress,
            )
        except (OSError, ValueError) as error:
            raise FaultError(f"the command could not be started: {error}") from None
        return _result(ended, seconds)

    description = (
        "Run a command line with bash in the current directory of the workspace. "
        "It gets no input; what it leaves running is ended."
    )
    # Its own limit rules; the general one only catches what that could not end.
    tool = belt_tool("run_command", description, _PARAMETERS)
    return BeltTool(tool=tool, work=work, seconds=MOST_SECONDS + 30)


def scrubbed(environ: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a command: what is known to be harmless, what an operator named, and our own."""
    kept = KEPT | frozenset(more)
    return {**{name: value for name, value in environ.items() if name in kept}, **SET}


def _directory(context: Context) -> str:
    cwd = context.place.cwd
    if os.path.realpath(cwd) != os.path.normpath(cwd) or not is_inside(cwd, context.place):
        raise FaultError(f"the current directory `{cwd}` is not in the workspace any more")
    return cwd


def _result(ended: Ended, seconds: int) -> Result:
    said = ended.output.text.rstrip("\n") or "(no output)"
    data = {"status": ended.status, "bytes": ended.output.total}
    if ended.status is None:
        return Result(text=f"{said}\n(ended after {seconds} seconds)", data=data, failed=True)
    if ended.status:
        return Result(text=f"{said}\n(exit status {ended.status})", data=data, failed=True)
    return Result(text=said, data=data)
