"""How a command chooses its database, and how commands print ages, JSON and errors."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent.cli.base.backend import find_id_by_prefix
from assent.cli.base.command import requires_extra
from assent.cli.base.database import find_database, find_existing_database
from assent.cli.base.output import age_in_largest_unit, print_json
from assent.errors import AssentError, InputError
from tests.cli.questions import ask_questions
from tests.cli.running import Command, CommandSandbox


def test_the_option_overrides_the_environment_which_overrides_local_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("ASSENT_DATABASE", raising=False)
    own = find_database(None)
    Path("assent.db").touch()
    here = find_database(None)
    monkeypatch.setenv("ASSENT_DATABASE", "elsewhere.db")

    assert own == str(tmp_path / "home" / ".local" / "share" / "assent" / "assent.db")
    assert here == "assent.db"
    assert find_database(None) == "elsewhere.db"
    assert find_database("said.db") == "said.db"


def test_a_missing_database_file_is_not_created_by_a_command(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"

    with pytest.raises(InputError, match=r"database .* does not exist; name one with --database or"):
        find_existing_database(str(path))

    assert not path.exists()
    assert (
        find_existing_database("postgresql://nowhere.invalid/assent") == "postgresql://nowhere.invalid/assent"
    )


async def test_every_command_accepts_the_option_database(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])
    (sandbox.root / "assent.db").rename(sandbox.root / "other.db")

    statuses = {
        words: command(*words, "--database", "other.db").status
        for words in (
            ("pending",),
            ("grants", "list"),
            ("tiers", "list"),
            ("audit", "list"),
            ("db", "status"),
        )
    }

    assert set(statuses.values()) == {0}


@pytest.mark.parametrize("address", ["postgresql://ana:hunter2@127.0.0.1:1/assent"])
@pytest.mark.parametrize("words", [("pending",), ("audit", "verify"), ("db", "status"), ("db", "upgrade")])
@pytest.mark.proves("T-39")
def test_the_error_for_an_unreachable_server_contains_no_password(
    command: Command, words: tuple[str, ...], address: str
) -> None:
    ran = command(*words, "--database", address)

    assert (ran.status, ran.out) == (2, "")
    assert "cannot use postgresql://ana:***@127.0.0.1:1/assent: the server cannot be reached" in ran.err
    assert "hunter2" not in ran.err


@pytest.mark.proves("T-10")
def test_json_is_plain_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "\x7f\x1b\x9b\u202e é"})

    said = capsys.readouterr().out
    assert json.loads(said) == {"text": "\x7f\x1b\x9b\u202e é"}
    assert [character for character in said if not (" " <= character <= "~") and character != "\n"] == []


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (timedelta(seconds=5), "5s"),
        (timedelta(minutes=59), "59m"),
        (timedelta(hours=23), "23h"),
        (timedelta(days=400), "400d"),
        (timedelta(seconds=-5), "0s"),
    ],
)
def test_an_age_is_shown_in_its_largest_unit(span: timedelta, shown: str) -> None:
    assert age_in_largest_unit(datetime.now(UTC) - span) == shown


def test_an_unknown_time_has_an_empty_age() -> None:
    assert age_in_largest_unit(None) == ""


def test_the_error_for_a_missing_extra_says_what_to_install() -> None:
    with pytest.raises(AssentError) as raised, requires_extra("gate"):
        import a_module_that_nobody_has  # type: ignore[import-not-found]  # noqa: F401

    assert str(raised.value) == "a_module_that_nobody_has is not installed: pip install 'assent[gate]'"


def test_a_prefix_must_match_exactly_one_question() -> None:
    ids = ["ab1", "ab2"]

    assert find_id_by_prefix(ids, "ab2") == "ab2"
    with pytest.raises(InputError, match="`ab` is the start of 2 questions; write more of the id"):
        find_id_by_prefix(ids, "ab")
