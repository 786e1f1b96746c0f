"""A change has one path: only the gate calls the methods of a store that change something."""

import ast
from collections.abc import Iterator
from pathlib import Path

from assent.gate.people import Register
from assent.gate.store import Store
from tests.contracts.tree import SRC, modules, name, parsed

CHANGING = {
    # approvals
    "add_approval", "change_approval", "sweep",
    # policy
    "set_tiers", "add_policy", "revoke", "replace_rule", "use_grants", "pin_definitions", "set_declarations",
    "save_setting", "pause", "resume",
    # conversations, the audit and processes
    "save_conversation", "record", "count_call", "join", "leave", "record_heartbeat",
    # people
    "add_person", "set_administrator", "disable_person", "enable_person", "set_role", "add_credential",
    "use_link", "extend_credential", "revoke_credential",
}  # fmt: skip
READING = {
    "boot", "secret", "moment", "approval", "approvals", "excerpts", "excerpt", "wait_for_answer",
    "stored_policy", "tiers", "grants", "rules", "pins", "declarations", "setting", "conversation",
    "conversations", "flush_audit", "audit", "tally", "hits", "tool_uses", "count_pending", "counters", "check_writable",
    "close", "events", "latest_cursor", "change_count", "wait_for_change",
    "people", "person", "person_by_identity", "roles", "credential", "credentials",
}  # fmt: skip
BOOKKEEPING = {"begin_request", "save_reply"}
"""Replies to requests with an idempotency key: they change nothing that rights are about."""
STORES = {"store", "_store", "register", "_register"}
"""The names under which code holds a store."""
OUTSIDE = sorted(
    module for module in modules() if not any(map(module.is_relative_to, (SRC / "gate", SRC / "stores")))
)


def test_every_method_of_a_store_reads_or_changes() -> None:
    methods = {one for port in (Store, Register) for one in dir(port) if not one.startswith("_")}

    assert methods == CHANGING | READING | BOOKKEEPING


def test_only_the_gate_changes_what_a_store_keeps() -> None:
    found = {name(module): calls for module in OUTSIDE if (calls := sorted(_changes(parsed(module))))}

    assert found == {}


def _changes(tree: ast.Module) -> Iterator[str]:
    """The calls of changing methods on something that is called a store."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in CHANGING and _holder(node.value) in STORES:
            yield f"line {node.lineno}: {_holder(node.value)}.{node.attr}"


def _holder(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=attr):
            return attr
        case ast.Name(id=id_):
            return id_
        case _:
            return ""


def test_the_check_finds_a_change(tmp_path: Path) -> None:
    module = tmp_path / "route.py"
    module.write_text("async def end(service):\n    await service.store.revoke('g1', by='ana')\n", "utf-8")

    assert list(_changes(ast.parse(module.read_text("utf-8")))) == ["line 2: store.revoke"]
