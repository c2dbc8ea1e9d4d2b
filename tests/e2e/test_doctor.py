"""`hmem doctor` on healthy, damaged, lost, foreign and open stores; `--repair`; what a search says meanwhile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner import hmem, write_tree
from runner import hmem_here as here

TREE = {"pool.md": "# Pool\n\nThe connection pool is exhausted.\n", "b/retry.py": "def retry(call):\n    call()\n"}


@pytest.fixture
def root(tmp_path):
    root = write_tree(tmp_path / "tree", TREE)
    assert here("index", root, "--meta", "team=payments", "--exclude", "drafts/**").code == 0
    return root


@pytest.fixture
def store() -> Path:
    return Path(json.loads(here("status", "--json").out)["store"])


def search(*more: str):
    return here("search", "connection pool", "--json", "--no-refresh", *more)


def found(ran) -> list[str]:
    return [hit["chunk_id"] for hit in json.loads(ran.out)["results"]]


def test_a_healthy_store(root):
    ran = here("doctor")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "no problems"
    assert ran.err == ""
    facts = json.loads(here("doctor", "--json").out)["facts"]
    assert {"hmem", "store", "whoosh3", "usearch", "model2vec", "model"} <= facts.keys()
    assert here("doctor", "--repair").code == 0


def test_no_store_is_an_error():
    for args in (("doctor",), ("doctor", "--repair")):
        ran = here(*args)
        assert ran.code == 2
        assert "`hmem index PATH`" in ran.err


@pytest.mark.parametrize("arm", ["dense", "lexical"])
def test_a_damaged_arm_is_named_and_mended_from_the_catalog_alone(root, store, arm):
    wanted = found(search())
    victim = next(path for path in sorted(store.glob(f"segments/*-{arm}/**/*")) if path.is_file())
    victim.write_bytes(b"x" * (victim.stat().st_size + 1))
    shutil.move(root, root.with_name("away"))  # the sources are not needed
    ran = search()
    assert ran.code == 0
    assert found(ran)
    named = {"dense": ["dense"], "lexical": ["bm25"]}[arm]
    arms = json.loads(ran.out)["arms"]
    assert [name for name in named if arms[name]["status"] == "unavailable"] == named
    assert f"warning: the {named[0]} arm is unavailable: " in ran.err
    assert "hmem doctor --repair" in ran.err
    ran = here("doctor")
    assert ran.code == 1
    assert f"problem\t{arm}\t" in ran.out
    assert victim.name in ran.out
    assert "hint: `hmem doctor --repair`" in ran.err
    ran = here("doctor", "--repair")
    assert (ran.code, ran.err) == (0, "")
    assert f"mended\t{arm}\t" in ran.out
    assert here("doctor").code == 0
    assert found(search()) == wanted


def test_a_lost_catalog_comes_back_from_the_listing_and_the_files(root, store):
    wanted = found(search())
    (store / "catalog.sqlite").unlink()
    ran = search()
    assert ran.code == 2
    assert "the catalog is missing" in ran.err
    assert "hint: run `hmem doctor --repair`" in ran.err
    assert here("doctor").code == 1
    assert here("index").code == 2
    assert here("doctor", "--repair").code == 0
    assert found(search()) == wanted
    found_status = json.loads(here("status", "--json").out)["collections"][0]
    assert found_status["metadata"] == {"team": "payments"}
    assert found_status["options"]["exclude"] == ["drafts/**"]


def test_rebuild_does_what_repair_does_for_a_lost_catalog(root, store):
    wanted = found(search())
    (store / "catalog.sqlite").write_bytes(b"not a database at all, but long enough to be looked at" * 9)
    assert here("index", "--rebuild").code == 0
    assert found(search()) == wanted
    assert here("doctor").code == 0


def test_what_cannot_be_brought_back_is_said(root, store):
    (store / "catalog.sqlite").unlink()
    shutil.move(root, root.with_name("away"))
    ran = here("doctor", "--repair")
    assert ran.code == 0
    assert "warning: the root of tree is missing; it is indexed again once it is back" in ran.err
    assert search().code == 1
    shutil.move(root.with_name("away"), root)
    assert here("search", "connection pool", "--refresh").code == 0


def test_catalog_and_listing_lost_together(root, store):
    (store / "catalog.sqlite").unlink()
    (store / "collections.json").unlink()
    assert here("doctor").code == 2
    assert here("index", root).code == 0
    assert here("doctor").code == 0
    assert found(search())


def test_an_open_store_is_refused_and_only_the_user_can_say_it_is_fine(root, store):
    store.chmod(0o755)
    for args in (("search", "pool"), ("index",), ("status",), ("doctor", "--repair")):
        ran = here(*args)
        assert ran.code == 2, args
        assert "open to other users (mode 755" in ran.err
    ran = here("doctor")
    assert ran.code == 1
    assert "problem\taccess\t" in ran.out
    store.chmod(0o700)
    assert here("doctor").code == 0


@pytest.mark.parametrize(
    ("how", "mends"),
    [("environment", "unset HMEM_MODEL"), ("chosen", "hmem model use built-in"), ("hub", "hmem model use own/er")],
)
def test_a_model_that_is_gone_is_named_with_what_brings_one_back(root, store, tmp_path, how, mends):
    env = {}
    if how == "chosen":
        model = tmp_path / "model"
        shutil.copytree(Path(__import__("hmem.embed").embed.__file__).parent / "builtin", model)
        assert here("model", "use", str(model)).code == 0
        shutil.rmtree(model)
    else:
        env["HMEM_MODEL"] = "own/er" if how == "hub" else "/nowhere"
    ran = here("doctor", **env)
    assert ran.code == 1
    assert f"hint: `{mends}`" in ran.err
    if how == "chosen":
        assert here(*mends.split()[1:]).code == 0
        assert here("doctor").code == 0


def test_another_model_is_named_and_rebuild_mends_it(root, store, tmp_path):
    from hmem.embed import load_encoder

    built_in = Path(__import__("hmem.embed").embed.__file__).parent / "builtin"
    model = tmp_path / "model"
    shutil.copytree(built_in, model)
    tokens = json.loads((model / "tokenizer.json").read_text())
    tokens["normalizer"] = None
    (model / "tokenizer.json").write_text(json.dumps(tokens))
    assert load_encoder(str(model)).fingerprint != load_encoder().fingerprint
    ran = here("search", "connection pool", "--json", "--no-refresh", HMEM_MODEL=str(model))
    assert json.loads(ran.out)["arms"]["dense"]["status"] == "unavailable"
    assert "made by another model" in ran.err
    ran = here("doctor", HMEM_MODEL=str(model))
    assert ran.code == 1
    assert "hint: `hmem index --rebuild`" in ran.err
    assert "come from another model" in here("index", HMEM_MODEL=str(model)).err
    assert here("index", "--rebuild", HMEM_MODEL=str(model)).code == 0
    assert here("doctor", HMEM_MODEL=str(model)).code == 0
    ran = here("search", "connection pool", "--json", "--no-refresh", HMEM_MODEL=str(model))
    assert json.loads(ran.out)["arms"]["dense"]["status"] == "ok"


def test_doctor_as_a_process_while_a_writer_is_at_work(root, store):
    from hmem.store import Store

    with Store.open(store).writer():
        assert hmem("doctor").code == 0
        ran = hmem("doctor", "--repair", "--lock-timeout", "0.1")
        assert ran.code == 0  # nothing to mend
        next(store.glob("segments/*-dense/*")).unlink()
        ran = hmem("doctor", "--repair", "--lock-timeout", "0.1")
        assert ran.code == 2
        assert "is being written by process" in ran.err
    assert hmem("doctor", "--repair").code == 0
