"""The queue of questions: oldest first, with one that is selected, and only a person moves the selection."""

from collections.abc import Iterable
from dataclasses import replace

from assent.surfaces.tui.question import Question


class QuestionQueue:
    """The open questions; a selected question that ends stays until the person selects another."""

    def __init__(self) -> None:
        self._by_id: dict[str, Question] = {}
        self._chosen = ""
        self.filter = ""

    @property
    def selected_question(self) -> Question | None:
        """The question that keys act on."""
        return self._by_id.get(self._chosen)

    @property
    def open_question_count(self) -> int:
        """The number of questions that wait for an answer, without regard to the filter."""
        return sum(one.is_open for one in self._by_id.values())

    @property
    def questions(self) -> list[Question]:
        """The questions, oldest first; postponed questions are at the end."""
        matching = [
            one for one in self._by_id.values() if one.id == self._chosen or self._matches_filter(one)
        ]
        return sorted(
            matching, key=lambda one: (one.is_open and one.is_postponed, one.approval.asked_at, one.id)
        )

    @property
    def selected_index(self) -> int:
        """The index of the selected question in `questions`."""
        return next((at for at, one in enumerate(self.questions) if one.id == self._chosen), 0)

    def open_questions_of(self, agent: str) -> list[Question]:
        """The open questions of an agent, oldest first."""
        found = [one for one in self._by_id.values() if one.is_open and one.approval.call.agent == agent]
        return sorted(found, key=lambda one: one.approval.asked_at)

    def find_question(self, id: str) -> Question | None:
        """A question by its id."""
        return self._by_id.get(id)

    def update_question(self, news: Question) -> bool:
        """Add or update a question; return whether it is a new question that waits for an answer."""
        known = self._by_id.get(news.id)
        if known is None and not news.is_open:
            return False
        is_new = known is None or (news.is_open and not known.is_open)
        question = news if known is None else known.with_latest_state(news)
        if question.is_open or question.id == self._chosen:
            self._by_id[question.id] = question
        else:
            del self._by_id[question.id]
        self._choose_first_if_none()
        return is_new

    def keep_only_questions(self, ids: Iterable[str]) -> list[str]:
        """Remove questions that the server no longer lists as open; return the ids with an unknown end."""
        listed = set(ids)
        gone = [id for id, one in self._by_id.items() if id not in listed and one.is_open]
        for id in gone:
            if id != self._chosen:
                del self._by_id[id]
        return [id for id in gone if id == self._chosen]

    def remove_question(self, id: str) -> None:
        """Remove a question that no longer exists."""
        self._by_id.pop(id, None)
        self._choose_first_if_none()

    def move_selection(self, step: int) -> None:
        """Select the next or previous question; a question that has ended is removed."""
        shown = self.questions
        at = self.selected_index
        now = self.selected_question
        if now is not None and not now.is_open:
            del self._by_id[now.id]
            shown.pop(at)
            at -= step > 0
        target = at + step
        self._chosen = shown[max(0, min(len(shown) - 1, target))].id if shown else ""

    def select_question(self, id: str) -> None:
        """Select a question by its id."""
        if id in self._by_id:
            self._chosen = id

    def set_filter(self, text: str) -> None:
        """Show only the questions that contain this text, and select one of them."""
        self.filter = text.strip().lower()
        if self.selected_question is not None and not self._matches_filter(self.selected_question):
            self._chosen = next((one.id for one in self.questions if self._matches_filter(one)), self._chosen)

    def require_reload(self) -> None:
        """Require that every question is loaded again before it can be allowed."""
        for id, one in self._by_id.items():
            self._by_id[id] = replace(one, is_loaded=False)

    def _matches_filter(self, question: Question) -> bool:
        if not self.filter:
            return True
        return self.filter in f"{question.agent} {question.call_text}".lower()

    def _choose_first_if_none(self) -> None:
        if self._chosen not in self._by_id:
            shown = self.questions
            self._chosen = shown[0].id if shown else ""
