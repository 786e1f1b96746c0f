"""The requests of the dashboard: answers, complete questions, lists, and previews of rules."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any, Protocol, cast
from urllib.parse import quote

from assent.client.client import Client, RequestFailed
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.overview import (
    count_always_answers,
    read_decisions,
    read_overview,
    read_person,
    read_question_detail,
    read_rule_preview,
    read_rules,
)
from assent.surfaces.tui.question import Question, question_from_detail
from assent.surfaces.tui.server_connection import RequestThread
from assent.wire.approval import approval_from_json

TYPING_PAUSE = 0.2
"""Seconds without a change before the server is asked about a rule."""
OFTEN = 3
"""From this many times on, the dashboard suggests a line for the policy file."""
_NOT_FOUND = 404


class Display(Protocol):
    """What the dashboard needs from the screen."""

    def redraw(self) -> None:
        """Draw everything again."""
        ...

    def ring_bell(self) -> None:
        """Ring the bell once."""
        ...

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        ...


class Actions:
    """Sends requests and applies their results to the dashboard; a failed request never allows a call."""

    def __init__(
        self, dashboard: Dashboard, display: Display, answers: RequestThread, reads: RequestThread
    ) -> None:
        self._dashboard = dashboard
        self._display = display
        self._answers = answers
        self._reads = reads
        self._loading: set[str] = set()
        self._preview_number = 0

    def send_answer(self, question: Question, answer: Answer) -> None:
        """Send an answer, bound to the call as it was shown."""
        self._dashboard.is_busy = True
        self._display.start_task(self._request_answer(question, answer))

    def postpone_question(self, question: Question) -> None:
        """Postpone a question; it stays open."""
        self._display.start_task(self._request_postponement(question))

    def toggle_pause(self) -> None:
        """Pause all agents, or resume them."""
        self._display.start_task(self._request_pause())

    def load_selected_question(self) -> None:
        """Load the complete selected question, unless it is loaded or being loaded."""
        question = self._dashboard.selected_question
        if question is not None and question.is_open and not question.is_loaded:
            self.load_question(question.id)

    def load_question(self, id: str) -> None:
        """Load a complete question."""
        if self._dashboard.connection.is_up and id not in self._loading:
            self._loading.add(id)
            self._display.start_task(self._request_question(id))

    def load_history(self) -> None:
        """Load the answers of people."""
        self._display.start_task(self._request_history())

    def load_rules(self) -> None:
        """Load the rules and grants of the store."""
        self._display.start_task(self._request_rules())

    def preview_rules(self) -> None:
        """Request a preview of the rules in the editor, when the person stops typing."""
        self._preview_number += 1
        self._display.start_task(self._request_rule_preview(self._preview_number))

    async def refresh_overview(self) -> None:
        """Read the agents, decisions and counts again."""
        dashboard = self._dashboard
        if not dashboard.connection.is_up:
            return
        midnight = dashboard.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        try:
            if dashboard.person is None:
                dashboard.person = await self._reads.send_request(read_person)
            dashboard.overview = await self._reads.send_request(
                lambda client: read_overview(client, since=midnight)
            )
        except AssentError as error:
            dashboard.notice = f"the agents could not be read: {error}"
        self._display.redraw()

    async def _request_answer(self, question: Question, answer: Answer) -> None:
        id, digest = question.id, question.approval.digest
        try:
            if answer.yes or question.is_loaded:
                answered = await self._answers.send_request(lambda client: client.answer(id, digest, answer))
            else:
                answered = await self._answers.send_request(lambda client: _deny_unloaded(client, id, answer))
        except AssentError as error:
            self._dashboard.notice = f"not answered: {error}"
            self.load_question(id)
        else:
            self._dashboard.queue.update_question(Question(approval=answered))
            self._display.start_task(self._suggest_policy_line(question, answer))
        self._dashboard.is_busy = False
        self._dashboard.open_pane(Pane.CARD)
        self._display.redraw()

    async def _suggest_policy_line(self, question: Question, answer: Answer) -> None:
        """Suggest a line for the policy file when a person has often answered "always" to the same rule."""
        if answer.say is not Say.ALWAYS:
            return
        tool, rules = question.approval.call.tool, answer.rules
        try:
            count = await self._reads.send_request(lambda client: count_always_answers(client, tool, rules))
        except AssentError:
            return
        if count >= OFTEN:
            self._dashboard.hint = policy_file_hint(question, rules)
            self._display.redraw()

    async def _request_postponement(self, question: Question) -> None:
        try:
            later = await self._answers.send_request(lambda client: client.postpone(question.id))
        except AssentError as error:
            self._dashboard.notice = f"not put off: {error}"
        else:
            self._dashboard.queue.update_question(Question(approval=later))
            self._dashboard.notice = "it is at the end of the queue now"
        self._display.redraw()

    async def _request_pause(self) -> None:
        is_paused = bool(self._dashboard.overview.paused_by)
        try:
            await self._answers.send_request(lambda client: client.set_paused(paused=not is_paused))
        except AssentError as error:
            self._dashboard.notice = str(error)
        self._dashboard.open_pane(Pane.CARD)
        await self.refresh_overview()

    async def _request_question(self, id: str) -> None:
        """Load a question; a question that no longer exists is removed from the queue."""
        try:
            data = await self._reads.send_request(lambda client: read_question_detail(client, id))
            self._dashboard.queue.update_question(question_from_detail(data))
        except AssentError as error:
            if isinstance(error, RequestFailed) and error.status == _NOT_FOUND:
                self._dashboard.queue.remove_question(id)
            self._dashboard.notice = f"the question could not be loaded: {error}"
        finally:
            self._loading.discard(id)
        self._display.redraw()

    async def _request_history(self) -> None:
        try:
            self._dashboard.history = tuple(
                await self._reads.send_request(lambda client: read_decisions(client, "approvals"))
            )
        except AssentError as error:
            self._dashboard.notice = str(error)
        self._display.redraw()

    async def _request_rules(self) -> None:
        try:
            self._dashboard.rules = tuple(await self._reads.send_request(read_rules))
        except AssentError as error:
            self._dashboard.notice = str(error)
        self._display.redraw()

    async def _request_rule_preview(self, number: int) -> None:
        await asyncio.sleep(TYPING_PAUSE)
        editor = self._dashboard.editor
        if editor is None or number != self._preview_number or editor.current_preview is not None:
            return
        texts, id = editor.rule_texts, editor.question.id
        if not all(text.strip() for text in texts):
            return
        preview = await self._reads.send_request(lambda client: read_rule_preview(client, texts, id))
        if self._dashboard.editor is not None:
            self._dashboard.editor = self._dashboard.editor.with_preview(texts, preview)
        self._display.redraw()


def policy_file_hint(question: Question, rules: tuple[str, ...]) -> str:
    """A hint which line makes rules permanent, in a fleet file or in a policy file."""
    listed = ", ".join(json.dumps(rule) for rule in rules)
    if question.approval.preset == "fleet":
        agent = question.approval.call.agent
        return f"permissions of `{agent}` in the fleet file: allowed_tools: [{listed}]"
    return f"your policy file: allow = [{listed}]"


def _deny_unloaded(client: Client, id: str, answer: Answer) -> Approval:
    """Deny a question that could not be loaded: only a denial needs no digest."""
    body = {"digest": None, "answer": {"say": answer.say.value, "reason": answer.reason}}
    return approval_from_json(client.request("POST", f"/v1/approvals/{quote(id, safe='')}/answer", body))


def edited_arguments(question: Question, text: str) -> dict[str, object]:
    """The arguments after a person edited them; a text that is not a JSON object is a ValueError."""
    args = dict(question.approval.call.args)
    if question.can_edit_command:
        return args | {question.command_argument: text}
    edited: object = json.loads(text)
    if not isinstance(edited, dict):
        raise ValueError(text)  # noqa: TRY004 - like text that is not JSON
    return cast("dict[str, object]", edited)
