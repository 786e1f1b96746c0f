"""A tool of the belt: what the gate decides by, and what then does the work."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from assent.config.tools import BELTS
from assent.engine.model import Tool
from assent.gate.catalog import DeclaredTool, Trust
from assent.gate.ports import Issue, Preview
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.clip import clip
from assent.hosts.chat.belt.context import Context, Progress
from assent.hosts.chat.belt.fault import FaultError, ParkedError
from assent.hosts.chat.belt.plain import plain_object, plain_text
from assent.hosts.chat.belt.schema import Schema, issues

_log = logging.getLogger("assent.chat.belt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a call: a text for the model, and data for whoever shows it."""

    text: str
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    failed: bool = False


Work = Callable[[Arguments, Context], Awaitable[Result]]
DryRun = Callable[[Arguments, Context], Awaitable[Preview]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltTool:
    """A tool and its work; `run` is entered only after the gate has said so."""

    tool: Tool
    work: Work
    dry_run: DryRun | None = None
    """What a call would change, without changing it; a tool without one cannot be proposed."""
    seconds: float | None = None
    """A time limit of its own; otherwise the context's."""
    goes_on: bool = False
    """Made again after it was cut off, it goes on where it was: what it does is kept step by step."""
    trust: Trust = Trust.SERVER
    provider: str = "operations"

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name

    @property
    def declared(self) -> DeclaredTool:
        """The declaration that the gate's catalog takes."""
        return DeclaredTool(tool=self.tool, trust=self.trust, provider=self.provider)

    def issues(self, args: Mapping[str, object]) -> tuple[Issue, ...]:
        """What is wrong with these arguments."""
        return issues(self.tool.parameters, args)

    async def run(self, args: Mapping[str, object], context: Context) -> Result:
        """Do the work. Whatever goes wrong is a failed result, so that the run of the agent goes on."""
        seconds = self.seconds or context.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._worked(args, context)
        except ParkedError:
            raise
        except FaultError as fault:
            return _failed(str(fault))
        except TimeoutError:
            return _failed(f"`{self.name}` took longer than {seconds:g} seconds and was ended")
        except Exception as error:  # noqa: BLE001 - the edge at which a crash becomes a result
            _log.error("tool `%s` crashed: %s in %s", self.name, type(error).__name__, _where(error))
            return _failed(f"`{self.name}` crashed: {type(error).__name__}")

    async def _worked(self, args: Mapping[str, object], context: Context) -> Result:
        if wrong := self.issues(args):
            raise FaultError(f"the arguments are not valid: {'; '.join(map(' '.join, wrong))}")
        result = await self.work(Arguments(args), replace(context, progress=_within(context)))
        text = clip(plain_text(result.text), context.limits.characters)
        return replace(result, text=text, data=plain_object(result.data))


def belt_tool(name: str, description: str, parameters: Schema) -> Tool:
    """A tool of the chat's belt as everybody knows it, with the words and parameters that the model sees."""
    return replace(BELTS["chat"][name], description=description, parameters=parameters)


def _within(context: Context) -> Progress:
    """Progress up to the length of a result, and as long as somebody can hear it; work goes on regardless."""
    room = context.limits.characters

    async def heard(text: str) -> None:
        nonlocal room
        if room > 0:
            shown = text[:room]
            room -= len(shown)
            try:
                await context.progress(shown)
            except Exception as error:  # noqa: BLE001 - whoever listens cannot stop the work by failing
                _log.warning("progress is no longer heard: %s", type(error).__name__)
                room = 0

    return heard


def _where(error: Exception) -> str:
    """Where a crash came from; its message might hold arguments, which are not logged."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}"


def _failed(text: str) -> Result:
    return Result(text=plain_text(text), failed=True)
