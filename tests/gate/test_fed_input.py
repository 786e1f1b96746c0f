"""What is fed to a command is part of what a person says yes to: another text with the same words asks again."""

from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList, parse_rule
from assent.errors import ConflictError, InputError
from assent.gate.always import rule_suggestions
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Refuse, Run, Wait
from tests.gate.conftest import EVERY_STORE, a_scene_on
from tests.gate.samples import ADA
from tests.gate.scene import Scene, a_scene, ask_person

FOR_THIS_CONVERSATION = Answer(say=Say.CONVERSATION)
ALWAYS = Answer(say=Say.ALWAYS)

UNKNOWN = "frobnicate --now"
"""A program in no table: a person's own rule for its words covers it with any input, a suggestion does not."""
FEEDERS = (
    "python3 -",
    "python3",
    "python3.12 -",
    "python3 /dev/stdin",
    "node",
    "node -",
    "ruby",
    "perl",
    "php",
    "lua -",
    "bash",
    "bash -s",
    "sh /dev/stdin",
    "zsh -s arg",
    "source /dev/stdin",
    "sqlite3 app.db",
    "psql",
    "psql -U app shop",
    "mysql -u root shop",
    "duckdb",
    "mongosh",
    "redis-cli",
    "ssh host",
    "ssh -p 22 host",
    "docker exec -i web sh",
    "docker run -i --rm img python3 -",
    "podman exec -i web bash -s",
    "kubectl exec -i pod -- psql",
    "kubectl apply -f -",
    "oc apply -f-",
    "helm install app . -f -",
    "docker build -",
    "docker compose -f - up",
    "make -f -",
    "at now",
    "batch",
    "sudo su",
    "sudo -u app bash",
    "su app",
    "xargs rm -f",
    "parallel rm",
    "patch -p1",
    "git apply",
    "git fast-import",
    "gh api graphql --input -",
    "awk -f - data.txt",
    "gdb -batch app",
    "ed notes.txt",
    "nc host 80",
    "sftp host",
    "mail ben",
    "terraform console",
    "timeout 5 python3 -",
    "env python3 -",
    "nice psql",
    "sh -c 'python3 -'",
    "python3 -c 'exec(input())'",
    "python3 -i tool.py",
    UNKNOWN,
    "curl -K -",
    "pip install -r /dev/stdin",
)


_numbers = count()


@pytest.fixture(params=EVERY_STORE)
def each_scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene_on(request, tmp_path)


def call(command: str, **more: str) -> Call:
    return Call(tool="sh", args={"command": command, **more}, id=f"call-{next(_numbers)}")


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("words", FEEDERS)
async def test_a_yes_to_one_fed_text_does_not_cover_another(words: str) -> None:
    first, other = f"{words} <<'END'\n1\nEND", f"{words} <<'END'\n2\nEND"
    async with a_scene() as scene:
        turn = await scene.turn()
        await scene.answer(await ask_person(turn, call(first)), FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(call(first)), Run)
        assert isinstance(await turn.submit(call(other)), Wait)
        assert isinstance(await turn.submit(call(f"{words} < other.txt")), Wait)
        assert isinstance(await turn.submit(call(f"cat other.txt | {words}")), Wait)
        assert isinstance(await turn.submit(call(words)), Wait)


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("words", [words for words in FEEDERS if words != UNKNOWN])
async def test_a_rule_for_the_words_alone_covers_no_fed_text(words: str) -> None:
    async with a_scene() as scene:
        await scene.add_rule(RuleList.ALLOW, f"sh({words})")
        turn = await scene.turn()

        assert isinstance(await turn.submit(call(f"{words} <<< 'x'")), Wait)
        assert isinstance(await turn.submit(call(f"{words} < f")), Wait)
        assert isinstance(await turn.submit(call(f"cat f | {words}")), Wait)
        assert isinstance(await turn.submit(call(f"{{ {words}; }} < f")), Wait)
        assert isinstance(await turn.submit(call(f"exec < f; {words}")), Wait)
        assert isinstance(await turn.submit(call(f"while read l; do {words}; done < f")), Wait)
        assert isinstance(await turn.submit(call(f"{words} <&3")), Wait)
        assert isinstance(await turn.submit(call(f"{words} <> f")), Wait)
        assert isinstance(await turn.submit(call(f"g() {{ {words}; }}; g < f")), Wait)
        assert isinstance(await turn.submit(call(words, stdin="x")), Wait)
        assert isinstance(await turn.submit(call(words, input="x")), Wait)


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    "command",
    [
        "cat f | psql",
        "psql < /dev/tty",
        "psql < /proc/self/fd/4",
        "echo 'drop table t' > x.sql; psql < x.sql",
        "./generate && psql < x.sql",
        'psql <<< "$QUERY"',
        "psql <<END\n$QUERY\nEND",
        "psql <<END\n$(cat q)\nEND",
        "python3 - <<END\nprint('a\\\\b')\nEND",
        "psql <&4",
        "{ psql; } < x.sql",
        "psql < a.sql < b.sql",
        "psql < big.sql",
        "psql < *.sql",
        "psql < ../elsewhere.sql",
        "bash",
        "sudo su",
        "sudo -i",
        "docker exec -it c sh",
        "python3",
        "ssh host",
        "xargs rm",
        "cat f | xargs rm -f",
    ],
)
async def test_what_no_rule_can_name_is_allowed_once_only(command: str) -> None:
    async with a_scene() as scene:
        scene.workspace.files = {"/project/x.sql": "select 1", "/elsewhere.sql": "select 1"}
        turn = await scene.turn()
        question = await ask_person(turn, call(command))

        assert rule_suggestions(question, scene.store.secret) == ()
        with pytest.raises(ConflictError):
            await scene.answer(question, FOR_THIS_CONVERSATION)
        with pytest.raises(ConflictError):
            await scene.answer(question, ALWAYS)
        await scene.answer(question, Answer(say=Say.ONCE))
        assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-44")
