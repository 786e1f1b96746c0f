"""Scenario: a real server over HTTP with one mishap after the other; checks what its clients saw."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chaos.clients import AgentClient, ApiClient, Approver, ClientLog
from chaos.history import Act
from chaos.invariants import DENY, OK, Breach, call_histories, count_acts, find_breaches
from chaos.mishaps import ServerUnderTest, choose_mishaps, kill_server
from chaos.postgres import LocalPostgres
from chaos.proxy import Proxy
from chaos.report import Report, percentile, summarize_seconds
from chaos.restores import (
    FinalState,
    find_runs_after_restore,
    find_unknown_approvals,
    find_wrong_final_states,
    is_ended_by_restore,
)
from chaos.server_process import ServerProcess
from chaos.site import Site
from chaos.worker_pool import Progress

LARGE_ARGUMENT_BYTES = 300_000
"""Size of the arguments of every tenth call."""
_FINISH_TIMEOUT = 900.0
_PAUSE_SECONDS = 0.4
"""Seconds between two mishaps."""
_RECOVERY_TIMEOUT = 60.0
"""Seconds after a mishap in which the server must be ready again."""
_MAX_FIRST_ANSWER_SECONDS = 2.0
"""Limit of the 99th percentile of the seconds from a kill to the first answer."""
_STATES = (
    "pending", "approved", "running", "done", "failed", "denied", "expired", "withdrawn", "lapsed", "refused",
    "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedSize:
    """The size of a run: rounds, agents, calls and kills."""

    rounds: int
    """How often each mishap happens."""
    agents: int
    calls: int
    """Minimum number of calls per agent."""
    kills: int = 1
    """Number of kills per round."""


SHORT_SIZE = ServedSize(rounds=1, agents=4, calls=12)
LONG_SIZE = ServedSize(rounds=20, agents=8, calls=150, kills=6)


def run_scenario(
    site: Site, server: LocalPostgres | None, size: ServedSize, seed: int, progress: Progress
) -> Report:
    """Let agents ask and people answer during the mishaps; then check what they saw."""
    site.prepare()
    with ExitStack() as opened:
        target = _start_server(site, server, opened)
        return _run_clients_and_mishaps(target, size, seed, progress)


def _start_server(site: Site, server: LocalPostgres | None, opened: ExitStack) -> ServerUnderTest:
    """Start a server; PostgreSQL, if used, is behind a proxy."""
    proxy = None
    if server is not None:
        proxy = opened.enter_context(Proxy(server.socket, drops_notices=False))
    address = site.address if proxy is None else proxy.proxied_address(site.address)
    target = ServerUnderTest(site, ServerProcess(site, address), server, proxy)
    opened.callback(lambda: [cluster.stop() for cluster in target.clusters])
    opened.callback(target.serving.stop)
    return target


def _run_clients_and_mishaps(
    target: ServerUnderTest, size: ServedSize, seed: int, progress: Progress
) -> Report:
    client_log = ClientLog()
    askers = [
        AgentClient(
            ApiClient(target.serving),
            client_log,
            f"agent{number}",
            size.calls,
            call_arguments,
            target.claims_allowed,
        )
        for number in range(size.agents)
    ]
    approvers = [
        Approver(ApiClient(target.serving), client_log, f"approver{number} {seed}") for number in range(2)
    ]
    for visitor in (*askers, *approvers):
        visitor.start()
    happened = _run_mishaps(target, client_log, size, random.Random(seed), progress)
    progress("everything happened; finishing what is open")
    late = _count_unfinished(askers)
    for approver in approvers:
        approver.stopping.set()
        approver.join()
    progress("reading the audit and what became of every question")
    api = ApiClient(target.serving)
    rows, ends = api.list_all("/v1/audit?limit=200"), read_final_states(api)
    client_log.save(target.site.histories / "visitors.jsonl")
    missed = [*happened.missed, *([f"{late} agents did not come to their end"] if late else [])]
    return _make_report(target, client_log, size, seed, replace(happened, missed=missed), rows, ends)


def call_arguments(call: str) -> dict[str, object]:
    """The arguments of a call; every tenth call is large."""
    room = {"note": "x" * LARGE_ARGUMENT_BYTES} if call.endswith("9") else {}
    return {"command": f"make {call}", **room}


def read_final_states(api: ApiClient) -> dict[str, FinalState]:
    """Read the final state of every approval from the server."""
    states = "&".join(f"state={state}" for state in _STATES)
    items = api.list_all(f"/v1/approvals?limit=200&{states}")
    return {str(one["id"]): FinalState(str(one["state"]), str(one["note"])) for one in items}


def missing_audit_rows(client_log: ClientLog, rows: Sequence[Any]) -> list[str]:
    """Answers and runs that a client saw and that are not in the audit exactly once."""
    found = Counter((row["entry"]["approval"], row["entry"]["decision"]) for row in rows)
    told = call_histories(client_log.events, client_log.effects)
    answers = {
        one.approval: "denied" if one.start.say == DENY else "approved"
        for story in told
        for one in story.acknowledged_answers
    }
    claims = [(one.approval, "claimed") for story in told for one in story.effects]
    return [" ".join(one) for one in (*answers.items(), *claims) if found[one] != 1]


def seconds_until_first_answers(client_log: ClientLog, kills: Sequence[float]) -> list[float]:
    """Seconds from each kill to the first acknowledged answer that was sent after it."""
    sent = {one.step: one.at for one in client_log.events if one.act is Act.ANSWER and not one.outcome}
    heard = [one for one in client_log.events if one.act is Act.ANSWER and one.outcome == OK]
    found = [min((one.at for one in heard if sent[one.step] > at), default=None) for at in kills]
    return [end - at for at, end in zip(kills, found, strict=True) if end is not None]


@dataclass(frozen=True, slots=True)
class MishapFigures:
    """The measurements of the mishaps."""

    back: Sequence[float]
    """Seconds from the end of each mishap until the server was ready."""
    worked: Sequence[float]
    """CPU seconds of a server from its start after a kill to about its first answer."""
    missed: Sequence[str]


def _run_mishaps(
    target: ServerUnderTest,
    client_log: ClientLog,
    size: ServedSize,
    chance: random.Random,
    progress: Progress,
) -> MishapFigures:
    """Run one mishap after the other, and measure how long the server is unavailable."""
    back, worked, missed = list[float](), list[float](), list[str]()
    for round_ in range(size.rounds):
        for name, mishap in choose_mishaps(target, size.kills, chance):
            progress(f"round {round_ + 1} of {size.rounds}: {name}")
            if not _wait_until(partial(_are_clients_active, client_log, len(client_log.events))):
                missed.append(f"nobody used the server before {name}")
            mishap(target)
            over = time.monotonic()
            if not _wait_until(partial(_is_ready, target.serving)):
                missed.append(f"not ready {_RECOVERY_TIMEOUT:.0f} s after {name}")
            back.append(time.monotonic() - over)
            if not _wait_until(partial(_has_acknowledged_answer, client_log, over)):
                missed.append(f"no answer {_RECOVERY_TIMEOUT:.0f} s after {name}")
            target.serving.check()
            if mishap is kill_server:
                worked.append(target.serving.cpu_seconds())
            time.sleep(_PAUSE_SECONDS)
    return MishapFigures(back, worked, missed)


def _are_clients_active(client_log: ClientLog, since: int) -> bool:
    """Whether clients have recorded several events after this position."""
    return len(client_log.events) > since + 4


def _has_acknowledged_answer(client_log: ClientLog, since: float) -> bool:
    """Whether an answer was acknowledged after this time."""
    return any(one.act is Act.ANSWER and one.outcome == OK for one in _newest_events(client_log, since))


def _newest_events(client_log: ClientLog, since: float) -> Iterator[Any]:
    for event in reversed(client_log.events):
        if event.at < since:
            return
        yield event


def _is_ready(serving: ServerProcess) -> bool:
    return ApiClient(serving).send("GET", "/readyz").status == 200


def _wait_until(is_true: Callable[[], bool]) -> bool:
    """Wait until a condition is true; returns whether it became true."""
    deadline = time.monotonic() + _RECOVERY_TIMEOUT
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _count_unfinished(askers: Sequence[AgentClient]) -> int:
    """Wait for all agents; returns how many did not finish."""
    for asker in askers:
        asker.stopping.set()
    deadline = time.monotonic() + _FINISH_TIMEOUT
    for asker in askers:
        asker.join(max(0.0, deadline - time.monotonic()))
    return sum(asker.is_alive() for asker in askers)


def find_all_breaches(
    target: ServerUnderTest, client_log: ClientLog, ends: Mapping[str, FinalState]
) -> list[Breach]:
    """Find all broken invariants.

    These callers repeat requests with their nonce, so a lost response is no excuse: an allowed call must run,
    unless it was approved or running at a backup.
    """
    told = call_histories(client_log.events, client_log.effects)
    excuse = partial(is_ended_by_restore, restores=target.restores, ends=ends)
    return [
        *find_breaches(client_log.events, client_log.effects, excuse=excuse),
        *(breach for story in told for breach in find_runs_after_restore(story, target.restores)),
        *(breach for story in told for breach in find_wrong_final_states(story, ends)),
        *find_unknown_approvals(told, ends),
    ]


def _make_report(
    target: ServerUnderTest,
    client_log: ClientLog,
    size: ServedSize,
    seed: int,
    happened: MishapFigures,
    rows: Sequence[Any],
    ends: Mapping[str, FinalState],
) -> Report:
    counted, told = (
        count_acts(client_log.events, client_log.effects),
        call_histories(client_log.events, client_log.effects),
    )
    ended = sum(is_ended_by_restore(story, target.restores, ends) for story in told)
    lost, first = missing_audit_rows(client_log, rows), seconds_until_first_answers(client_log, target.kills)
    missed = {
        f"{len(lost)} answers or claims without one row in the audit": bool(lost),
        f"no answer after {len(target.kills) - len(first)} kills": len(first) < len(target.kills),
        f"first answer after a kill p99 over {_MAX_FIRST_ANSWER_SECONDS:.0f} s": percentile(first, 0.99)
        > _MAX_FIRST_ANSWER_SECONDS,
    }
    return Report(
        scenario="over HTTP",
        faults="R-1, R-10, R-28, R-29, R-33, R-36",
        store="sqlite" if target.database is None else "postgresql",
        size=(
            f"{len(happened.back)} mishaps ({len(target.kills)} kills, {len(target.restores)} restores),"
            f" {size.agents} agents, {counted.calls} calls"
        ),
        seed=seed,
        breaches=find_all_breaches(target, client_log, ends),
        tally=counted,
        figures={
            "answered": str(counted.answered),
            "ran": str(counted.ran),
            "denied": str(counted.denied),
            "ended by a restore": str(ended),
            "answers or claims without one audit row": str(len(lost)),
            "errors told": str(counted.errors),
            "first answer after a kill p50/p99/worst": summarize_seconds(first),
            "of its processor time": summarize_seconds(happened.worked),
            "ready again p50/p99/worst": summarize_seconds(happened.back),
        },
        missed=[*happened.missed, *(text for text, is_missed in missed.items() if is_missed)],
    )
