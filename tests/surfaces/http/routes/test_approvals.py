"""`/v1/approvals`: people list questions and answer them."""

import pytest

from assent.gate.answer import MAX_REASON_LENGTH
from assent.gate.approval import State
from tests.surfaces.http.api_server import ASKED, ApiServer, Reply

APPROVALS = "/v1/approvals"


def _put_call(key: str) -> dict[str, object]:
    return {"tool": "note.put", "args": {"key": key}, "id": key}


async def test_people_see_their_own_questions_and_those_of_their_roles(api: ApiServer) -> None:
    id = await api.ask()
    elsewhere = await api.ask(conversation="c2")
    seen = {
        name: [one["id"] for one in (await api.get(name, APPROVALS)).json["items"]]
        for name in ("ana", "chris", "vera", "ben", "ada", "robot")
    }

    assert seen == {
        "ana": [id, elsewhere],
        "chris": [id],
        "vera": [id],
        "ben": [],
        "ada": [id, elsewhere],
        "robot": [id, elsewhere],
    }


async def test_questions_can_be_filtered_by_their_fields(api: ApiServer) -> None:
    put = await api.ask()
    send = await api.ask({"tool": "mail.send", "args": {"to": "eve"}, "id": "s"}, conversation="c2")
    await api.post("ana", f"{APPROVALS}/{send}/later")

    async def found_ids(**query: str) -> list[str]:
        reply = await api.get("ana", APPROVALS, **query)
        assert reply.status == 200, reply
        return [one["id"] for one in reply.json["items"]]

    assert await found_ids() == [put, send]
    assert await found_ids(tool="note.put") == [put]
    assert await found_ids(effect="external") == [send]
    assert await found_ids(conversation="c2") == [send]
    assert await found_ids(agent="clerk", later="false") == [put]
    assert await found_ids(later="true") == [send]
    assert await found_ids(q="MAIL") == [send]
    assert await found_ids(state="denied") == []


async def test_a_list_is_divided_into_pages(api: ApiServer) -> None:
    ids = [await api.ask(_put_call(str(number))) for number in range(5)]
    seen, after = [], ""
    for _ in range(3):
        page = (await api.get("ana", APPROVALS, limit=2, after=after)).json
        seen += [one["id"] for one in page["items"]]
        after = page["next"]

    assert (seen, after) == (ids, None)


@pytest.mark.parametrize("after", ["x", "-1", "1e3", "9" * 40, "'; DROP TABLE approvals; --"])
async def test_a_page_begins_at_a_valid_cursor_only(api: ApiServer, after: str) -> None:
    assert (await api.get("ana", APPROVALS, after=after)).status == 400


@pytest.mark.parametrize(
    "query",
    [{"limit": 0}, {"limit": 1000}, {"state": "perhaps"}, {"later": "maybe"}, {"unknown": "x"}, {"q": "\0"}],
)
async def test_an_invalid_filter_is_refused(in_memory: ApiServer, query: dict[str, object]) -> None:
    api: ApiServer = in_memory
    reply = await api.get("ana", APPROVALS, **query)

    assert reply.status == 400
    assert reply.json["errors"][0]["field"].split(".")[:2] == ["query", next(iter(query))]


async def test_a_question_contains_everything_that_a_person_needs(api: ApiServer) -> None:
    id = await api.ask({"tool": "sh", "args": {"command": "make publish"}, "id": "p"})
    shown = (await api.get("ana", f"{APPROVALS}/{id}")).json

    assert shown["decision"]["verdict"] == "ask"
    assert shown["tool"]["effect"] == "execute"
    assert shown["suggestions"][0] == {
        "width": "exact",
        "rules": ["sh(make publish)"],
        "as_grant": False,
        "irreversible": [],
    }
    always = {"becomes": "rule", "scope": "choice", "lifetime": "choice", "widened": True}
    assert shown["always"] == {**always, "conversation": ["sh(make publish)"]}
    assert (shown["locked"], shown["expires_at"] > shown["asked_at"]) == (False, True)
    assert {"claim", "boot", "token_digest"}.isdisjoint(shown)


