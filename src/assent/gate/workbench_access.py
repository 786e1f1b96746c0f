"""Who may use the files and terminals of a server that other machines can reach."""

from dataclasses import dataclass
from typing import Protocol

from assent.errors import NotFoundError
from assent.gate.access import Kind, Principal, check_administrator
from assent.gate.changes import AuditRecorder, ChangeKind, authorize, change_entry
from assent.gate.people import Person

_SETTING_PREFIX = "person.workbench:"
"""The start of the name of the setting of one person."""
_FILES, _TERMINAL = "files", "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbenchRights:
    """What a person may use."""

    files: bool = False
    terminal: bool = False

    @property
    def words(self) -> str:
        """The rights as words, for the store and the audit."""
        given = ((_FILES, self.files), (_TERMINAL, self.terminal))
        return " ".join(word for word, is_given in given if is_given)


class WorkbenchAccessStore(AuditRecorder, Protocol):
    """The part of a store that keeps people and settings."""

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        ...

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Save a setting; None removes it."""
        ...

    async def person(self, id: str) -> Person | None:
        """The person with this id."""
        ...


class WorkbenchAccess:
    """Turns files and terminals on and off for single people; absent means off."""

    def __init__(self, store: WorkbenchAccessStore) -> None:
        self._store = store

    async def rights_of(self, principal: Principal, person: str) -> WorkbenchRights:
        """What an administrator turned on for a person; people may read their own rights."""
        if principal.kind is not Kind.PERSON or principal.id != person:
            check_administrator(principal)
        words = (await self._store.setting(_SETTING_PREFIX + person) or "").split()
        return WorkbenchRights(files=_FILES in words, terminal=_TERMINAL in words)

    async def set_rights(self, principal: Principal, person: str, rights: WorkbenchRights) -> None:
        """Turn files and terminals on or off for a person; only an administrator may."""
        change = authorize(self._store, principal, check_administrator)
        if await self._store.person(person) is None:
            raise NotFoundError("person", person)
        entry = change_entry(
            principal.id, ChangeKind.SETTING_CHANGED, f"workbench of {person}: {rights.words or 'off'}"
        )
        saving = self._store.save_setting(_SETTING_PREFIX + person, rights.words or None, by=principal.id)
        await change.write(saving, entry)
