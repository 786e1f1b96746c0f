"""Deciding calls in the current directory: its policy, its workspace and the trust of its repository."""

import os
import sys
from collections.abc import Callable, Mapping

from assent.config.paths import ConfigPaths, find_config_paths
from assent.config.policy import SHIPPED_POLICY, Origin, Policy
from assent.config.workspace import directories_on_disk, gather_facts
from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Tool
from assent.engine.base.value import Value, replace
from assent.engine.decide import decide, files_to_digest, paths_to_resolve, searches_to_make
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Decision
from assent.errors import InputError


class CheckedCall(Value):
    """A call, its decision, and the policy and facts that the decision is based on."""

    call: Call
    snapshot: Snapshot
    facts: Facts
    decision: Decision


class LocalDecider(Value):
    """Decides calls by one policy in one workspace."""

    policy: Policy
    snapshot: Snapshot
    directories: CallDirectories
    trusts: Callable[[str], bool]
    """Returns whether the repository that contains a directory is trusted."""
    load_pins: Callable[[], Mapping[str, str]]
    """Returns the approved digests of task files."""
    agent: str = ""
    trust_file: str = ""
    """The file with what a person trusts; it may be missing."""

    def decide_typed_call(self, text: str) -> CheckedCall:
        """Decide a call written as `Tool(specifier)`."""
        from assent.config.written_calls import parse_call

        call, tools = parse_call(text, self.snapshot.tools)
        return self.decide_call(call, tools)

    def decide_call(self, call: Call, tools: Mapping[str, Tool] | None = None) -> CheckedCall:
        """Decide a call; `tools` replaces the tools of the policy."""
        snapshot = self.snapshot if tools is None else replace(self.snapshot, tools=tools)
        call = replace(call, agent=self.agent)
        wanted = paths_to_resolve(call, snapshot, self.directories)
        findings, names_code = self._make_searches(call, snapshot)
        facts = gather_facts(
            self.directories,
            wanted,
            trusts=_trust_no_directory if names_code else self.trusts,
            contents=self._command_input_digests(call, snapshot),
            findings=findings,
        )
        return CheckedCall(call=call, snapshot=snapshot, facts=facts, decision=decide(call, snapshot, facts))

    def _command_input_digests(self, call: Call, snapshot: Snapshot) -> Mapping[str, str]:
        """The digests of the files that the commands of a call read as input."""
        files = files_to_digest(call, snapshot, self.directories)
        if not files:
            return {}
        from assent.config.content import file_digests

        return file_digests(self.directories, files)

    def _make_searches(self, call: Call, snapshot: Snapshot) -> tuple[Mapping[str, str], bool]:
        """What the searches of a call found, and whether a file names code for another program than Git."""
        searches = searches_to_make(call, snapshot, self.directories)
        if not searches:
            return {}, False
        from assent.config.findings import make_searches, names_program_code
        from assent.config.repository import NO_TRUST, load_trust

        trust = load_trust(self.trust_file) if self.trust_file else NO_TRUST
        found = make_searches(self.directories, searches, self.load_pins(), trust)
        return found, names_program_code(searches, found)

    def with_other_mode(self, word: str) -> "LocalDecider":
        """A copy of this decider with another mode."""
        policy = self.policy.with_mode(word, Origin("prompt", ":mode"))
        return replace(self, policy=policy, snapshot=replace(self.snapshot, mode=policy.mode))


def load_decider(
    *, policy_file: str | None = None, mode: str | None = None, preset: str | None = None, agent: str = ""
) -> LocalDecider:
    """Build a decider with the policy of the current directory, from the files that a server would read."""
    paths = current_config_paths()
    policy = load_current_policy(paths, policy_file=policy_file, mode=mode, preset=preset)
    _warn_about_untrusted_files(policy)
    return build_decider(paths, policy, agent)


def build_decider(paths: ConfigPaths, policy: Policy, agent: str) -> LocalDecider:
    """The decider of a policy for the workspace of these paths."""
    return LocalDecider(
        policy=policy,
        snapshot=policy.snapshot(agent),
        directories=directories_on_disk(paths.cwd, (paths.root, *policy.roots), paths.home),
        trusts=_load_repository_trust(paths),
        load_pins=lambda: _load_pins(paths),
        agent=agent,
        trust_file=paths.trust_file,
    )


def current_config_paths() -> ConfigPaths:
    """The configuration paths for the current directory."""
    try:
        return find_config_paths(os.getcwd(), os.environ)
    except OSError:
        raise InputError("the current directory no longer exists; change to one that exists") from None


def load_current_policy(
    paths: ConfigPaths, *, policy_file: str | None = None, mode: str | None = None, preset: str | None = None
) -> Policy:
    """Load the policy for the given paths; if there is no policy file, its reader is not even imported."""
    environ = os.environ
    if policy_file is not None:
        from assent.config.layers import load_policy_file

        return load_policy_file(policy_file, paths, environ, mode=mode, preset=preset)
    if paths.existing_files() or preset is not None or environ.get("ASSENT_PRESET"):
        from assent.config.layers import load_policy
        from assent.config.repository import load_trust

        return load_policy(paths, load_trust(paths.trust_file), environ, mode=mode, preset=preset)
    policy = SHIPPED_POLICY
    if environ.get("ASSENT_MODE"):
        policy = policy.with_mode(environ["ASSENT_MODE"], Origin("environment", "ASSENT_MODE"))
    return policy if mode is None else policy.with_mode(mode, Origin("flag", "--mode"))


def _load_repository_trust(paths: ConfigPaths) -> Callable[[str], bool]:
    if not os.path.lexists(paths.trust_file):
        return _trust_no_directory
    from assent.config.repository import load_trust

    return load_trust(paths.trust_file).trusts_directory


def _load_pins(paths: ConfigPaths) -> Mapping[str, str]:
    if not os.path.lexists(paths.pins_file):
        return {}
    from assent.config.task_files import load_pins

    return load_pins(paths.pins_file)


def _trust_no_directory(_directory: str) -> bool:
    return False


def _warn_about_untrusted_files(policy: Policy) -> None:
    """Warn about settings in the repository's own files that have no effect until the files are trusted."""
    if not policy.held_back:
        return
    from assent.cli.base.terminal import visible_text

    first, *more = policy.held_back
    what = visible_text(first) + (f" and {len(more)} more" if more else "")
    print(
        f"assent: the repository's own files are not trusted, so this has no effect: {what}; "
        "see `assent config trust`",
        file=sys.stderr,
    )
