"""A thin wrapper round asyncpg's pool: one error, one gauge, no retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any


class PoolExhausted(Exception):
    """E5011: no connection became free within acquire_timeout."""

    code = "E5011"

    def __init__(self, waited: float, waiting: int) -> None:
        super().__init__(f"{self.code}: waited {waited:.1f} s behind {waiting} others")


class Lender:
    """Lends connections. Counts the ones that wait, because that is what hurts."""

    def __init__(
        self,
        acquire: Callable[[], Awaitable[Any]],
        release: Callable[[Any], Awaitable[None]],
        acquire_timeout: float = 5.0,
    ) -> None:
        self._acquire = acquire
        self._release = release
        self.acquire_timeout = acquire_timeout
        self.waiting = 0

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        self.waiting += 1
        try:
            borrowed = await asyncio.wait_for(self._acquire(), self.acquire_timeout)
        except TimeoutError:
            # No second attempt here: whoever queues again only makes the queue longer.
            raise PoolExhausted(self.acquire_timeout, self.waiting - 1) from None
        finally:
            self.waiting -= 1
        try:
            yield borrowed
        finally:
            await self._release(borrowed)
