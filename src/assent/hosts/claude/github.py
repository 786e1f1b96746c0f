"""The issues and milestones of a repository on GitHub, through the program `gh` that the user installed."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from assent.errors import AssentError, InputError

_SECONDS = 60.0
_MAX_OUTPUT = 200_000
_ISSUE_FIELDS = "number,title,labels,state,assignees,url"
Arguments = Mapping[str, object]


class GitHub:
    """Runs `gh` in the repository, with the user's own sign-in."""

    def __init__(self, program: str, directory: str, repository: str = "") -> None:
        self._program = program
        self._directory = directory
        self._repository = repository

    async def run(self, tool: str, arguments: Arguments) -> object:
        """Run the command of a tool; returns its JSON, or its text."""
        words = gh_words(tool, arguments, self._repository)
        process = await asyncio.create_subprocess_exec(
            self._program,
            *words,
            cwd=self._directory,
            env={**os.environ, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(_SECONDS):
                out, err = await process.communicate()
        except TimeoutError:
            process.kill()
            raise AssentError(f"gh gave no answer within {_SECONDS:.0f} s") from None
        if process.returncode:
            reason = err.decode("utf-8", "replace").strip() or f"exit status {process.returncode}"
            raise AssentError(f"gh failed: {reason[:2000]}")
        text = out.decode("utf-8", "replace").strip()[:_MAX_OUTPUT]
        try:
            return cast("object", json.loads(text))
        except ValueError:
            return text


def find_gh() -> str:
    """The path of the program `gh`; empty if it is not installed."""
    return shutil.which("gh") or ""


def gh_words(tool: str, arguments: Arguments, repository: str = "") -> list[str]:
    """The words of a command; values are joined to their option, so that no value can become an option."""
    words = _COMMANDS[tool](arguments)
    if words[0] == "api":
        owner = repository or "{owner}/{repo}"
        return [word.replace("REPOSITORY", owner) for word in words]
    return [*words, *([f"--repo={repository}"] if repository else [])]


def _create_issue(arguments: Arguments) -> list[str]:
    return [
        "issue",
        "create",
        f"--title={_text_argument(arguments, 'title')}",
        f"--body={_text_argument(arguments, 'body', default='')}",
        *_option_words(arguments, label="labels", milestone="milestone", assignee="assignee"),
    ]


def _list_issues(arguments: Arguments) -> list[str]:
    return [
        "issue",
        "list",
        f"--json={_ISSUE_FIELDS}",
        *_option_words(arguments, label="labels", milestone="milestone", state="state", limit="limit"),
    ]


def _close_issue(arguments: Arguments) -> list[str]:
    return ["issue", "close", _issue_number(arguments), *_option_words(arguments, comment="comment")]


def _update_issue(arguments: Arguments) -> list[str]:
    changes = {
        "add-label": "add_labels",
        "remove-label": "remove_labels",
        "milestone": "milestone",
        "add-assignee": "assignee",
    }
    return ["issue", "edit", _issue_number(arguments), *_option_words(arguments, **changes)]


def _add_comment(arguments: Arguments) -> list[str]:
    return ["issue", "comment", _issue_number(arguments), f"--body={_text_argument(arguments, 'body')}"]


def _create_milestone(arguments: Arguments) -> list[str]:
    values = {"title": "title", "description": "description", "due_on": "due_date"}
    given = [
        f"--raw-field={name}={_text_argument(arguments, key)}"
        for name, key in values.items()
        if arguments.get(key)
    ]
    return ["api", "--method=POST", "repos/REPOSITORY/milestones", *given]


def _list_milestones(arguments: Arguments) -> list[str]:  # noqa: ARG001 - one signature for all
    return ["api", "--method=GET", "repos/REPOSITORY/milestones"]


_COMMANDS: Mapping[str, Callable[[Arguments], list[str]]] = {
    "gh_create_issue": _create_issue,
    "gh_list_issues": _list_issues,
    "gh_close_issue": _close_issue,
    "gh_update_issue": _update_issue,
    "gh_add_comment": _add_comment,
    "gh_create_milestone": _create_milestone,
    "gh_list_milestones": _list_milestones,
}
GITHUB_TOOLS = tuple(_COMMANDS)
"""The names of the tools that need `gh`."""


def _option_words(arguments: Arguments, **names: str) -> list[str]:
    """The options that have a value; a list becomes one option for each item."""
    found: list[str] = []
    for option, key in names.items():
        value = arguments.get(key)
        items = cast("Sequence[object]", value) if isinstance(value, list) else [value] if value else []
        found += [f"--{option.replace('_', '-')}={item}" for item in items]
    return found


def _text_argument(arguments: Arguments, key: str, default: str | None = None) -> str:
    value = arguments.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"`{key}` must be a text")
    return value


def _issue_number(arguments: Arguments) -> str:
    value = arguments.get("issue_number")
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError("`issue_number` must be a whole number above zero")
    return str(value)