async def test_a_question_that_is_always_asked_is_marked(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask({"tool": "note.drop", "args": {"key": "a"}, "id": "d"})
    shown = (await api.get("ana", f"{APPROVALS}/{id}")).json

    assert (shown["locked"], shown["suggestions"]) == (True, [])


@pytest.mark.proves("T-38", "R004-38")
async def test_only_people_with_the_right_can_answer(api: ApiServer) -> None:
    statuses = {}
    for name in ("ben", "vera", "robot", "chris"):
        id = await api.ask(_put_call(name))
        statuses[name] = (await api.answer(id, name=name)).status

    assert statuses == {"ben": 404, "vera": 403, "robot": 403, "chris": 200}


async def test_the_first_answer_wins_and_later_ones_get_its_author(api: ApiServer) -> None:
    id = await api.ask()
    first = await api.answer(id, "deny", name="chris")
    again = await api.answer(id, "deny", name="chris")
    second = await api.answer(id, name="ana")

    assert (first.status, again.status, second.status) == (200, 200, 409)
    assert (second.json["state"], second.json["by"]) == ("denied", "chris")


async def test_an_answer_needs_the_digest_of_the_shown_question(api: ApiServer) -> None:
    id = await api.ask()
    reply = await api.post("ana", f"{APPROVALS}/{id}/answer", {"digest": "0" * 64, "answer": {"say": "once"}})

    assert reply.status == 409
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("R004-33")
async def test_a_reason_that_is_too_long_is_refused_and_the_question_stays_open(api: ApiServer) -> None:
    id = await api.ask()
    long = await api.answer(id, "deny", reason="x" * (MAX_REASON_LENGTH + 1))
    shown = [{"id": id, "digest": await api.digest(id)}]
    said = {"say": "deny", "reason": "x" * (MAX_REASON_LENGTH + 1)}
    batch = await api.post("ana", f"{APPROVALS}/answers", {"questions": shown, "answer": said})
    state = (await api.store.approval(id)).state
    longest = await api.answer(id, "deny", reason="x" * MAX_REASON_LENGTH)

    assert (long.status, batch.status, state, longest.status) == (422, 422, State.PENDING, 200)


@pytest.mark.supports("R003-61")
async def test_always_writes_the_chosen_rule(api: ApiServer) -> None:
    id = await api.ask({"tool": "sh", "args": {"command": "make publish"}, "id": "p"})
    answered = await api.answer(id, "always", rules=["sh(make *)"], scope="user_agent")
    rules = (await api.get("ana", "/v1/rules")).json["items"]
    next_call = await api.post(
        "clerk", "/v1/calls", {"call": {"tool": "sh", "args": {"command": "make test"}}, "conversation": "c1"}
    )

    assert (answered.status, [one["text"] for one in rules]) == (200, ["sh(make *)"])
    assert next_call.json["outcome"] == "run"


@pytest.mark.parametrize(
    "answer",
    [
        {"say": "perhaps"},
        {"say": "once", "by": "ada"},
        {"say": "once", "released_by": "x"},
        {"say": "always", "uses": 0},
        {"say": "always", "uses": True},
        {"say": "always", "until": 5},
        {"say": "always", "until": "2026-01-01T00:00:00"},
        {"say": "deny", "reason": None},
        {"say": "deny", "reason": "nul \0"},
        {},
    ],
)
async def test_an_answer_of_the_wrong_shape_is_refused(
    in_memory: ApiServer, answer: dict[str, object]
) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    reply = await api.post(
        "ana", f"{APPROVALS}/{id}/answer", {"digest": await api.digest(id), "answer": answer}
    )

    assert reply.status == 400
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("T-4")
@pytest.mark.parametrize("field", ["by", "released_by", "digest", "state", "untill"])
async def test_an_answer_with_a_field_that_the_server_sets_or_that_is_misspelt_is_refused(
    in_memory: ApiServer, field: str
) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    alone = await api.answer(id, **{field: "ada"})
    together = await api.post(
        "ana",
        f"{APPROVALS}/answers",
        {
            "questions": [{"id": id, "digest": await api.digest(id)}],
            "answer": {"say": "once", field: "ada"},
        },
    )

    for reply in (alone, together):
        assert (reply.status, [one["reason"] for one in reply.json["errors"]]) == (400, ["unknown field"])
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("T-13", "R004-23")
async def test_a_batch_answers_a_list_and_reports_each_result(api: ApiServer) -> None:
    one, two, moved = [await api.ask(_put_call(key)) for key in "abc"]
    await api.answer(moved, "deny")
    questions = [{"id": id, "digest": await api.digest(id)} for id in (one, moved)]
    questions.append({"id": two, "digest": "0" * 64})
    reply = await api.post("ana", f"{APPROVALS}/answers", {"questions": questions, "answer": {"say": "once"}})

    assert [(each["id"], each["outcome"], each["state"]) for each in reply.json["results"]] == [
        (one, "answered", "approved"),
        (moved, "refused", None),
        (two, "refused", None),
    ]
    assert (await api.store.approval(two)).state is State.PENDING


@pytest.mark.proves("T-49")
async def test_a_batch_can_allow_only_commands_of_one_program_and_subcommand(api: ApiServer) -> None:
    one, two, other = [await api.ask(_shell_call(line)) for line in ("npm run a", "npm run b", "npm test")]
    mixed = await _answer_batch(api, (one, other))
    alike = await _answer_batch(api, (one, two))
    denied = await _answer_batch(api, (other, await api.ask(_put_call("x"))), "deny")

    assert (mixed.status, alike.status, denied.status) == (422, 200, 200)
    assert [each["outcome"] for each in alike.json["results"]] == ["answered", "answered"]
    assert [each["outcome"] for each in denied.json["results"]] == ["answered", "answered"]


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("line", ["git push --force", "rm -rf ~/", "npm run a; npm run b", "A=1 npm run a"])
async def test_a_question_that_needs_separate_confirmation_is_not_allowed_in_a_batch(
    api: ApiServer, line: str
) -> None:
    id = await api.ask(_shell_call(line))
    reply = await _answer_batch(api, (id,))

    assert [each["outcome"] for each in reply.json["results"]] == ["refused"]
    assert "alone" in reply.json["results"][0]["problem"]
    assert (await api.store.approval(id)).state is State.PENDING


@pytest.mark.proves("T-13")
async def test_an_empty_or_too_large_batch_is_refused(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    shown = {"id": "0" * 32, "digest": "0" * 64}
    none = await api.post("ana", f"{APPROVALS}/answers", {"questions": [], "answer": {"say": "once"}})
    many = await api.post(
        "ana", f"{APPROVALS}/answers", {"questions": [shown] * 101, "answer": {"say": "once"}}
    )

    assert (none.status, many.status) == (400, 400)


async def test_postponing_keeps_a_question_open(api: ApiServer) -> None:
    id = await api.ask()
    viewer = await api.post("vera", f"{APPROVALS}/{id}/later")
    reply = await api.post("ana", f"{APPROVALS}/{id}/later")

    assert (viewer.status, reply.status) == (403, 200)
    assert (reply.json["state"], reply.json["later_at"] is not None) == ("pending", True)


async def test_an_answer_with_edited_arguments_runs_the_edited_call(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id, args={"key": "better"})
    run = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0})

    assert run.json["call"]["args"] == {"key": "better"}
    assert ASKED["args"] != {"key": "better"}


