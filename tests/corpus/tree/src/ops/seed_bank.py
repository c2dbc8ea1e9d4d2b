"""Make believable streets, banks and parcels for a laptop. Never copy production data, use this."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

FIRST = ("Almond", "Cooper", "Fenwick", "Marsh", "Mill", "Tanner", "Willow", "Sexton")
SECOND = ("Court", "Street", "Row", "Lane", "Yard", "Rise")
DOORS = {"A": (12, 24), "B": (24, 48), "C": (36, 60)}
COURIERS = (("gannet", 38), ("pellmell", 29), ("oxbow", 21), ("brightwheel", 12))


@dataclass(frozen=True, slots=True)
class FakeBank:
    site: str
    model: str
    doors: int


@dataclass(frozen=True, slots=True)
class FakeParcel:
    id: str
    courier: str
    hours_inside: float


def banks(seed: int, count: int) -> Iterator[FakeBank]:
    """Yield banks, the same ones for the same seed."""
    rng = random.Random(seed)
    for _ in range(count):
        model = rng.choice("ABC")
        low, high = DOORS[model]
        yield FakeBank(f"{rng.choice(FIRST)} {rng.choice(SECOND)} {rng.randint(1, 99)}", model, rng.randint(low, high))


def parcels(seed: int, count: int) -> Iterator[FakeParcel]:
    """Yield parcels; four in ten are gone within six hours, six in a hundred stay for more than three days."""
    rng = random.Random(seed)
    names, weights = zip(*COURIERS, strict=True)
    for number in range(count):
        courier = rng.choices(names, weights)[0]
        hours = rng.choice((rng.uniform(0.2, 6), rng.lognormvariate(2.6, 1.0)))
        yield FakeParcel(f"P-{number:05d}", courier, hours)
