"""Approvals in a store without a gate: store a question, answer it and wake the waiter."""

import asyncio
import itertools
from dataclasses import replace
from datetime import UTC, datetime

from assent.engine.base.facts import Facts
from assent.engine.base.reason import text_reason
from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.gate.approval import Approval, State, answer
from assent.gate.changes import answer_entry
from assent.gate.ids import digest_of_call
from assent.gate.policy import Moment
from assent.gate.preset import Delivery
from assent.gate.question import Limits
from assent.gate.store import ChangeResult, Store
from bench.harness import WrongAnswerError
from bench.stores import ALLOW_ONCE, MAIL_ARGS, MAIL_TOOL, SAMPLE_PERSON
from bench.workload import DIRECTORIES

REASON = "default mode asks before calling external tools"
SAMPLE_CALL = Call(
    tool=MAIL_TOOL.name, args=MAIL_ARGS, id="call", agent="clerk", conversation="talk", user="ana"
)
SAMPLE_APPROVAL = Approval(
    id="",
    call=SAMPLE_CALL,
    tool=MAIL_TOOL,
    cwd=DIRECTORIES.cwd,
    call_digest=digest_of_call(SAMPLE_CALL, DIRECTORIES.cwd, MAIL_TOOL),
    decision=Decision(
        verdict=Verdict.ASK,
        stage=Stage.MODE,
        reason=text_reason(REASON),
        steps=(Step(Stage.MODE, Verdict.ASK, text_reason(REASON)),),
        always_offered=True,
    ),
    facts=Facts(directories=DIRECTORIES),
    owner="ana",
    turn="turn",
    preset="assent",
    mode="default",
    delivery=Delivery.WAIT,
    asked_at=datetime.now(UTC),
)
"""The approval that the gate would create for the sample call."""

_id_counter = itertools.count()


class StoreApprovals:
    """Stores questions and answers directly, without a gate."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def approve(self) -> None:
        asked = await self.ask()
        woken, _ = await asyncio.gather(self._store.wait_for_answer(asked.id), self.answer(asked.id))
        if woken.state is not State.APPROVED:
            raise WrongAnswerError(f"the waiter for {asked.id} got {woken.state}")

    async def ask(self) -> Approval:
        id_, boot = f"{next(_id_counter):032x}", self._store.boot
        return await self._store.add_approval(
            id_, lambda moment: replace(SAMPLE_APPROVAL, id=id_, boot=boot, asked_at=moment.at), Limits()
        )

    async def answer(self, id_: str) -> None:
        """Approve a question and write an audit row."""

        def change(approval: Approval, moment: Moment) -> ChangeResult:
            return ChangeResult(
                answer(approval, ALLOW_ONCE, SAMPLE_PERSON, SAMPLE_APPROVAL.digest, at=moment.at)
            )

        self._store.record(answer_entry(await self._store.change_approval(id_, change), ALLOW_ONCE))