@pytest.mark.proves("T-38")
async def test_a_search_finds_only_visible_questions(api: ApiServer) -> None:
    for number in range(3):
        call = {**ASKED, "id": f"put-{number}"}
        await api.post("bens-clerk", "/v1/calls", {"call": call, "conversation": "merger"})
    own = [await api.ask({**ASKED, "id": f"own-{number}"}) for number in range(3)]

    hidden = await api.get("chris", APPROVALS, q="merger", limit=1)
    first = await api.get("chris", APPROVALS, limit=2)
    rest = await api.get("chris", APPROVALS, limit=2, after=first.json["next"])

    assert hidden.json == {"items": [], "next": None}
    assert [one["id"] for one in (*first.json["items"], *rest.json["items"])] == own
    assert rest.json["next"] is None


@pytest.mark.proves("T-13")
async def test_a_batch_cannot_edit_arguments(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    ids = [await api.ask(_put_call(key)) for key in ("a", "b")]
    shown = [{"id": id, "digest": await api.digest(id)} for id in ids]
    answer = {"say": "once", "args": {"key": "z"}}

    reply = await api.post("ana", f"{APPROVALS}/answers", {"questions": shown, "answer": answer})

    assert reply.status == 422
    assert {(await api.store.approval(id)).state for id in ids} == {State.PENDING}


LIFETIMES = (None, "restart", "until", "uses", "forever", "choice")
MOMENTS = (None, "2000-01-01T00:00:00Z", "2099-01-01T00:00:00Z")


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("lifetime", LIFETIMES)
@pytest.mark.parametrize("until", MOMENTS)
@pytest.mark.parametrize("uses", [None, 2])
async def test_a_rule_from_an_answer_has_all_given_limits(
    in_memory: ApiServer, lifetime: str | None, until: str | None, uses: int | None
) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    reply = await api.answer(id, "always", lifetime=lifetime, until=until, uses=uses)
    rules = (await api.get("ana", "/v1/rules")).json["items"]
    taken = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0})
    grants = (await api.get("ana", "/v1/grants")).json["items"]

    refused = (
        until == MOMENTS[1]
        or lifetime == "choice"
        or (lifetime == "forever" and (until or uses))
        or (lifetime == "until" and not until)
        or (lifetime == "uses" and not uses)
    )
    # An unknown word is refused like any other invalid field.
    assert reply.status == (400 if lifetime == "choice" else 422 if refused else 200)
    if refused:
        assert (rules, grants, taken.json["outcome"]) == ([], [], "wait")
        return
    is_limited = bool(lifetime == "restart" or until or uses)
    assert (len(rules), len(grants)) == ((0, 1) if is_limited else (1, 0))
    for grant in grants:
        assert (grant["uses"], bool(grant["until"])) == (uses, bool(until))
        assert (grant["lifetime"] == "restart") == (lifetime == "restart")


@pytest.mark.parametrize(("name", "words"), [("scope", "'everyone'"), ("lifetime", "'forever'")])
async def test_an_invalid_limit_is_reported_with_the_words_of_answers(
    in_memory: ApiServer, name: str, words: str
) -> None:
    api: ApiServer = in_memory
    id = await api.ask()

    reply = await api.answer(id, "always", **{name: "day"})

    assert reply.status == 400
    assert words in str(reply.json)
    assert "choice" not in str(reply.json)


def _shell_call(line: str) -> dict[str, object]:
    return {"tool": "sh", "args": {"command": line}, "id": line}


async def _answer_batch(api: ApiServer, ids: tuple[str, ...], say: str = "once") -> Reply:
    questions = [{"id": id, "digest": await api.digest(id)} for id in ids]
    return await api.post("ana", f"{APPROVALS}/answers", {"questions": questions, "answer": {"say": say}})
