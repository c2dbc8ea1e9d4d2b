"""`hmem doctor --memory`: what is wrong with what the documents say, and nothing where nothing is."""

from __future__ import annotations

from datetime import datetime

from hmem.audit import audit
from hmem.doctor import check

from search_samples import store_of

NOW = datetime(2026, 6, 15)
SAME = "# One\n\nThe pump of the second well runs at night only.\n"


def found(tmp_path, files: dict[str, str]) -> list[tuple[str, str]]:
    with store_of(tmp_path, files).snapshot() as snapshot:
        return [(problem.code, problem.message) for problem in audit(snapshot, NOW)]


def test_equal_text_in_several_documents(tmp_path):
    files = {"a.md": SAME, "b.md": SAME.upper().replace("\n\n", "\n\n\n"), "c.md": "# Other\n\nNothing of that kind.\n"}
    assert found(tmp_path, files) == [("duplicate", "the same text stands in `/abs/a.md:1` and `/abs/b.md:1`")]


def test_almost_equal_text(tmp_path):
    text = "# Pump\n\n" + "The pump of the second well runs at night, and the valve stays shut while it does. " * 3
    files = {"a.md": text, "b.md": text.replace("shut", "closed", 1), "c.md": "# Bread\n\nFlour, water, salt, time.\n"}
    assert found(tmp_path, files) == [
        ("near-duplicate", "almost the same text stands in `/abs/a.md:1` and `/abs/b.md:1`")
    ]


def test_short_texts_code_and_retired_ones_are_no_duplicates(tmp_path):
    files = {
        "short.md": "see above\n",
        "brief.md": "see above\n",
        "a.py": "def twice(value):\n    return value + value + value\n",
        "b.py": "def twice(value):\n    return value + value + value\n",
        "old.md": f"---\nstatus: superseded\n---\n{SAME}",
        "new.md": SAME,
    }
    assert found(tmp_path, files) == []


def test_values_that_contradict_each_other(tmp_path):
    def price(fee: object, more: str = "") -> str:
        return (
            f"---\ntitle: Price list\nfee: {fee}\nowner: ada\ncreated: 2025-01-0{fee}\n{more}---\ntext of fee {fee}\n"
        )

    files = {"a.md": price(4), "b.md": price(5), "c.md": price(6, "status: obsolete\n"), "d.md": "# Else\n"}
    assert found(tmp_path, files) == [
        ("contradiction", "`fee` of `Price list` is `4` in `/abs/a.md` and `5` in `/abs/b.md`")
    ]


def test_supersession_that_is_broken(tmp_path):
    files = {
        "x/twin.md": "# Twin one\n",
        "y/twin.md": "# Twin two\n",
        "a.md": "---\nsupersedes: [gone, twin]\n---\n# A\n",
        "b.md": "---\nsuperseded_by: nowhere.md\nexpires: soon\n---\n# B\n",
        "c.md": "---\nsupersedes: d\n---\n# C\n",
        "d.md": "---\nsupersedes: c\n---\n# D\n",
    }
    assert found(tmp_path, files) == [
        ("dangling", "`supersedes: gone` in `/abs/a.md` names no document"),
        ("ambiguous", "`supersedes: twin` in `/abs/a.md` names 2 documents"),
        ("dangling", "`superseded_by: nowhere.md` in `/abs/b.md` names no document"),
        ("circular", "supersession goes round in a circle: `/abs/c.md` and `/abs/d.md`"),
        ("date", "`expires` in `/abs/b.md` is no date"),
    ]


def test_doctor_looks_only_if_asked(tmp_path):
    store_of(tmp_path, {"a.md": SAME, "b.md": SAME})
    store = str(tmp_path / "store")
    assert check(store).problems == ()
    assert [problem.code for problem in check(store, memory=True).problems] == ["duplicate"]
