"""`/v1/audit`: list and export the decisions."""

import csv
import io
import json

import pytest

from tests.surfaces.http.api_server import READ, ApiServer

AUDIT = "/v1/audit"


async def _make_history(api: ApiServer) -> str:
    await api.post("clerk", "/v1/calls", {"call": READ, "conversation": "c1"})
    id = await api.ask()
    await api.answer(id, "deny", reason="=cmd|'x'!A0")
    await api.post("bens-clerk", "/v1/calls", {"call": READ, "conversation": "c2"})
    await api.store.flush_audit()
    return id


async def test_people_see_their_own_audit_rows_and_administrators_see_all(api: ApiServer) -> None:
    await _make_history(api)
    own = (await api.get("ana", AUDIT)).json["items"]
    every = (await api.get("ada", AUDIT)).json["items"]
    asked = (await api.get("ana", AUDIT, user="ben")).json["items"]

    assert {one["entry"]["user"] for one in own} == {"ana"}
    assert {one["entry"]["user"] for one in every if one["entry"]["tool"]} == {"ana", "ben"}
    assert asked == own


async def test_audit_rows_can_be_filtered_by_their_fields(api: ApiServer) -> None:
    await _make_history(api)

    async def found_rows(**query: str) -> list[tuple[str, str]]:
        items = (await api.get("ada", AUDIT, **query)).json["items"]
        return [(one["entry"]["tool"], one["entry"]["verdict"] or one["entry"]["decision"]) for one in items]

    assert await found_rows(verdict="ask") == [("note.put", "ask")]
    assert await found_rows(tool="note.put", order="oldest") == [
        ("note.put", "ask"),
        ("note.put", "denied_with_reason"),
    ]
    assert await found_rows(view="approvals") == [("note.put", "denied_with_reason")]
    assert await found_rows(agent="bens-clerk") == [("note.read", "run"), ("", "token_made")]
    assert await found_rows(until="2001-01-01T00:00:00Z") == []
    changes = await found_rows(view="changes")
    assert set(changes) == {("", "person_added"), ("", "role_given"), ("", "token_made")}
    assert len(await found_rows(since="2001-01-01T00:00:00Z")) == 4 + len(changes)


@pytest.mark.proves("T-39")
async def test_changes_of_people_and_tokens_are_in_the_audit_without_secrets(api: ApiServer) -> None:
    made = await api.post("ana", "/v1/tokens", {"kind": "agent", "name": "scribe"})
    await api.post("ada", "/v1/people", {"id": "eve"})
    link = await api.post("ada", "/v1/people/eve/link")
    await api.post("ada", "/v1/people/eve/disable")
    await api.send("ana", "DELETE", f"/v1/tokens/{made.json['id']}")
    await api.store.flush_audit()
    rows = await api.get("ada", AUDIT, view="changes", order="oldest", limit=200)
    own = await api.get("ana", AUDIT, view="changes")
    told = [(one["entry"]["user"], one["entry"]["decision"]) for one in rows.json["items"]]

    assert told[-5:] == [
        ("ana", "token_made"),
        ("ada", "person_added"),
        ("ada", "link_made"),
        ("ada", "person_disabled"),
        ("ana", "token_ended"),
    ]
    assert [one["entry"]["decision"] for one in own.json["items"]] == ["token_ended", "token_made"]
    for secret in (made.json["secret"], link.json["link"]):
        assert secret not in json.dumps(rows.json)


async def test_audit_pages_start_with_the_newest_row(api: ApiServer) -> None:
    await _make_history(api)
    seen, after = [], ""
    while after is not None:
        page = (await api.get("ada", AUDIT, limit=3, after=after)).json
        seen += [one["entry"]["id"] for one in page["items"]]
        after = page["next"]
    oldest = (await api.get("ada", AUDIT, order="oldest")).json["items"]

    assert seen == [one["entry"]["id"] for one in oldest][::-1]


@pytest.mark.parametrize("after", ["x", "-3", "9" * 30])
async def test_a_page_begins_at_the_cursor_of_the_previous_page(api: ApiServer, after: str) -> None:
    assert (await api.get("ada", AUDIT, after=after)).status == 400


