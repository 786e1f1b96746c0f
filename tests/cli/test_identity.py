"""The register that a command works on is the one that is meant."""

import pytest

from assent.cli.identity import login_address, open_identity
from assent.errors import InputError
from tests.cli.running import Command, Place


async def test_a_database_that_is_not_there_is_made_only_where_that_is_wanted(
    place: Place, command: Command
) -> None:
    with pytest.raises(InputError, match="does not exist"):
        async with open_identity(str(place.root / "new.db")):
            pass
    async with open_identity(str(place.root / "new.db"), create=True) as desk:
        assert list(await desk.keeper.people.store.people()) == []


def test_a_secret_stands_behind_the_sign_that_no_server_is_told(command: Command) -> None:
    assert login_address("assent_l_x", "https://assent.example/") == "https://assent.example/login#assent_l_x"
    assert login_address("assent_l_x", None) == "http://127.0.0.1:8722/login#assent_l_x"
