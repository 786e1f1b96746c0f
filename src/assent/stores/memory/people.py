"""The people and the chat of a store in memory."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Kind, Role
from assent.gate.conversation import (
    ALL_KINDS,
    OPEN_STATUSES,
    ChatRun,
    LogKind,
    LogLine,
    Post,
    RunStatus,
    StartedRun,
    StartResult,
    check_post,
    start_run,
)
from assent.gate.people import (
    REPLY_RETENTION,
    REQUEST_TIMEOUT,
    ActiveCredential,
    Credential,
    Person,
    Purpose,
    StoredReply,
    check_credential,
    check_person,
    is_active,
)
from assent.stores.sql.waiting import ChangeSignal


class MemoryPeople:
    """Implements `gate.people.IdentityStore` in memory."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._register_now = now
        self._people: dict[str, Person] = {}
        self._roles: dict[tuple[str, str], Role] = {}
        self._credentials: dict[str, Credential] = {}
        self._digests: dict[str, str] = {}
        self._replies: dict[tuple[str, str], tuple[str, datetime, StoredReply | None]] = {}

    # ---- people ---------------------------------------------------------------------------------

    async def add_person(self, person: Person, *, by: str) -> Person:  # noqa: ARG002 - the gate records who did it
        """Add a person."""
        check_person(person)
        now = self._register_now()
        identities = {one.identity for one in self._people.values()} - {None}
        if person.id in self._people or person.identity in identities:
            raise ConflictError(f"there is a person `{person.id}` already, or one with the same identity")
        self._people[person.id] = replace(person, added_at=now, disabled_at=None)
        return self._people[person.id]

    async def people(self) -> Sequence[Person]:
        """Every person, ordered by id."""
        self._register_now()
        return [self._people[id] for id in sorted(self._people)]

    async def person(self, id: str) -> Person | None:
        """The person with this id."""
        self._register_now()
        return self._people.get(id)

    async def person_by_identity(self, identity: str) -> Person | None:
        """The person with this identity at the sign-in provider."""
        self._register_now()
        return next((one for one in self._people.values() if one.identity == identity), None)

    async def set_administrator(self, id: str, *, administrator: bool, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Give or revoke administrator rights."""
        person = self._find_person(id)
        if not administrator:
            self._check_not_last(id)
        self._people[id] = replace(person, administrator=administrator)

    async def disable_person(self, id: str, *, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Disable a person, and revoke the credentials of the person and of their agents."""
        now = self._register_now()
        person = self._find_person(id)
        self._check_not_last(id)
        self._people[id] = replace(person, disabled_at=person.disabled_at or now)
        for one in list(self._credentials.values()):
            if one.user == id:
                self._end_credential(one.id)

    async def enable_person(self, id: str, *, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Enable a person again."""
        self._people[id] = replace(self._find_person(id), disabled_at=None)

    async def set_role(self, person: str, subject: str, role: Role | None, *, by: str) -> None:  # noqa: ARG002 - the gate records who did it
        """Set or remove a person's role for a conversation or an agent."""
        self._find_person(person)
        if role is None:
            self._roles.pop((person, subject), None)
        else:
            self._roles[person, subject] = role

    async def roles(self, person: str) -> Mapping[str, Role]:
        """The roles of a person, by conversation and agent."""
        self._register_now()
        return {subject: role for (who, subject), role in self._roles.items() if who == person}

    # ---- credentials ----------------------------------------------------------------------------

    async def add_credential(
        self, credential: Credential, digest: str, *, lives_for: timedelta | None
    ) -> Credential:
        """Store a credential that is valid from now on for `lives_for`."""
        check_credential(credential)
        now = self._register_now()
        expires = None if lives_for is None else now + lives_for
        if credential.user and self._find_person(credential.user).disabled_at is not None:
            raise NotFoundError("person", credential.user)
        if credential.id in self._credentials or digest in self._digests:
            raise ConflictError(f"there is a credential `{credential.id}` already")
        made = replace(credential, made_at=now, expires_at=expires, ended_at=None)
        self._credentials[made.id] = made
        self._digests[digest] = made.id
        return made

    async def credential(self, digest: str) -> ActiveCredential | None:
        """The credential with this digest and its person, if it is valid now."""
        now = self._register_now()
        credential = self._credentials.get(self._digests.get(digest, ""))
        if credential is None:
            return None
        person = self._people.get(credential.user)
        if not is_active(credential, person, at=now):
            return None
        is_person = credential.kind is Kind.PERSON
        return ActiveCredential(
            credential, person, await self.roles(credential.user) if is_person else {}, now
        )

    async def use_link(self, digest: str) -> ActiveCredential | None:
        """The credential of a log-in link, which is valid only once."""
        known = await self.credential(digest)
        if known is None or known.credential.purpose is not Purpose.LINK:
            return None
        self._end_credential(known.credential.id)
        return known

    async def extend_credential(self, id: str, *, lives_for: timedelta) -> None:
        """Make a valid credential expire `lives_for` from now."""
        now = self._register_now()
        one = self._credentials.get(id)
        if one is not None and one.ended_at is None and one.expires_at is not None and one.expires_at > now:
            self._credentials[id] = replace(one, expires_at=now + lives_for)

    async def revoke_credential(self, id: str, *, by: str) -> bool:  # noqa: ARG002 - the gate records who did it
        """Revoke a credential; returns whether it was active."""
        if id not in self._credentials:
            raise NotFoundError("credential", id)
        was_active = self._credentials[id].ended_at is None
        self._end_credential(id)
        return was_active

    async def credentials(self, person: str | None = None) -> Sequence[Credential]:
        """The valid credentials, oldest first."""
        now = self._register_now()
        return [
            one
            for one in self._credentials.values()
            if one.ended_at is None
            and (one.expires_at is None or one.expires_at > now)
            and person in (None, one.user)
        ]

    # ---- repeated requests ----------------------------------------------------------------------------

    async def begin_request(self, principal: str, key: str, request_digest: str) -> StoredReply | None:
        """Begin a request with an idempotency key, or return its stored reply."""
        now = self._register_now()
        digest, began, reply = self._replies.get((principal, key), (request_digest, None, None))
        if began is None or now - began > REPLY_RETENTION:
            self._replies[principal, key] = (request_digest, now, None)
            return None
        if digest != request_digest:
            raise ConflictError(f"the key `{key}` belongs to another request: use a new one")
        if reply is None and now - began <= REQUEST_TIMEOUT:
            raise ConflictError(f"the request with the key `{key}` is still running: try again in a moment")
        self._replies[principal, key] = (digest, began if reply else now, reply)
        return reply

    async def save_reply(self, principal: str, key: str, reply: StoredReply | None) -> None:
        """Store the reply of a request, or delete its key."""
        self._register_now()
        found = self._replies.get((principal, key))
        if found is None or found[2] is not None:
            return
        if reply is None:
            del self._replies[principal, key]
        else:
            self._replies[principal, key] = (found[0], found[1], reply)

    # ---- helpers ----------------------------------------------------------------------------------------

    def _end_credential(self, id: str) -> None:
        now = self._register_now()
        one = self._credentials[id]
        self._credentials[id] = replace(one, ended_at=one.ended_at or now)

    def _find_person(self, id: str) -> Person:
        self._register_now()
        if id not in self._people:
            raise NotFoundError("person", id)
        return self._people[id]

    def _check_not_last(self, id: str) -> None:
        left = [one.id for one in self._people.values() if one.administrator and one.disabled_at is None]
        if left == [id]:
            raise ConflictError(f"`{id}` is the last administrator: make another person administrator first")


class MemoryChat:
    """Implements `gate.conversation.Transcript` in memory."""

    _signal: ChangeSignal

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._chat_now = now
        self._runs: dict[str, ChatRun] = {}
        self._posts: dict[tuple[str, str], tuple[str, str]] = {}
        self._lines: dict[str, list[LogLine]] = {}

    async def begin_run(
        self, run: ChatRun, *, post: Post | None = None, replaces: Collection[str] = ()
    ) -> StartedRun:
        """Begin a run, or return the existing run of the same message, or the run that is still open."""
        now = self._chat_now()
        known = None if post is None else await self.find_run_of_post(post)
        if known is not None:
            return StartedRun(known, StartResult.REPEATED)
        begun = start_run(run, await self.chat_runs(run.conversation), replaces)
        if begun.start is not StartResult.NEW:
            return begun
        if post is not None:
            self._posts[post.sender, post.key] = (post.digest, run.id)
        for id in replaces:
            self._runs[id] = replace(self._runs[id], replaced_by=run.id)
        self._lines[run.id] = []
        return StartedRun(self._save_run(replace(run, began_at=now, boot="here")), StartResult.NEW)

    async def find_run_of_post(self, post: Post) -> ChatRun | None:
        """The run that a request with this key began."""
        digest, run = self._posts.get((post.sender, post.key), ("", ""))
        if not run:
            return None
        check_post(post, digest)
        return await self.chat_run(run)

    async def save_post(self, post: Post, run: str) -> None:
        """Store the key of a request about an existing run."""
        digest, _ = self._posts.setdefault((post.sender, post.key), (post.digest, run))
        check_post(post, digest)

    async def chat_run(self, id: str) -> ChatRun:
        """The run with this id."""
        self._chat_now()
        if id not in self._runs:
            raise NotFoundError("run", id)
        return self._runs[id]

    async def chat_runs(self, conversation: str) -> Sequence[ChatRun]:
        """The runs of a conversation, oldest first."""
        self._chat_now()
        return [one for one in self._runs.values() if one.conversation == conversation]

    async def append_lines(
        self, id: str, lines: Sequence[LogLine], status: RunStatus = RunStatus.RUNNING
    ) -> ChatRun:
        """Append lines to the log of a run; `status` may end the run."""
        now = self._chat_now()
        run = await self.chat_run(id)
        new = [line._replace(run=id) for line in lines if line.number >= run.length]
        if not new and run.status is status:
            return run
        if run.status is not RunStatus.RUNNING:
            raise ConflictError(f"run `{id}` is {run.status}")
        self._lines[id] += new
        ended = None if status is RunStatus.RUNNING else now
        changed = replace(run, length=run.length + len(new), status=status, ended_at=ended)
        if status is RunStatus.RUNNING:
            self._runs[id] = changed
            return changed
        return self._save_run(changed)

    async def log_lines(
        self, runs: Collection[str], *, after: int = 0, kinds: Collection[LogKind] = ALL_KINDS
    ) -> Sequence[LogLine]:
        """The log lines of these runs, in the order of the runs."""
        self._chat_now()
        every = [line for run in runs for line in self._lines.get(run, ())]
        return [line for line in every if line.number >= after and line.kind in kinds]

    async def take_over_run(self, id: str, silent: timedelta) -> ChatRun | None:  # noqa: ARG002
        """Resume a suspended run; there are no other processes."""
        run = await self.chat_run(id)
        if run.status not in OPEN_STATUSES:
            return None
        return self._save_run(replace(run, status=RunStatus.RUNNING, ended_at=None))

    async def request_end(self, id: str, requested_end: str) -> None:
        """Request how a run should end."""
        run = await self.chat_run(id)
        if run.status in OPEN_STATUSES and not run.requested_end:
            self._save_run(replace(run, requested_end=requested_end))

    async def stale_runs(self, silent: timedelta) -> Sequence[ChatRun]:  # noqa: ARG002
        """The runs whose end was requested."""
        self._chat_now()
        return [one for one in self._runs.values() if one.status is RunStatus.RUNNING and one.requested_end]

    def _save_run(self, run: ChatRun) -> ChatRun:
        self._runs[run.id] = run
        self._signal.publish()
        return run
