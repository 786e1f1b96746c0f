"""The tools of GitHub run the `gh` that is installed; no value can become an option of it."""

import json
import stat
import sys
from pathlib import Path

import pytest

from assent.errors import AssentError, InputError
from assent.hosts.claude.github import GITHUB_TOOLS, GitHub, find_gh, gh_words

RECORDING = """#!{python}
import json, sys
open({log!r}, "a").write(json.dumps(sys.argv[1:]) + "\\n")
if "--title=fail" in sys.argv:
    sys.exit("gh: no access")
print('[{{"number": 1}}]' if "list" in sys.argv else "https://example.org/issues/1")
"""


@pytest.fixture
def gh_program(tmp_path: Path) -> Path:
    program = tmp_path / "gh"
    program.write_text(RECORDING.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (
            "gh_create_issue",
            {"title": "--web", "body": "b", "labels": ["a", "-b"], "milestone": "M"},
            ["issue", "create", "--title=--web", "--body=b", "--label=a", "--label=-b", "--milestone=M"],
        ),
        (
            "gh_list_issues",
            {"state": "all", "limit": 5},
            ["issue", "list", "--json=number,title,labels,state,assignees,url", "--state=all", "--limit=5"],
        ),
        ("gh_close_issue", {"issue_number": 3, "comment": "ok"}, ["issue", "close", "3", "--comment=ok"]),
        (
            "gh_update_issue",
            {"issue_number": 3, "add_labels": ["x"], "remove_labels": ["y"], "assignee": "me"},
            ["issue", "edit", "3", "--add-label=x", "--remove-label=y", "--add-assignee=me"],
        ),
        ("gh_add_comment", {"issue_number": 3, "body": "-h"}, ["issue", "comment", "3", "--body=-h"]),
    ],
)
def test_each_tool_has_its_command(tool: str, arguments: dict[str, object], words: list[str]) -> None:
    assert gh_words(tool, arguments) == words
    assert gh_words(tool, arguments, "acme/shop") == [*words, "--repo=acme/shop"]


def test_milestones_are_reached_through_the_api() -> None:
    made = gh_words("gh_create_milestone", {"title": "M1", "due_date": "2027-01-01"}, "acme/shop")

    assert made == [
        "api",
        "--method=POST",
        "repos/acme/shop/milestones",
        "--raw-field=title=M1",
        "--raw-field=due_on=2027-01-01",
    ]
    assert gh_words("gh_list_milestones", {}) == ["api", "--method=GET", "repos/{owner}/{repo}/milestones"]


@pytest.mark.parametrize("number", [0, -1, "3; rm", True, None])
def test_an_issue_is_a_number(number: object) -> None:
    with pytest.raises(InputError, match="issue_number"):
        gh_words("gh_close_issue", {"issue_number": number})


async def test_the_program_that_is_found_is_run(gh_program: Path, tmp_path: Path) -> None:
    github = GitHub(str(gh_program), str(tmp_path))

    assert await github.run("gh_list_issues", {}) == [{"number": 1}]
    assert await github.run("gh_create_issue", {"title": "a", "body": "b"}) == "https://example.org/issues/1"
    with pytest.raises(AssentError, match="gh failed: gh: no access"):
        await github.run("gh_create_issue", {"title": "fail", "body": "b"})
    assert json.loads((tmp_path / "log").read_text().splitlines()[0])[:2] == ["issue", "list"]


def test_gh_is_found_on_the_path(gh_program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(gh_program.parent))
    assert find_gh() == str(gh_program)
    monkeypatch.setenv("PATH", "/nonexistent")
    assert find_gh() == ""
    assert len(GITHUB_TOOLS) == 7
