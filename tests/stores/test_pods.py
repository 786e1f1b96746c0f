"""The processes on one database know what each of them is, for as long as they live."""

from datetime import timedelta

import pytest

from assent.gate.pods import Pod
from assent.stores.admin.connections import read, write
from assent.stores.audit.verify import read_time
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sql.live import POD_TIMEOUT, read_pods
from assent.stores.sql.times import span_to_micros
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore

ONE = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")
TWO = Pod(workspace="/srv/b", policy_digest="222", version="0.2.0")


async def opened(address: str) -> SqlStore:
    return await (open_postgres(address) if is_postgres(address) else open_sqlite(address))


async def living(address: str) -> tuple[Pod, ...]:
    return await read(address, lambda connection: read_pods(connection, read_time(connection)))


@pytest.mark.proves("R-35")
async def test_whoever_joins_hears_of_the_others_and_they_hear_of_it(address: str) -> None:
    first, second = await opened(address), await opened(address)

    alone = await first.join(ONE)
    joining = await second.join(TWO)
    again = await first.join(ONE)
    both = await living(address)
    await second.leave()
    left = await first.join(ONE)

    assert (alone, joining, again, left) == ((), (ONE,), (TWO,), ())
    assert set(both) == {ONE, TWO}
    await first.close()
    await second.close()


@pytest.mark.proves("R-35")
async def test_a_process_that_shows_no_sign_of_life_is_forgotten(address: str) -> None:
    first, second = await opened(address), await opened(address)
    await second.join(TWO)
    silent = span_to_micros(POD_TIMEOUT + timedelta(seconds=1))
    await write(
        address,
        lambda connection: connection.core.exec_driver_sql(
            f"UPDATE processes SET seen_at = seen_at - {silent} WHERE boot = '{second.boot}'"
        ),
    )

    assert await first.join(ONE) == ()
    assert await living(address) == (ONE,)
    await first.close()
    await second.close()
