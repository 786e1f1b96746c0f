"""Writing files and changing fields: only if the current value is the expected one."""

import json
import os
import resource
import signal
import stat
import tomllib
from pathlib import Path

import pytest

from assent.gate.ports import DryRunResult
from assent.hosts.chat.tools.file_changes import ABSENT, apply_change_tool, text_digest, write_file_tool
from assent.hosts.chat.tools.records import (
    MISSING,
    change_toml_value,
    parse_field_path,
    record_with_value,
    value_at_path,
)
from assent.hosts.chat.tools.tool import Arguments, ChatTool, ToolError
from tests.hosts.chat.tools.support import make_context, make_limits, succeeded_and_text, workspace

PACKAGE = '{\n  "name": "reed",\n  "version": "1.0.0",\n  "tags": ["a", "b"]\n}\n'
CONFIG = """\
# our settings
title = "reed" # shown at the top
[server]
port = 8080
hosts = [
  "a",
  "b",
]

[server.tls]
on = false
"""


async def test_a_json_field_is_changed_and_the_rest_stays_the_same(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "package.json").write_text(PACKAGE, "utf-8")
    changes = [
        {"field": "version", "before": "1.0.0", "after": "1.1.0"},
        {"field": "tags.1", "before": "b"},
        {"field": "author.name", "after": "Ana"},
    ]

    result = await apply_change_tool().run_call(
        {"path": "package.json", "changes": changes}, make_context(root)
    )

    assert not result.failed
    assert result.data["fields"] == [
        {"field": "version", "before": "1.0.0", "after": "1.1.0"},
        {"field": "tags.1", "before": "b"},
        {"field": "author.name", "after": "Ana"},
    ]
    assert json.loads((root / "package.json").read_text("utf-8")) == {
        "name": "reed",
        "version": "1.1.0",
        "tags": ["a"],
        "author": {"name": "Ana"},
    }


async def test_a_toml_field_is_changed_and_all_comments_stay(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "c.toml").write_text(CONFIG, "utf-8")
    changes = [
        {"field": "title", "after": "heron # 2"},
        {"field": "server.port", "before": 8080, "after": 9090},
        {"field": "server.tls.on", "after": True},
        {"field": "server.tls.key", "after": {"file": "k"}},
        {"field": "logs.level", "after": "info"},
    ]

    result = await apply_change_tool().run_call({"path": "c.toml", "changes": changes}, make_context(root))

    text = (root / "c.toml").read_text("utf-8")
    assert not result.failed, result.text
    assert tomllib.loads(text) == {
        "title": "heron # 2",
        "server": {"port": 9090, "hosts": ["a", "b"], "tls": {"on": True, "key": {"file": "k"}}},
        "logs": {"level": "info"},
    }
    assert text.startswith('# our settings\ntitle = "heron # 2" # shown at the top\n[server]\nport = 9090\n')


