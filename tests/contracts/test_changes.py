"""Only the gate calls the methods of a store that change data."""

import ast
from collections.abc import Iterator
from pathlib import Path

from assent.gate.people import IdentityStore
from assent.gate.store import Store
from tests.contracts.tree import SRC, parse_file, relative_name, source_files

CHANGING_METHODS = {
    # approvals
    "add_approval", "change_approval", "sweep",
    # policy
    "set_tiers", "add_policy", "revoke", "replace_rule", "use_grants", "pin_definitions", "set_declarations",
    "save_setting", "pause", "resume", "set_workspaces",
    # conversations, the audit and processes
    "save_conversation", "record", "count_call", "join", "leave", "record_heartbeat",
    # people
    "add_person", "set_administrator", "disable_person", "enable_person", "set_role", "add_credential",
    "use_link", "extend_credential", "revoke_credential",
}  # fmt: skip
READING_METHODS = {
    "boot", "secret", "moment", "approval", "approvals", "excerpts", "excerpt", "wait_for_answer",
    "stored_policy", "tiers", "grants", "rules", "pins", "declarations", "setting", "conversation",
    "conversations", "flush_audit", "audit", "tally", "rule_hits", "tool_uses", "count_pending", "counters", "check_writable",
    "close", "events", "latest_cursor", "change_count", "wait_for_change",
    "workspaces", "people", "person", "person_by_identity", "roles", "credential", "credentials",
}  # fmt: skip
REPLY_METHODS = {"begin_request", "save_reply"}
"""Methods that store replies for idempotency keys; they change no data that needs rights."""
STORE_NAMES = {"store", "_store", "register", "_register"}
"""Names of variables and attributes that contain a store."""
MODULES_OUTSIDE_THE_GATE = sorted(
    module for module in source_files() if not any(map(module.is_relative_to, (SRC / "gate", SRC / "stores")))
)


def test_every_method_of_a_store_is_listed_as_reading_or_changing() -> None:
    methods = {one for port in (Store, IdentityStore) for one in dir(port) if not one.startswith("_")}

    assert methods == CHANGING_METHODS | READING_METHODS | REPLY_METHODS


def test_only_the_gate_calls_changing_methods_of_a_store() -> None:
    found = {
        relative_name(module): calls
        for module in MODULES_OUTSIDE_THE_GATE
        if (calls := sorted(_changing_calls(parse_file(module))))
    }

    assert found == {}


def _changing_calls(tree: ast.Module) -> Iterator[str]:
    """The calls of changing methods on a variable with the name of a store."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in CHANGING_METHODS
            and _variable_name(node.value) in STORE_NAMES
        ):
            yield f"line {node.lineno}: {_variable_name(node.value)}.{node.attr}"


def _variable_name(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=attr):
            return attr
        case ast.Name(id=id_):
            return id_
        case _:
            return ""


def test_the_check_finds_a_call_of_a_changing_method(tmp_path: Path) -> None:
    module = tmp_path / "route.py"
    module.write_text("async def end(service):\n    await service.store.revoke('g1', by='ana')\n", "utf-8")

    assert list(_changing_calls(ast.parse(module.read_text("utf-8")))) == ["line 2: store.revoke"]
