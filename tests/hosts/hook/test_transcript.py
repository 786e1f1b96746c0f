"""A call is deferred only if the transcript shows that it is alone in a complete message of the model."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from assent.hosts.hook import transcript
from assent.hosts.hook.transcript import is_only_call

ID = "toolu_1"


def message_entry(
    *calls: str, id: str = "msg_1", stop: str | None = "tool_use", sidechain: bool = False, text: str = ""
) -> dict[str, object]:
    """A line of a transcript with blocks of a message of the model."""
    blocks = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": one} for one in calls]
    message = {"id": id, "stop_reason": stop, "content": blocks}
    return {"type": "assistant", "isSidechain": sidechain, "message": message}


USER = {"type": "user", "message": {"content": "go on"}}
OTHER = {"type": "last-prompt"}
ALONE = [
    [USER, message_entry(ID), OTHER],
    [message_entry("toolu_0", id="msg_0"), USER, message_entry(text="I copy."), message_entry(ID), OTHER],
    [message_entry(ID), USER, message_entry("toolu_9", id="msg_9", sidechain=True)],
]
NOT_ALONE = [
    [message_entry(ID, "toolu_2")],
    [message_entry("toolu_0"), message_entry(ID)],
    [message_entry(ID), USER, message_entry("toolu_2")],
]


def write_transcript(path: Path, entries: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in entries), "utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def short_completion_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the wait for the rest of a message end soon."""
    monkeypatch.setattr(transcript, "COMPLETION_SECONDS", 0.2)


@pytest.mark.parametrize("entries", ALONE)
async def test_one_call_in_a_complete_message_is_alone(
    tmp_path: Path, entries: list[dict[str, object]]
) -> None:
    assert await is_only_call(write_transcript(tmp_path / "t", entries), ID)


@pytest.mark.parametrize("entries", NOT_ALONE)
async def test_one_of_several_calls_is_not_alone(tmp_path: Path, entries: list[dict[str, object]]) -> None:
    assert not await is_only_call(write_transcript(tmp_path / "t", entries), ID)


@pytest.mark.parametrize(
    "entries",
    [[], [USER], [message_entry(ID, stop=None)], [message_entry("toolu_0")], [message_entry(text="done")]],
    ids=["empty", "no message", "unfinished", "an earlier message", "no call"],
)
async def test_a_message_that_is_not_complete_shows_nothing(
    tmp_path: Path, entries: list[dict[str, object]]
) -> None:
    assert not await is_only_call(write_transcript(tmp_path / "t", entries), ID)


async def test_the_rest_of_a_message_is_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "COMPLETION_SECONDS", 60.0)
    path = tmp_path / "t"
    write_transcript(path, [message_entry("toolu_0", id="msg_0")])
    looking = asyncio.create_task(is_only_call(str(path), ID))
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(message_entry(ID)))
        file.flush()
        await asyncio.sleep(0)
        file.write("\n")

    assert await looking


@pytest.mark.parametrize(
    "data", [b"{\n", b"[]\n1\n", b'{"type":"assistant"}\n', b'{"type":"assistant","message":1}\n']
)
async def test_a_transcript_that_cannot_be_read_shows_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t").write_bytes(data)
    os.mkfifo(tmp_path / "pipe")

    assert not await is_only_call(str(tmp_path / "t"), ID)
    assert not await is_only_call(str(tmp_path / "pipe"), ID)
    assert not await is_only_call(str(tmp_path / "missing"), ID)
    assert not await is_only_call("", ID)


async def test_only_the_end_of_a_long_transcript_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_TAIL_BYTES", 1_000)
    filler = [{"type": "user", "text": "x" * 100}] * 50
    short = write_transcript(
        tmp_path / "a", [*filler, message_entry("toolu_0", id="msg_0"), message_entry(ID)]
    )
    cut = write_transcript(tmp_path / "b", [message_entry("toolu_0"), *filler, message_entry(ID)])

    assert await is_only_call(short, ID)
    assert not await is_only_call(cut, ID)