async def test_a_text_is_replaced_only_if_it_occurs_once(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.md").write_text("one two two\n", "utf-8")
    context = make_context(root)

    done = await apply_change_tool().run_call(
        {"path": "a.md", "changes": [{"before": "one", "after": "1"}]}, context
    )
    twice = await apply_change_tool().run_call(
        {"path": "a.md", "changes": [{"before": "two", "after": "2"}]}, context
    )

    assert succeeded_and_text(done) == (True, "done: change a.md: +1 -1 lines")
    assert succeeded_and_text(twice) == (
        False,
        "the passage occurs 2 times in `a.md`; it must occur once",
    )
    assert (root / "a.md").read_text("utf-8") == "1 two two\n"


@pytest.mark.proves("R001-44")
async def test_a_change_with_an_outdated_expected_value_is_refused(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "package.json").write_text(PACKAGE, "utf-8")
    changes = [{"field": "name", "after": "x"}, {"field": "version", "before": "0.9", "after": "1.1.0"}]

    result = await apply_change_tool().run_call(
        {"path": "package.json", "changes": changes}, make_context(root)
    )

    assert succeeded_and_text(result) == (False, '`version` is "1.0.0", not "0.9": it has changed meanwhile')
    assert (root / "package.json").read_text("utf-8") == PACKAGE


async def test_a_dry_run_shows_each_field_before_and_after(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "package.json").write_text(PACKAGE, "utf-8")
    dry_run = apply_change_tool().dry_run
    assert dry_run is not None

    preview = await dry_run(
        Arguments({"path": "package.json", "changes": [{"field": "version", "after": "2"}]}),
        make_context(root),
    )

    assert preview.details["fields"] == [{"field": "version", "before": "1.0.0", "after": "2"}]
    assert '+  "version": "2",' in str(preview.details["diff"])
    assert (root / "package.json").read_text("utf-8") == PACKAGE


@pytest.mark.parametrize(
    ("name", "content", "change", "said"),
    [
        ("a.json", "{", {"field": "a", "after": 1}, "the file is not JSON"),
        ("a.json", '{"a": 1, "a": 2}', {"field": "a", "after": 1}, "the same key twice"),
        ("a.json", '{"a": 1}', {"after": 1}, "each change needs a `field`"),
        ("a.json", '{"a": 1}', {"field": "a.b", "after": 1}, "what holds it is no object"),
        ("a.json", '{"a": []}', {"field": "a.7", "after": 1}, "is not a position in a list of 0"),
        ("a.toml", "a = [", {"field": "a", "after": 1}, "the file is not TOML"),
        ("a.toml", "a = [\n1\n]\n", {"field": "a", "after": 1}, "cannot be changed in place"),
        ("a.toml", "a = 1\n", {"field": "a", "after": None}, "TOML has no null"),
        ("a.txt", "abc", {"field": "x", "after": "y"}, "needs `before` and `after` texts"),
        ("a.txt", "abc", {"before": "b", "after": "\ud800"}, "characters that cannot be written"),
    ],
)
async def test_a_change_that_is_not_possible_is_reported_and_changes_nothing(
    tmp_path: Path, name: str, content: str, change: dict[str, object], said: str
) -> None:
    root = workspace(tmp_path)
    (root / name).write_text(content, "utf-8")

    result = await apply_change_tool().run_call({"path": name, "changes": [change]}, make_context(root))

    assert result.failed
    assert said in result.text
    assert (root / name).read_text("utf-8") == content


async def test_a_change_of_a_missing_file_is_refused(tmp_path: Path) -> None:
    result = await apply_change_tool().run_call(
        {"path": "no.json", "changes": [{"field": "a", "after": 1}]}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (False, "there is no `no.json`")


def test_a_key_that_contains_a_dot_can_be_changed() -> None:
    assert value_at_path({"a.b": {"c": [1, 2]}}, parse_field_path(r"a\.b.c.1")) == 2
    assert value_at_path({"a": 1}, ["a", "b"]) is MISSING
    assert record_with_value({"a": {"b": 1}}, ["a", "b"], MISSING) == {"a": {}}


def test_a_line_that_only_looks_like_the_field_is_not_changed() -> None:
    text = 'said = """\nport = 1\n"""\nport = 2\n[other]\nport = 3\n'

    assert change_toml_value(text, ["port"], 4) == text.replace("port = 2", "port = 4")
    assert change_toml_value(text, ["other", "port"], 4) == text.replace("port = 3", "port = 4")


@pytest.mark.parametrize(
    "text", ["", "a = 1", "# only a comment\n", "[t]\nx = 1\n", '"q k" = 1\n[t.u]\nx = 2\n']
)
@pytest.mark.parametrize("way", [["a"], ["t", "x"], ["t", "u", "x"], ["q k"]])
def test_a_toml_change_is_exact_or_refused(text: str, way: list[str]) -> None:
    try:
        after = change_toml_value(text, way, "new")
    except ToolError:
        return

    assert tomllib.loads(after) == record_with_value(tomllib.loads(text), way, "new")


async def run_preview(tool: ChatTool, args: dict[str, object], root: Path) -> DryRunResult:
    assert tool.dry_run is not None
    return await tool.dry_run(Arguments(args), make_context(root))


async def test_a_file_is_written_and_missing_directories_are_created(tmp_path: Path) -> None:
    root = workspace(tmp_path)

    result = await write_file_tool().run_call({"path": "a/b/c.txt", "content": "häh\n"}, make_context(root))

    assert succeeded_and_text(result) == (True, "done: create a/b/c.txt: +1 -0 lines")
    assert (root / "a/b/c.txt").read_bytes() == "häh\n".encode()
    assert os.listdir(root / "a/b") == ["c.txt"]


async def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "run.sh").write_text("echo 1\n", "utf-8")
    (root / "run.sh").chmod(0o754)

    await write_file_tool().run_call({"path": "run.sh", "content": "echo 2\n"}, make_context(root))

    assert (root / "run.sh").read_text("utf-8") == "echo 2\n"
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o754


@pytest.mark.proves("R001-30")
async def test_a_dry_run_shows_before_and_after_and_changes_nothing(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("one\ntwo\n", "utf-8")

    preview = await run_preview(write_file_tool(), {"path": "a.txt", "content": "one\n2\n"}, root)

    assert preview.summary == "change a.txt: +1 -1 lines"
    assert preview.details == {
        "path": "a.txt",
        "before": "one\ntwo\n",
        "after": "one\n2\n",
        "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    }
    assert preview.fingerprint == text_digest("one\ntwo\n")
    assert (root / "a.txt").read_text("utf-8") == "one\ntwo\n"


async def test_the_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    args: dict[str, object] = {"path": "a.txt", "content": "new"}
    absent = await run_preview(write_file_tool(), args, root)
    (root / "a.txt").write_bytes(b"caf\xe9")
    latin = await run_preview(write_file_tool(), args, root)
    (root / "a.txt").write_bytes(b"caf\xe8")
    other = await run_preview(write_file_tool(), args, root)

    assert absent.fingerprint == ABSENT
    assert len({absent.fingerprint, latin.fingerprint, other.fingerprint}) == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"path": "sub", "content": ""}, "`sub` is a directory"),
        ({"path": "a.txt", "content": "\ud800"}, "`content` holds characters that cannot be written"),
        ({"path": "a.txt", "content": "x" * 101}, "`content` is larger than 100 bytes"),
        ({"path": "a.txt"}, "the arguments are not valid: content is missing"),
        ({"path": "a.txt", "content": "", "mode": 7}, "the arguments are not valid: mode is not a parameter"),
        (
            {"path": "file.txt/under", "content": ""},
            "`file.txt/under` cannot be opened as it was decided: not a directory",
        ),
    ],
)
async def test_a_failed_write_is_reported_and_leaves_no_file(
    tmp_path: Path, args: dict[str, object], said: str
) -> None:
    root = workspace(tmp_path)
    (root / "sub").mkdir()
    (root / "file.txt").touch()

    result = await write_file_tool().run_call(args, make_context(root, limits=make_limits(file_bytes=100)))

    assert succeeded_and_text(result) == (False, said)
    assert sorted(os.listdir(root)) == ["file.txt", "sub"]


async def test_a_full_disk_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("old", "utf-8")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        result = await write_file_tool().run_call(
            {"path": "a.txt", "content": "x" * 5_000}, make_context(root)
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)

    assert result.failed
    assert (root / "a.txt").read_text("utf-8") == "old"
    assert os.listdir(root) == ["a.txt"]
