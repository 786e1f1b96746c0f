"""A person at a terminal: a dashboard on a running server, and the agents that ask."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from textual.pilot import Pilot

from assent.client.client import Client
from assent.gate.approval import Approval
from assent.surfaces.tui.app import DashboardApp
from assent.surfaces.tui.dashboard import QUIET_SECONDS, Dashboard
from assent.surfaces.tui.overview import AgentUsage
from assent.surfaces.tui.question import Question
from tests.serving import RunningServer
from tests.waiting import wait_until_async

_NUMBERS = count()


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class OpenDashboard:
    """An open dashboard."""

    app: DashboardApp
    pilot: Pilot[None]
    clock: Clock

    @property
    def dashboard(self) -> Dashboard:
        return self.app.dashboard

    @property
    def question(self) -> Question:
        assert self.dashboard.selected_question is not None
        return self.dashboard.selected_question

    async def wait_until(self, is_true: Callable[[], object]) -> None:
        """Wait for a state, and until it is painted."""
        await wait_until_async(is_true)
        await self.pilot.pause()

    async def wait_until_asked(self, waiting: int = 1) -> None:
        """Wait until questions are listed, and the selected one is loaded and painted."""
        await self.wait_until(
            lambda: (
                self.dashboard.queue.open_question_count == waiting
                and self.dashboard.selected_question is not None
            )
        )
        await self.wait_until(lambda: self.question.is_loaded)
        await self.wait_until(lambda: self.dashboard.scroll.total > 0)

    async def wait_until_over(self) -> None:
        """Wait until the selected question has ended."""
        await self.wait_until(lambda: not self.question.is_open)

    def pass_time(self, seconds: float = QUIET_SECONDS) -> None:
        """Let time pass without a key."""
        self.clock.seconds += seconds

    async def press(self, *keys: str) -> None:
        """Press keys, each after a quiet time."""
        for key in keys:
            await self.pilot.pause()
            self.pass_time()
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text quickly."""
        names = {" ": "space", "(": "left_parenthesis", ")": "right_parenthesis", "*": "asterisk"}
        await self.pilot.press(*(names.get(one, one) for one in text))
        await self.pilot.pause()

    def text(self) -> str:
        """Everything that is on the screen."""
        lines = []
        for y in range(self.app.size.height):
            strip = self.app.screen._compositor.render_strips()[y]
            lines.append(strip.text.rstrip())
        return "\n".join(lines)

    def screen_part_text(self, name: str) -> str:
        """What one part of the screen shows."""
        return str(self.app.query_one(f"#{name}").render())


@dataclass
class DashboardSetup:
    """A running server, its owner's client, and what opens dashboards on it."""

    server: RunningServer
    client: Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = self.server.client()

    def ask(self, command: str, agent: str = "clerk", tool: str = "Bash", **args: object) -> str:
        """Submit a command that needs approval; return the id of the question."""
        given = {"command": command, **args} if tool == "Bash" else args
        outcome = self.client.submit(tool, given, id=f"call-{next(_NUMBERS)}", agent=agent)
        assert outcome.approval, outcome
        return outcome.approval

    def approval(self, id: str) -> Approval:
        return self.client.approval(id)

    @asynccontextmanager
    async def open(
        self,
        width: int = 120,
        height: int = 40,
        usage: Callable[[], Mapping[str, AgentUsage]] = dict[str, AgentUsage],
    ) -> AsyncIterator[OpenDashboard]:
        """Open a dashboard, and wait until it has reached the server."""
        clock = Clock()
        app = DashboardApp(self.server.url, self.server.token, theme_name="dark", clock=clock, usage=usage)
        async with app.run_test(size=(width, height)) as pilot:
            screen = OpenDashboard(app, pilot, clock)
            await screen.wait_until(
                lambda: app.dashboard.connection.is_up and app.dashboard.person is not None
            )
            yield screen
