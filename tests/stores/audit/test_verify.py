"""Verification of the chains finds every manipulation of the audit."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent.errors import SchemaError, StoreError
from assent.gate.audit import ChainBreak
from assent.gate.ids import time_ordered_id
from assent.stores.admin.audit import verify_audit
from assent.stores.admin.connections import write_any_schema
from assent.stores.audit.verify import Verification, describe_problems
from tests.gate.samples import YES, make_question
from tests.stores.audited import ENTRIES, open_store, record_entries, tamper_with_rows
from tests.stores.promises.given import MANY, answer_change, sample_entry


async def test_an_unchanged_audit_is_intact(address: str) -> None:
    await record_entries(address)
    await record_entries(address)

    assert await verify_audit(address) == Verification(chains=2, rows=20)


async def test_an_empty_audit_is_intact(address: str) -> None:
    await record_entries(address, [])

    assert await verify_audit(address) == Verification(chains=0, rows=0)


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "column", ["user_id", "tool_name", "decision", "reason", "written_at", "with_override", "hash"]
)
async def test_an_altered_row_is_reported(address: str, column: str) -> None:
    writer = await record_entries(address)
    other = {"written_at": "1", "with_override": "true"}.get(column, "'x'")
    await tamper_with_rows(address, f"UPDATE audit SET {column} = {other} WHERE place = 4")

    found = await verify_audit(address)

    assert ChainBreak(writer=writer, number=4, problem="the row was altered") in found.breaks
    assert not found.is_intact
    assert f"audit of `{writer}`, row 4: the row was altered" in describe_problems(found)


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    ("which", "number", "missing"),
    [
        ("= 1", 1, "1 to 1"),
        ("IN (4, 5)", 4, "4 to 5"),
        ("= 10", 10, "10 to 10"),
        ("> 7", 8, "8 to 10"),
        ("> 0", 1, "1 to 10"),
    ],
)
async def test_missing_rows_are_reported_at_the_beginning_in_the_middle_and_at_the_end(
    address: str, which: str, number: int, missing: str
) -> None:
    writer = await record_entries(address)
    await tamper_with_rows(address, f"DELETE FROM audit WHERE place {which}")

    assert (await verify_audit(address)).breaks == (
        ChainBreak(writer=writer, number=number, problem=f"rows {missing} are missing"),
    )


@pytest.mark.proves("T-40")
async def test_an_inserted_row_is_reported(address: str) -> None:
    writer = await record_entries(address)
    columns = (
        "writer, place, written_at, hash, id, user_id, agent_id, conversation_id, call_id, tool_name, verdict,"
        " stage, rule, decision, with_override, reason, mode, policy_version, approval_id"
    )
    await tamper_with_rows(
        address,
        f"INSERT INTO audit ({columns}) SELECT writer, 11, {columns.partition('place, ')[2]} FROM audit WHERE place = 10",
    )

    assert (await verify_audit(address)).breaks == (
        ChainBreak(writer=writer, number=11, problem="the row was altered"),
    )


async def test_rows_with_invalid_values_are_reported_as_altered(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    writer = await record_entries(address)
    await tamper_with_rows(
        address,
        "UPDATE audit SET reason = '\ufeffnot json' WHERE place = 2",
        "UPDATE audit SET user_id = x'ff00' WHERE place = 3",
        "UPDATE audit SET written_at = 9e18 WHERE place = 4",
    )

    found = await verify_audit(address)

    assert [one.number for one in found.breaks if one.writer == writer] == [2, 3, 4]


async def test_the_list_of_problems_has_a_maximum_length(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    await record_entries(address, [sample_entry(number) for number in range(300)])
    await tamper_with_rows(address, "UPDATE audit SET reason = 'x'")

    assert len((await verify_audit(address)).breaks) == 100


@pytest.mark.proves("T-40", "R-16")
async def test_an_answer_without_an_audit_row_is_reported(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_store(address) as store:
        for id_ in ("q1", "q2", "q3"):
            await store.add_approval(id_, make_question(id_), MANY)
        await store.change_approval("q1", answer_change(YES))
        # This is the state after an older version answered, and ended before it wrote the audit row.
        await tamper_with_rows(address, "UPDATE approvals SET answered_at = 1 WHERE id = 'q2'")

    found = await verify_audit(address)

    assert (found.breaks, found.unrecorded, found.is_intact) == ((), ("q2",), False)
    assert describe_problems(found) == ["the answer to approval `q2` is in no row of the audit"]


@pytest.mark.proves("T-40", "R-31")
async def test_a_claim_without_an_audit_row_is_reported(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_store(address) as store:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await tamper_with_rows(address, "UPDATE approvals SET claim = 'k1'")

        found = await verify_audit(address)

    assert (found.breaks, found.unclaimed, found.is_intact) == ((), ("q1",), False)
    assert describe_problems(found) == ["the claim of approval `q1` is in no row of the audit"]


async def test_the_audit_row_of_an_older_version_may_follow_its_answer_after_a_moment(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    async with open_store(address) as store:
        await store.add_approval("q1", make_question(), MANY)
        now = int(datetime.now(UTC).timestamp() * 1_000_000)
        await tamper_with_rows(address, f"UPDATE approvals SET answered_at = {now}, claim = 'k1'")
        missed = (await verify_audit(address)).unrecorded
        await tamper_with_rows(address, "UPDATE processes SET chain = NULL")

        assert missed == ("q1",)
        assert (await verify_audit(address)).is_intact


async def test_verification_reports_its_progress(address: str) -> None:
    await record_entries(address, [sample_entry(number, id=time_ordered_id()) for number in range(2500)])
    told: list[int] = []

    found = await verify_audit(address, told.append)

    assert (found.rows, told) == (2500, [1000, 1000, 500])


async def test_verification_does_not_block_writers(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    await record_entries(address)

    async with open_store(address) as store:
        written: list[object] = []
        found = await verify_audit(address, lambda _: written.append(store.record(ENTRIES[0])))
        await store.add_approval("q1", make_question(), MANY)

    assert found.is_intact


async def test_a_database_of_another_schema_is_not_verified(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    await record_entries(address)
    await write_any_schema(
        address,
        lambda connection: connection.core.exec_driver_sql("UPDATE alembic_version SET version_num = '2.1'"),
    )

    with pytest.raises(SchemaError, match=r"has schema 2\.1, which is newer than this version's"):
        await verify_audit(address)


async def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    address = tmp_path / "assent.db"

    with pytest.raises(StoreError, match=f"cannot use {address}: there is no such file"):
        await verify_audit(str(address))

    assert not address.exists()
