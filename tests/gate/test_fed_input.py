"""The input of a command is part of an approval: the same command with another input asks again."""

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
from tests.gate.conftest import EVERY_STORE, harness_on_store
from tests.gate.samples import ADA
from tests.gate.scene import GateHarness, ask_person, open_harness

FOR_THIS_CONVERSATION = Answer(say=Say.CONVERSATION)
ALWAYS = Answer(say=Say.ALWAYS)

UNKNOWN_PROGRAM = "frobnicate --now"
"""A program that Assent does not know: a person's rule covers it with any input, a suggested rule does not."""
COMMANDS_THAT_RUN_INPUT = (
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
    UNKNOWN_PROGRAM,
    "curl -K -",
    "pip install -r /dev/stdin",
)


_numbers = count()


@pytest.fixture(params=EVERY_STORE)
def each_scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return harness_on_store(request, tmp_path)


def shell_call(command: str, **more: str) -> Call:
    return Call(tool="sh", args={"command": command, **more}, id=f"call-{next(_numbers)}")


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("words", COMMANDS_THAT_RUN_INPUT)
async def test_an_approval_of_one_input_text_does_not_cover_another(words: str) -> None:
    first, other = f"{words} <<'END'\n1\nEND", f"{words} <<'END'\n2\nEND"
    async with open_harness() as harness:
        turn = await harness.turn()
        await harness.answer(await ask_person(turn, shell_call(first)), FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(shell_call(first)), Run)
        assert isinstance(await turn.submit(shell_call(other)), Wait)
        assert isinstance(await turn.submit(shell_call(f"{words} < other.txt")), Wait)
        assert isinstance(await turn.submit(shell_call(f"cat other.txt | {words}")), Wait)
        assert isinstance(await turn.submit(shell_call(words)), Wait)


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("words", [words for words in COMMANDS_THAT_RUN_INPUT if words != UNKNOWN_PROGRAM])
async def test_a_rule_for_the_command_alone_does_not_cover_an_input_text(words: str) -> None:
    async with open_harness() as harness:
        await harness.add_rule(RuleList.ALLOW, f"sh({words})")
        turn = await harness.turn()

        assert isinstance(await turn.submit(shell_call(f"{words} <<< 'x'")), Wait)
        assert isinstance(await turn.submit(shell_call(f"{words} < f")), Wait)
        assert isinstance(await turn.submit(shell_call(f"cat f | {words}")), Wait)
        assert isinstance(await turn.submit(shell_call(f"{{ {words}; }} < f")), Wait)
        assert isinstance(await turn.submit(shell_call(f"exec < f; {words}")), Wait)
        assert isinstance(await turn.submit(shell_call(f"while read l; do {words}; done < f")), Wait)
        assert isinstance(await turn.submit(shell_call(f"{words} <&3")), Wait)
        assert isinstance(await turn.submit(shell_call(f"{words} <> f")), Wait)
        assert isinstance(await turn.submit(shell_call(f"g() {{ {words}; }}; g < f")), Wait)
        assert isinstance(await turn.submit(shell_call(words, stdin="x")), Wait)
        assert isinstance(await turn.submit(shell_call(words, input="x")), Wait)


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
async def test_an_input_that_no_rule_can_name_can_be_allowed_only_once(command: str) -> None:
    async with open_harness() as harness:
        harness.workspace.files = {"/project/x.sql": "select 1", "/elsewhere.sql": "select 1"}
        turn = await harness.turn()
        question = await ask_person(turn, shell_call(command))

        assert rule_suggestions(question, harness.store.secret) == ()
        with pytest.raises(ConflictError):
            await harness.answer(question, FOR_THIS_CONVERSATION)
        with pytest.raises(ConflictError):
            await harness.answer(question, ALWAYS)
        await harness.answer(question, Answer(say=Say.ONCE))
        assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-44")
async def test_an_input_file_is_identified_by_path_and_content() -> None:
    async with open_harness() as harness:
        harness.workspace.files = {"/project/x.sql": "select 1", "/project/copy.sql": "select 1"}
        turn = await harness.turn()
        question = await ask_person(turn, shell_call("psql < x.sql"))
        await harness.answer(question, FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(shell_call("psql < x.sql")), Run)
        assert isinstance(await turn.submit(shell_call("psql < ./x.sql")), Run)
        assert isinstance(await turn.submit(shell_call("psql < copy.sql")), Wait)
        harness.workspace.files["/project/x.sql"] = "drop table t"
        assert isinstance(await turn.submit(shell_call("psql < x.sql")), Wait)


