"""Find a door for a parcel, and ask for it only after the commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

RESERVATION_LIFE = timedelta(minutes=20)
HEAVY_GRAMS = 12_000
OFFLINE_GIVE_UP = timedelta(hours=24)


class NoCompartment(Exception):
    """E5030: nothing free is large enough."""

    code = "E5030"


@dataclass(frozen=True, slots=True)
class Compartment:
    door: str
    row: int
    litres: int
    free: bool


@dataclass(frozen=True, slots=True)
class Parcel:
    id: str
    litres: int
    grams: int


class Transaction(Protocol):
    def reserve(self, parcel_id: str, door: str, until: datetime) -> None: ...
    def put_in_outbox(self, subject: str, body: dict[str, str]) -> None: ...
    def commit(self) -> None: ...


def best_door(parcel: Parcel, compartments: Iterable[Compartment]) -> Compartment:
    """Take the smallest that fits; for heavy parcels the lowest row wins over size."""
    fitting = [c for c in compartments if c.free and c.litres >= parcel.litres]
    if not fitting:
        raise NoCompartment(f"{parcel.id} needs {parcel.litres} litres")
    if parcel.grams > HEAVY_GRAMS:
        return min(fitting, key=lambda c: (c.row, c.litres))
    return min(fitting, key=lambda c: (c.litres, c.row))


def assign_compartment(tx: Transaction, parcel: Parcel, compartments: Iterable[Compartment], now: datetime) -> str:
    """Reserve a door and leave the order to open it in the outbox.

    The transaction must not outlive the decision. Until March 2025 the call to latch was made in here, and one dead
    modem was able to eat all connections (INC-231, QBX-1288).
    """
    chosen = best_door(parcel, compartments)
    tx.reserve(parcel.id, chosen.door, until=now + RESERVATION_LIFE)
    tx.put_in_outbox("qb.door.open", {"door": chosen.door, "parcel": parcel.id})
    tx.commit()
    return chosen.door


def may_assign(last_heartbeat: datetime, now: datetime) -> bool:
    """Leave alone a bank that has been dark for a day."""
    return now - last_heartbeat < OFFLINE_GIVE_UP
