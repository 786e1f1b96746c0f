"""A batch answers every line in its place, whatever the line is."""

import json
import subprocess

import pytest

from assent.cli import batch
from assent.cli.batch import answer
from tests.cli.running import PROGRAM, Place, Ran

ASKS = '{"id": "a", "tool": "x"}'
READS = '{"id": "b", "tool": "x", "effect": "read"}'


def results(ran: Ran) -> list[str]:
    found = [json.loads(line) for line in ran.lines]
    return [f"{one.get('id')} {one.get('verdict', 'error')}" for one in found]


def test_decisions_come_in_the_order_of_the_lines(place: Place) -> None:
    ran = place.run("check", "--batch", "-", stdin=f"{ASKS}\n{READS}\n{ASKS}\n")

    assert (ran.status, ran.err) == (0, "")
    assert results(ran) == ["a ask", "b run", "a ask"]


def test_a_file_is_a_batch_too(place: Place) -> None:
    path = place.write("calls.jsonl", f"{READS}\r\n{READS}")

    ran = place.run("check", "--batch", str(path))

    assert (ran.status, results(ran)) == (0, ["b run", "b run"])


def test_an_empty_batch_is_no_error(place: Place) -> None:
    ran = place.run("check", "--batch", "-", stdin="")

    assert (ran.status, ran.out) == (0, "")


def test_a_malformed_line_is_answered_in_its_place_and_the_others_are_decided(place: Place) -> None:
    lines = [
        READS,
        "not json",
        '{"id": 3, "tool": "x", "effect": "nice"}',
        '{"id": 4, "tool": "x", "rules": {"deny": ["x("]}}',
        "[]",
        '{"id": 6, "id": 6, "tool": "x"}',
        "",
        '{"id": 8}',
        ASKS,
    ]

    ran = place.run("check", "--batch", "-", stdin="\n".join(lines) + "\n\n  \n")

    assert ran.status == 2
    assert results(ran) == [
        "b run", "None error", "3 error", "4 error", "None error", "None error", "None error", "8 error",
        "a ask",
    ]  # fmt: skip
    assert [json.loads(line)["error"] for line in (ran.lines[2], ran.lines[7])] == [
        "unknown effect `nice`: expected one of read, edit, write, execute, external, destructive",
        "field `tool` is missing",
    ]


@pytest.mark.proves("R-18", "T-35")
@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe", b'{"tool": "\x00"}', b'{"tool": "x", "specifier": "\\ud800"}', b"[" * 100_000,
        b'{"tool": "x", "args": {"n": ' + b"9" * 5_000 + b"}}", b'{"tool": "x", "args": {"n": NaN}}',
        b'{"tool": "x", "args": ' + b'{"a":' * 70 + b"1" + b"}" * 71,
    ],
    ids=["bytes", "NUL", "surrogate", "deep", "long number", "NaN", "deep object"],
)  # fmt: skip
def test_hostile_lines_are_errors_and_not_crashes(place: Place, line: bytes) -> None:
    ran = place.run("check", "--batch", "-", stdin=line + b"\n" + READS.encode())

    assert (ran.status, results(ran)) == (2, ["None error", "b run"])
    assert ran.err == ""


@pytest.mark.proves("R-18")
def test_a_line_over_the_cap_is_refused_and_the_next_one_is_found(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_long = b'{"tool": "' + b"x" * 25_000_000 + b'"}\n'

    ran = place.run("check", "--batch", "-", stdin=too_long + READS.encode())

    assert (ran.status, results(ran)) == (2, ["None error", "b run"])
    assert "larger than 10000000 bytes" in ran.lines[0]


def test_an_answer_comes_before_the_next_question(place: Place) -> None:
    command = [PROGRAM, "check", "--batch", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=place.root) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = []
        for line in (ASKS, READS):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            found.append(json.loads(process.stdout.readline())["verdict"])
        process.stdin.close()

    assert found == ["ask", "run"]


def test_the_policy_of_this_directory_has_no_say_in_a_batch(place: Place) -> None:
    place.write_user_file('deny = ["x"]\n')

    assert results(place.run("check", "--batch", "-", stdin=READS)) == ["b run"]


@pytest.mark.proves("T-10")
def test_what_is_printed_is_plain_ascii(place: Place) -> None:
    record = {"id": "\x7f\x9b\u202e", "tool": "x", "effect": "nice\x1b[2J"}

    ran = place.run("check", "--batch", "-", stdin=json.dumps(record, ensure_ascii=False))

    assert ran.out.rstrip("\n").isascii()
    assert ran.out.rstrip("\n").isprintable()
    assert json.loads(ran.out)["id"] == record["id"]


def test_a_reader_that_goes_away_is_no_reason_for_a_traceback(place: Place) -> None:
    path = place.write("calls.jsonl", f"{ASKS}\n" * 2_000)

    shell = f"{PROGRAM} check --batch {path} | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(
        ["bash", "-c", shell],
        cwd=place.root,
        env=place.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.stdout, run.stderr) == ("141\n", "")


@pytest.mark.proves("T-23")
def test_a_failure_while_deciding_is_an_error_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_record: object) -> dict[str, object]:
        raise ZeroDivisionError("what now")

    monkeypatch.setattr(batch, "decide_record", fail)

    assert answer(b'{"id": 1, "tool": "x"}') == {
        "id": 1,
        "error": "cannot be decided: ZeroDivisionError: what now",
    }
