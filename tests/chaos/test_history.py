"""A history is on disk before its writer continues, and can be read after a kill."""

import asyncio
from pathlib import Path

import pytest

from chaos import effects
from chaos.effects import Effect, digest_of, record_effect
from chaos.history import Act, Attempt, HistoryWriter, attempts, read_events


async def test_events_are_read_in_the_order_in_which_they_happened(tmp_path: Path) -> None:
    ours, theirs = HistoryWriter(tmp_path / "ours.jsonl"), HistoryWriter(tmp_path / "theirs.jsonl")
    await ours.record(Act.SUBMIT, "1", "call", digest="d")
    await theirs.record(Act.ANSWER, "2", "call", say="once")
    await ours.record(Act.SUBMIT, "1", "call", outcome="asked")

    events = read_events(tmp_path.glob("*.jsonl"))

    assert [(event.act, event.outcome) for event in events] == [
        (Act.SUBMIT, ""),
        (Act.ANSWER, ""),
        (Act.SUBMIT, "asked"),
    ]
    assert attempts(events) == [Attempt(events[0], events[2]), Attempt(events[1], None)]


async def test_concurrent_events_are_all_stored(tmp_path: Path) -> None:
    history = HistoryWriter(tmp_path / "history.jsonl")

    await asyncio.gather(
        *(history.record(Act.RUN, history.new_step(), f"call{number}") for number in range(200))
    )

    events = read_events([tmp_path / "history.jsonl"])
    assert {event.call for event in events} == {f"call{number}" for number in range(200)}
    assert len({event.step for event in events}) == 200


async def test_an_incomplete_last_line_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    await HistoryWriter(path).record(Act.RUN, "1", "call")
    with path.open("ab") as history:
        history.write(b'{"act": "run", "st')

    assert [event.step for event in read_events([path])] == ["1"]


def test_an_effect_is_read_as_recorded_and_cannot_be_recorded_twice(tmp_path: Path) -> None:
    effect = Effect("call.1", "a1", digest_of("write", {"b": 1, "a": 2}), "1-x-1")

    record_effect(tmp_path, effect)

    assert effects.read_effects(tmp_path) == [effect]
    with pytest.raises(FileExistsError):
        record_effect(tmp_path, effect)