async def test_the_export_contains_every_matching_row(api: ApiServer) -> None:
    await _make_history(api)
    lines = await api.get("ada", f"{AUDIT}/export")
    table = await api.get("ada", f"{AUDIT}/export", format="csv", view="approvals")
    own = await api.get("ben", f"{AUDIT}/export")
    rows = list(csv.DictReader(io.StringIO(table.json)))

    assert lines.headers["content-type"] == "application/jsonl"
    assert "attachment" in lines.headers["content-disposition"]
    assert [json.loads(line)["entry"]["tool"] for line in lines.json.splitlines()][-4:] == [
        "note.read", "note.put", "note.put", "note.read",
    ]  # fmt: skip
    assert [row["reason"] for row in rows] == ["'=cmd|'x'!A0"]
    assert {json.loads(line)["entry"]["user"] for line in own.json.splitlines()} == {"ben"}


@pytest.mark.proves("T-39", "R004-32")
async def test_no_argument_is_in_any_row(api: ApiServer) -> None:
    await api.ask({"tool": "sh", "args": {"command": "make canary-7c1"}, "id": "c"})
    await api.store.flush_audit()

    assert "canary" not in (await api.get("ada", f"{AUDIT}/export")).json


@pytest.mark.proves("T-49", "T-38")
async def test_asked_and_run_arguments_are_shown_to_those_who_may_see_the_call(api: ApiServer) -> None:
    id = await api.ask({"tool": "note.put", "args": {"key": "a", "value": 1}, "id": "c"})
    await api.answer(id, args={"key": "a", "value": 2})
    await api.store.flush_audit()

    for who, seen in (("ana", True), ("ada", True), ("ben", False)):
        rows = (await api.get(who, AUDIT, calls="true", decision="approved")).json["items"]
        assert [one["called"] for one in rows] == (
            [{"asked": {"key": "a", "value": 1}, "ran": {"key": "a", "value": 2}, "clipped": False}]
            if seen
            else []
        )
    table = (await api.get("ana", f"{AUDIT}/export", format="csv", calls="true", decision="approved")).json
    assert table.splitlines()[1].endswith(
        ',"{""key"": ""a"", ""value"": 1}","{""key"": ""a"", ""value"": 2}"'
    )
    plain = (await api.get("ana", AUDIT, decision="approved")).json["items"][0]
    assert "called" not in plain
    assert plain["entry"]["asked_digest"] != plain["entry"]["ran_digest"]


async def test_the_tally_equals_the_number_of_rows(api: ApiServer) -> None:
    await _make_history(api)
    reply = (await api.get("ada", f"{AUDIT}/tally")).json
    rows = [one["entry"] for one in (await api.get("ada", AUDIT)).json["items"]]
    asked = [one for one in rows if one["verdict"] == "ask"]

    assert reply["decisions"] == {
        word: sum(one["verdict"] == word for one in rows) for word in ("run", "ask", "deny", "absent")
    }
    assert reply["questions"]["asked"] == reply["questions"]["no"] == len(asked) == 1
    assert [(one["tool"], one["questions"]["no"]) for one in reply["tools"]] == [("note.put", 1)]
    assert [(one["stage"], one["rule"]) for one in reply["rules"]] == [(asked[0]["stage"], asked[0]["rule"])]
    assert sum(one["questions"]["asked"] for one in reply["buckets"]) == 1
    assert reply["median"] >= 0


@pytest.mark.proves("T-38")
async def test_the_tally_counts_own_calls_and_all_calls_for_administrators(api: ApiServer) -> None:
    await _make_history(api)
    seen = {name: (await api.get(name, f"{AUDIT}/tally")).json["decisions"] for name in ("ada", "ben")}
    asked = (await api.get("ben", f"{AUDIT}/tally", user="ana")).json["decisions"]
    none = (await api.get("ada", f"{AUDIT}/tally", until="2001-01-01T00:00:00Z", bucket="day")).json

    assert (seen["ada"]["run"], seen["ada"]["ask"], seen["ben"]["run"], seen["ben"]["ask"]) == (2, 1, 1, 0)
    assert asked == seen["ben"]
    assert (none["questions"]["asked"], none["median"], none["buckets"]) == (0, None, [])