async def test_a_fed_file_is_named_by_its_path_and_content() -> None:
    async with a_scene() as scene:
        scene.workspace.files = {"/project/x.sql": "select 1", "/project/copy.sql": "select 1"}
        turn = await scene.turn()
        question = await ask_person(turn, call("psql < x.sql"))
        await scene.answer(question, FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(call("psql < x.sql")), Run)
        assert isinstance(await turn.submit(call("psql < ./x.sql")), Run)
        assert isinstance(await turn.submit(call("psql < copy.sql")), Wait)
        scene.workspace.files["/project/x.sql"] = "drop table t"
        assert isinstance(await turn.submit(call("psql < x.sql")), Wait)


@pytest.mark.proves("T-44")
async def test_a_fed_file_that_changed_before_the_claim_is_refused(each_scene: Scene) -> None:
    each_scene.workspace.files = {"/project/x.sql": "select 1"}
    turn = await each_scene.turn()
    question = await ask_person(turn, call("psql < x.sql"))
    await each_scene.answer(question, Answer(say=Say.ONCE))
    each_scene.workspace.files["/project/x.sql"] = "drop table t"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "changed since it was approved" in outcome.message
    assert (await each_scene.store.approval(question.id)).state is State.REFUSED


@pytest.mark.proves("T-44")
async def test_a_fed_file_that_is_as_it_was_lets_the_call_run(each_scene: Scene) -> None:
    each_scene.workspace.files = {"/project/x.sql": "select 1"}
    turn = await each_scene.turn()
    question = await ask_person(turn, call("psql < x.sql"))
    await each_scene.answer(question, Answer(say=Say.ONCE))

    assert isinstance(await turn.resume(question.id), Run)


async def test_a_stored_rule_gives_neither_the_text_nor_its_plain_digest_away() -> None:
    async with a_scene() as scene:
        turn = await scene.turn()
        question = await ask_person(turn, call("psql <<< \"alter role app password 'hunter2'\""))
        await scene.answer(question, ALWAYS)

        (rule,) = await scene.gate.policy.rules(ADA)
        assert "hunter2" not in rule.text
        assert "sha256:" not in rule.text
        assert " << hmac:" in rule.text
        assert rule.text.endswith("'alter role app password …')")
        assert parse_rule(rule.text).text == rule.text


async def test_another_store_does_not_take_a_rule_for_its_own() -> None:
    async with a_scene() as one, a_scene() as two:
        question = await ask_person(await one.turn(), call("psql <<< 'select 1'"))
        (exact,) = rule_suggestions(question, one.store.secret)
        await two.add_rule(RuleList.ALLOW, exact.rules[0].text)

        assert isinstance(await (await two.turn()).submit(call("psql <<< 'select 1'")), Wait)


async def test_a_person_may_name_a_text_by_its_plain_digest() -> None:
    async with a_scene() as scene:
        question = await ask_person(await scene.turn(), call("psql <<< 'select 1'"))
        (plain,) = rule_suggestions(question)
        await scene.add_rule(RuleList.ALLOW, plain.rules[0].text)
        turn = await scene.turn()

        assert " << sha256:" in plain.rules[0].text
        assert isinstance(await turn.submit(call("psql <<< 'select 1'")), Run)
        assert isinstance(await turn.submit(call("psql <<< 'select 2'")), Wait)


async def test_a_written_rule_that_leaves_the_input_out_is_not_taken_for_a_fed_command() -> None:
    async with a_scene() as scene:
        question = await ask_person(await scene.turn(), call("python3 - <<< 'print(1)'"))

        with pytest.raises(InputError, match="would not allow this call"):
            await scene.answer(question, Answer(say=Say.ALWAYS, rules=("sh(python3 -)",)))


async def test_a_bare_tool_rule_covers_as_before() -> None:
    async with a_scene() as scene:
        await scene.add_rule(RuleList.ALLOW, "sh")
        turn = await scene.turn()

        assert isinstance(await turn.submit(call("psql < x.sql")), Run)
        assert isinstance(await turn.submit(call("python3 - <<< 'print(1)'")), Run)


@pytest.mark.parametrize(
    "command", ["cat f | python3 tool.py", "npm test < f", "echo hi | tee log.txt", "cat f | ./tool --read"]
)
async def test_a_program_that_is_fed_data_is_covered_by_its_words(command: str) -> None:
    async with a_scene() as scene:
        turn = await scene.turn()
        await scene.answer(await ask_person(turn, call(command)), FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(call(command)), Run)
