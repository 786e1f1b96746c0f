"""Where a person stands: the policy, the place and the trust by which a call is decided here."""

import os
import sys
from collections.abc import Callable, Mapping

from assent.cli.terminal import visible
from assent.config.policy import SHIPPED, Origin, Policy
from assent.config.whereabouts import Whereabouts, find_whereabouts
from assent.config.workspace import gather, place_on_disk
from assent.config.written import written_call
from assent.engine.decide import decide, files_to_digest, paths_to_resolve
from assent.engine.facts import Facts, Place
from assent.engine.model import Call, Tool
from assent.engine.policy.snapshot import Snapshot
from assent.engine.value import Value, replace
from assent.engine.verdict import Decision
from assent.errors import InputError


class Decided(Value):
    """A call, everything it was decided by, and what came of it."""

    call: Call
    snapshot: Snapshot
    facts: Facts
    decision: Decision


class Standpoint(Value):
    """A policy in a place."""

    policy: Policy
    snapshot: Snapshot
    place: Place
    trusts: Callable[[str], bool]
    """Whether the repository that holds a directory is trusted."""
    agent: str = ""

    def decide_written(self, text: str) -> Decided:
        """Decide a call written as `Tool(specifier)`."""
        call, tools = written_call(text, self.snapshot.tools)
        return self.decide(call, tools)

    def decide(self, call: Call, tools: Mapping[str, Tool] | None = None) -> Decided:
        """Decide a call; tools may be given under which it means what was written."""
        snapshot = self.snapshot if tools is None else replace(self.snapshot, tools=tools)
        call = replace(call, agent=self.agent)
        paths = paths_to_resolve(call, snapshot, self.place)
        facts = gather(self.place, paths, trusts=self.trusts, contents=self._contents(call, snapshot))
        return Decided(call=call, snapshot=snapshot, facts=facts, decision=decide(call, snapshot, facts))

    def _contents(self, call: Call, snapshot: Snapshot) -> Mapping[str, str]:
        """The digests of files that are fed to commands; few calls have any."""
        fed = files_to_digest(call, snapshot, self.place)
        if not fed:
            return {}
        from assent.config.content import digests

        return digests(self.place, fed)

    def in_mode(self, word: str) -> "Standpoint":
        """The same place in another mode."""
        policy = self.policy.in_mode(word, Origin("prompt", ":mode"))
        return replace(self, policy=policy, snapshot=replace(self.snapshot, mode=policy.mode))


def stand(
    *, policy_file: str | None = None, mode: str | None = None, preset: str | None = None, agent: str = ""
) -> Standpoint:
    """Stand in the current directory, under the same layers that a server would read here."""
    where = here()
    policy = load_standing_policy(where, policy_file=policy_file, mode=mode, preset=preset)
    _warn(policy)
    return Standpoint(
        policy=policy,
        snapshot=policy.snapshot(agent),
        place=place_on_disk(where.cwd, (where.root, *policy.roots), where.home),
        trusts=_repository_trust(where),
        agent=agent,
    )


def here() -> Whereabouts:
    """The whereabouts of the current directory."""
    try:
        return find_whereabouts(os.getcwd(), os.environ)
    except OSError:
        raise InputError("the current directory is gone; change to one that exists") from None


def load_standing_policy(
    where: Whereabouts, *, policy_file: str | None = None, mode: str | None = None, preset: str | None = None
) -> Policy:
    """The policy that holds here; where there is no file, none of what reads files is loaded."""
    environ = os.environ
    if policy_file is not None:
        from assent.config.layers import load_policy_file

        return load_policy_file(policy_file, where, environ, mode=mode, preset=preset)
    if where.present() or preset is not None or environ.get("ASSENT_PRESET"):
        from assent.config.layers import load_policy
        from assent.config.trust import load_trust

        return load_policy(where, load_trust(where.trust_file), environ, mode=mode, preset=preset)
    policy = SHIPPED
    if environ.get("ASSENT_MODE"):
        policy = policy.in_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if mode is None else policy.in_mode(mode, Origin("flag", "--mode"))


def _repository_trust(where: Whereabouts) -> Callable[[str], bool]:
    if not os.path.lexists(where.trust_file):
        return _trusts_nothing
    from assent.config.trust import load_trust

    return load_trust(where.trust_file).of_directory


def _trusts_nothing(_directory: str) -> bool:
    return False


def _warn(policy: Policy) -> None:
    """Say that the repository's own files do not count in full, lest someone wonder why."""
    if not policy.held_back:
        return
    first, *more = policy.held_back
    what = visible(first) + (f" and {len(more)} more" if more else "")
    print(
        f"assent: the repository's own files are not trusted, so this does not count: {what}; "
        "see `assent config trust`",
        file=sys.stderr,
    )