@pytest.mark.proves("T-44")
async def test_a_call_whose_input_file_changed_before_the_claim_is_refused(each_scene: GateHarness) -> None:
    each_scene.workspace.files = {"/project/x.sql": "select 1"}
    turn = await each_scene.turn()
    question = await ask_person(turn, shell_call("psql < x.sql"))
    await each_scene.answer(question, Answer(say=Say.ONCE))
    each_scene.workspace.files["/project/x.sql"] = "drop table t"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Refuse)
    assert "changed since it was approved" in outcome.message
    assert (await each_scene.store.approval(question.id)).state is State.REFUSED


@pytest.mark.proves("T-44")
async def test_a_call_whose_input_file_is_unchanged_runs(each_scene: GateHarness) -> None:
    each_scene.workspace.files = {"/project/x.sql": "select 1"}
    turn = await each_scene.turn()
    question = await ask_person(turn, shell_call("psql < x.sql"))
    await each_scene.answer(question, Answer(say=Say.ONCE))

    assert isinstance(await turn.resume(question.id), Run)


async def test_a_stored_rule_reveals_neither_the_input_text_nor_its_plain_digest() -> None:
    async with open_harness() as harness:
        turn = await harness.turn()
        question = await ask_person(turn, shell_call("psql <<< \"alter role app password 'hunter2'\""))
        await harness.answer(question, ALWAYS)

        (rule,) = await harness.gate.policy.rules(ADA)
        assert "hunter2" not in rule.text
        assert "sha256:" not in rule.text
        assert " << hmac:" in rule.text
        assert rule.text.endswith("'alter role app password …')")
        assert parse_rule(rule.text).text == rule.text


async def test_a_rule_of_another_store_does_not_match_an_input() -> None:
    async with open_harness() as one, open_harness() as two:
        question = await ask_person(await one.turn(), shell_call("psql <<< 'select 1'"))
        (exact,) = rule_suggestions(question, one.store.secret)
        await two.add_rule(RuleList.ALLOW, exact.rules[0].text)

        assert isinstance(await (await two.turn()).submit(shell_call("psql <<< 'select 1'")), Wait)


async def test_a_person_may_write_the_plain_digest_of_an_input() -> None:
    async with open_harness() as harness:
        question = await ask_person(await harness.turn(), shell_call("psql <<< 'select 1'"))
        (plain,) = rule_suggestions(question)
        await harness.add_rule(RuleList.ALLOW, plain.rules[0].text)
        turn = await harness.turn()

        assert " << sha256:" in plain.rules[0].text
        assert isinstance(await turn.submit(shell_call("psql <<< 'select 1'")), Run)
        assert isinstance(await turn.submit(shell_call("psql <<< 'select 2'")), Wait)


async def test_a_rule_without_an_input_is_refused_for_a_command_that_runs_its_input() -> None:
    async with open_harness() as harness:
        question = await ask_person(await harness.turn(), shell_call("python3 - <<< 'print(1)'"))

        with pytest.raises(InputError, match="would not allow this call"):
            await harness.answer(question, Answer(say=Say.ALWAYS, rules=("sh(python3 -)",)))


async def test_a_rule_with_only_a_tool_name_covers_every_input() -> None:
    async with open_harness() as harness:
        await harness.add_rule(RuleList.ALLOW, "sh")
        turn = await harness.turn()

        assert isinstance(await turn.submit(shell_call("psql < x.sql")), Run)
        assert isinstance(await turn.submit(shell_call("python3 - <<< 'print(1)'")), Run)


@pytest.mark.parametrize(
    "command", ["cat f | python3 tool.py", "npm test < f", "echo hi | tee log.txt", "cat f | ./tool --read"]
)
async def test_a_rule_for_the_command_covers_a_program_that_only_reads_data(command: str) -> None:
    async with open_harness() as harness:
        turn = await harness.turn()
        await harness.answer(await ask_person(turn, shell_call(command)), FOR_THIS_CONVERSATION)

        assert isinstance(await turn.submit(shell_call(command)), Run)
