"""The six states of a parcel and the moves between them."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    ANNOUNCED = "announced"
    RESERVED = "reserved"
    STORED = "stored"
    COLLECTED = "collected"
    RETURNED = "returned"
    LOST = "lost"


MOVES: dict[State, frozenset[State]] = {
    State.ANNOUNCED: frozenset({State.RESERVED, State.LOST}),
    State.RESERVED: frozenset({State.STORED, State.ANNOUNCED}),  # back to announced: the reservation lapsed
    State.STORED: frozenset({State.COLLECTED, State.RETURNED, State.LOST}),
    State.COLLECTED: frozenset(),
    State.RETURNED: frozenset({State.ANNOUNCED}),  # a second delivery attempt starts anew
    State.LOST: frozenset({State.STORED}),  # it does turn up now and then, behind the heater mat
}


class IllegalMove(Exception):
    """E5008: this parcel cannot go there from where it is."""

    code = "E5008"

    def __init__(self, parcel_id: str, old: State, new: State) -> None:
        super().__init__(f"{self.code}: parcel {parcel_id} is {old}, cannot become {new}")
        self.old = old
        self.new = new


def move(parcel_id: str, old: State, new: State) -> State:
    """Return the new state or raise IllegalMove."""
    if new not in MOVES[old]:
        raise IllegalMove(parcel_id, old, new)
    return new


def is_final(state: State) -> bool:
    """Tell whether nothing can follow. Only a collected parcel is really done."""
    return not MOVES[state]
