"""Threads of the belt's own, so that a slow tool never holds up deciding."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


class Threads:
    """Some threads for one kind of work; what does not fit waits its turn."""

    def __init__(self, name: str, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, f"assent-{name}")

    async def run(
        self, function: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
    ) -> Result:
        """Run a function that blocks; whoever stops waiting leaves it to its own limits."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: function(*args, **kwargs))


FILES = Threads("files", 8)
"""For files and everything else that ends by itself."""
WIRES = Threads("wires", 32)
"""For connections, which wait for somebody else."""
