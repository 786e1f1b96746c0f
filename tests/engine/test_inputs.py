"""What a person is shown of what commands are fed."""

import pytest

from assent.engine.facts import Facts
from assent.engine.inputs import LONGEST_COMMAND, fed_inputs
from assent.engine.lines.input_names import FedInput, InputSource
from assent.engine.model import Call
from tests.engine import given

DIGEST = "1" * 64
SEED = "/project/db/seed.sql"
FACTS = Facts(place=given.PLACE, real={SEED: (SEED,)}, contents={SEED: DIGEST})


def fed(command: str, facts: Facts = FACTS, **args: object) -> tuple[FedInput, ...]:
    call = Call(tool="terminal.exec", args={"command": command, **args})
    return fed_inputs(call, given.policy(), facts)


def text_at(argument: str, start: int, end: int, *commands: str) -> FedInput:
    return FedInput(
        source=InputSource.TEXT,
        commands=commands,
        argument=argument,
        start=start,
        end=end,
        can_be_named=True,
    )


@pytest.mark.parametrize("command", ["npm test", "psql shop", "tee a.txt < b.txt", "cat <<'E'\nx\nE"])
def test_nothing_is_shown_where_nothing_is_fed_that_a_program_acts_on(command: str) -> None:
    assert fed(command) == ()


def test_a_file_is_shown_by_its_path_and_its_digest() -> None:
    file = FedInput(
        source=InputSource.FILE,
        commands=("psql shop",),
        path="db/seed.sql",
        digest=DIGEST,
        can_be_named=True,
    )

    assert fed("psql shop < db/seed.sql") == (file,)
    assert fed("cd db && psql shop < seed.sql") == (file,)


def test_a_file_that_nobody_read_has_no_digest_and_no_name() -> None:
    (unread,) = fed("psql < /srv/seed.sql")

    assert (unread.path, unread.digest, unread.can_be_named) == ("/srv/seed.sql", "", False)


def test_a_file_that_the_line_may_write_has_no_name() -> None:
    (written,) = fed("frob > db/seed.sql; psql < db/seed.sql")

    assert (written.source, written.can_be_named) == (InputSource.WRITTEN_FILE, False)


def test_a_text_is_shown_by_its_place_in_the_command() -> None:
    assert fed("python3 - <<'E'\nprint('ñ😀')\nE") == (text_at("command", 16, 28, "python3 -"),)


def test_a_text_that_is_an_argument_of_its_own_is_shown_there_once_for_all_commands() -> None:
    found = fed("psql -c 'select 1'; python3 -; bash", stdin="select 1")

    assert found == (text_at("stdin", 0, 8, "python3 -", "bash"),)


def test_a_text_that_stands_nowhere_as_it_is_fed_is_shown_itself() -> None:
    (escaped,) = fed(r"python3 - <<< $'print(1)\nprint(2)'")

    assert (escaped.argument, escaped.text) == ("", "print(1)\nprint(2)")


def test_an_empty_text_is_a_text() -> None:
    (empty,) = fed("python3 - <<'E'\nE")

    assert (empty.source, empty.argument, empty.text) == (InputSource.TEXT, "", "")


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("cat a.sql | psql", InputSource.PIPE),
        ("{ psql; } < a.sql", InputSource.PIPE),
        ("psql < a < b", InputSource.SEVERAL),
        ("python3 - <<E\n$x\nE", InputSource.UNKNOWN_TEXT),
        ("psql < $x", InputSource.UNKNOWN_FILE),
    ],
)
def test_what_no_rule_can_name_says_what_it_is(command: str, source: InputSource) -> None:
    (unnamed,) = fed(command)

    assert (unnamed.source, unnamed.can_be_named, unnamed.must_be_named) == (source, False, True)


def test_of_an_unknown_program_the_input_need_not_be_named() -> None:
    (unknown,) = fed("cat a | frob")

    assert unknown == FedInput(source=InputSource.PIPE, commands=("frob",), must_be_named=False)


def test_a_long_command_is_named_by_its_beginning() -> None:
    (found,) = fed(f"python3 - {'a' * 1000} < db/seed.sql")

    assert len(found.commands[0]) == LONGEST_COMMAND
    assert found.commands[0].endswith("a…")


def test_a_tool_that_is_not_there_is_fed_nothing() -> None:
    assert fed_inputs(Call(tool="nowhere", args={}), given.policy(), FACTS) == ()
