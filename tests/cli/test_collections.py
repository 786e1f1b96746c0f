"""`assent collections` adds, lists and removes the documents that a chat can search."""

import json

import pytest

from tests.cli.running import Command, CommandSandbox


@pytest.fixture(autouse=True)
def write_documents(sandbox: CommandSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_COLLECTIONS", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (sandbox.root / "docs").mkdir()
    (sandbox.root / "docs" / "heron.md").write_text("The heron waits.\n", "utf-8")
    (sandbox.root / "docs" / "photo.png").write_bytes(b"\x89PNG\0")


def test_documents_are_added_listed_and_removed(sandbox: CommandSandbox, command: Command) -> None:
    added = command("collections", "add", "birds", "docs")
    listed = command("collections", "list")
    as_json = command("collections", "list", "--json")
    removed = command("collections", "remove", "birds")
    after = command("collections", "list")

    assert (added.status, added.out) == (0, "birds: added 1 document, 1 passage\n")
    assert added.err == f"skipped {sandbox.root}/docs/photo.png: it is not text\n"
    assert listed.out == "birds  1 document, 1 passage\n"
    assert json.loads(as_json.out) == [{"name": "birds", "documents": 1, "passages": 1}]
    assert (removed.status, removed.out) == (0, "removed birds\n")
    assert (after.out, after.err) == ("", "there are no collections\n")


def test_the_default_database_is_the_one_that_the_chat_searches(
    sandbox: CommandSandbox, command: Command
) -> None:
    command("collections", "add", "birds", "docs/heron.md")

    assert (sandbox.home / ".local/share/assent/collections.db").exists()


def test_another_database_has_its_own_collections(sandbox: CommandSandbox, command: Command) -> None:
    command("collections", "add", "birds", "docs", "--database", "other.db")

    assert command("collections", "list", "--database", "other.db").out == "birds  1 document, 1 passage\n"
    assert command("collections", "list").out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "a b", "docs"), "a collection cannot be called `a b`"),
        (("add", "birds", "nowhere"), "does not exist"),
        (("add", "birds"), "Missing argument"),
        (("remove", "birds"), "there is no collection `birds`"),
        (("list", "--database", "docs"), "cannot be used"),
    ],
)
def test_an_impossible_command_is_an_error_with_status_2(
    command: Command, words: tuple[str, ...], said: str
) -> None:
    ran = command("collections", *words)

    assert ran.status == 2
    assert said in ran.err
