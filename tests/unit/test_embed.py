"""The encoder against model2vec itself and against its own promises."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hmem.embed import compose, load_encoder
from hmem.embed.model import normalised
from hmem.embed.sources import BUILT_IN_FOLDER
from hmem.embed.tokens import TokenReader
from hmem.errors import ModelError
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

ENCODER = load_encoder()
WORDS = ["import", "http", "response", "naïve", "CAFÉ", "42", "snake_case", "don't", "数据", "привет", "🦄", "x" * 120]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
)


@pytest.fixture(scope="module")
def reference():
    from model2vec import StaticModel

    return StaticModel.from_pretrained(BUILT_IN_FOLDER)


def expected(reference, texts):
    """model2vec's own answer, computed in float32 from its own tokens (its float16 output rounds to 1e-3)."""
    table = np.asarray(reference.embedding, np.float32)
    if reference.weights is not None:
        table = table * np.asarray(reference.weights, np.float32)[:, None]
    rows = [table[ids].mean(axis=0) if ids else np.zeros(reference.dim) for ids in reference.tokenize(texts)]
    return np.array(rows) / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=8))
def test_equals_model2vec(reference, texts):
    reference.tokenizer.no_truncation()
    np.testing.assert_allclose(ENCODER.encode(texts), expected(reference, texts), atol=1e-6)


def test_equals_model2vec_encode_itself(tmp_path):
    """Against `StaticModel.encode`, on a float32 copy so that it does not round."""
    from model2vec import StaticModel

    shutil.copytree(BUILT_IN_FOLDER, tmp_path / "m")
    arrays = load_file(tmp_path / "m" / "model.safetensors")
    if arrays["embeddings"].dtype != np.int8:
        arrays["embeddings"] = arrays["embeddings"].astype(np.float32)
    save_file(arrays, tmp_path / "m" / "model.safetensors")
    model = StaticModel.from_pretrained(tmp_path / "m")
    texts = ["how to read a file in chunks", "get http response 2", "", *WORDS, "word " * 300 + "tail"]
    want = model.encode(texts, max_length=None, normalize=True)
    np.testing.assert_allclose(load_encoder(str(tmp_path / "m")).encode(texts), want, atol=1e-6)


def test_shapes_and_lengths():
    vectors = ENCODER.encode(["read a file", "", "🦄"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, ENCODER.dimensions)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0], atol=1e-6)
    assert ENCODER.encode([]).shape == (0, ENCODER.dimensions)


def test_reads_to_the_end():
    long = "filler text " * 20_000
    assert not np.array_equal(ENCODER.encode([long]), ENCODER.encode([long + "database " * 5_000]))


def test_unknown_words_change_nothing():
    np.testing.assert_array_equal(ENCODER.encode(["read 🦄 file"]), ENCODER.encode(["read file"]))


def test_related_texts_are_nearer():
    query, near, far = ENCODER.encode(
        ["database connection pool", "postgres connections exhausted", "apple pie recipe"]
    )
    assert query @ near > query @ far + 0.1


@pytest.mark.parametrize("text", ["\ud800", "a\ud800b", "\x00", "a\x00b", "\u2028", "\t \n", "x" * 1_000_000])
def test_odd_text(text):
    assert np.isfinite(ENCODER.encode([text])).all()


def test_a_vector_does_not_depend_on_its_company():
    texts = [f"{word} {number}" for number, word in enumerate(WORDS * 100)]
    together = ENCODER.encode(texts)
    alone = np.concatenate([load_encoder().encode([text]) for text in texts[:15]])
    np.testing.assert_array_equal(together[:15], alone)
    np.testing.assert_array_equal(ENCODER.encode(texts[::-1])[::-1], together)


def test_threads_share_an_encoder(monkeypatch):
    """Small memo, so that threads also replace it under each other."""
    monkeypatch.setattr("hmem.embed.tokens._MEMO_WORDS", 50)
    encoder = load_encoder()
    texts = [f"token{number} of thread {number % 7} reads file {number * 31}" for number in range(600)]
    want = ENCODER.encode(texts)
    got: dict[int, np.ndarray] = {}

    def work(part: int) -> None:
        got[part] = np.concatenate([encoder.encode(texts[at : at + 20]) for at in range(0, 600, 20)])

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4
    for vectors in got.values():
        np.testing.assert_array_equal(vectors, want)


@dataclass(frozen=True)
class P:
    weight: float
    text: str


def test_damped_counts_a_repeated_word_by_its_root():
    one, other = ENCODER.encode(["file"])[0], ENCODER.encode(["pool"])[0]
    rows = {word: ENCODER._sum(np.array(ENCODER._reader.read([word])[0])) for word in ("file", "pool")}
    np.testing.assert_allclose(normalised(np.stack([rows["file"], rows["pool"]])), np.stack([one, other]), atol=1e-6)
    got = ENCODER.encode(["file pool file file file"], damped=True)
    np.testing.assert_allclose(got, normalised((2 * rows["file"] + rows["pool"])[None, :]), atol=1e-6)


@settings(max_examples=100, deadline=None)
@given(texts=TEXTS)
def test_equal_weights_are_no_weights(texts):
    words = texts.split()
    got = ENCODER.encode_words(words, [0.7] * len(words))
    np.testing.assert_allclose(got, ENCODER.encode([" ".join(words)], damped=True)[0], atol=1e-6)


def test_words_count_by_their_weights():
    first = ENCODER.encode(["file"])[0]
    np.testing.assert_allclose(ENCODER.encode_words(["file", "pool"], [1.0, 0.0]), first, atol=1e-6)
    near = [ENCODER.encode_words(["file", "pool"], [weight, 1.0]) @ first for weight in (0.1, 1.0, 5.0)]
    assert near == sorted(near)


def test_compose_is_the_weighted_sum_of_unit_vectors():
    parts = [[P(1.0, "read a file"), P(0.5, "io")], [], [P(1.0, "🦄")], [P(2.0, "io"), P(1.0, ""), P(0.25, "disk")]]
    unit = {text: ENCODER.encode([text])[0] for text in ("read a file", "io", "disk")}
    want = np.stack(
        [
            unit["read a file"] + 0.5 * unit["io"],
            0 * unit["io"],
            0 * unit["io"],
            2 * unit["io"] + 0.25 * unit["disk"],
        ]
    )
    got = compose(ENCODER, parts)
    np.testing.assert_allclose(got, normalised(want), atol=1e-6)
    assert compose(ENCODER, []).shape == (0, ENCODER.dimensions)


def test_normalised_survives_what_is_not_finite():
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e38, 1e38]], np.float32)
    np.testing.assert_allclose(normalised(rows)[:4], [[0.6, 0.8], [0, 0], [0, 0], [0, 0]], atol=1e-6)
    assert np.isfinite(normalised(rows)).all()


# ---- folders


def small_model(folder: Path, *, tokens: int = 4, key: str = "embeddings", nested: str = "", **arrays) -> Path:
    """A model over `tokens` whole words w0, w1, ...; row i is the unit vector i of 4 dimensions."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0} | {f"w{i}": i for i in range(1, tokens)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.normalizer = normalizers.Lowercase()
    inner = folder / nested
    inner.mkdir(parents=True)
    tokenizer.save(str(inner / "tokenizer.json"))
    table = {key: np.eye(tokens, 4, dtype=np.float32)} | arrays
    save_file(table, inner / "model.safetensors")
    name = "config.json" if key == "embeddings" else "config_sentence_transformers.json"
    (folder / name).write_text(json.dumps({"normalize": False}))
    return folder


@pytest.mark.parametrize(
    ("key", "nested"), [("embeddings", ""), ("embedding.weight", ""), ("embedding.weight", "0_StaticEmbedding")]
)
def test_every_layout_loads(tmp_path, key, nested):
    encoder = load_encoder(str(small_model(tmp_path / "m", key=key, nested=nested)))
    np.testing.assert_allclose(encoder.encode(["W1 w3 unknown"]), [[0, 0.5**0.5, 0, 0.5**0.5]], atol=1e-6)


def test_weights_and_mapping(tmp_path):
    folder = small_model(
        tmp_path / "m",
        embeddings=np.array([[127, 0], [0, 127]], np.int8),
        mapping=np.array([0, 1, 0, 1]),
        weights=np.array([9, 3, 4, 1], np.float64),
    )
    np.testing.assert_allclose(load_encoder(str(folder)).encode(["w1 w2"]), [[0.8, 0.6]], atol=1e-6)


def damage(folder: Path, how: str) -> None:
    weights = folder / "model.safetensors"
    match how:
        case "no weights":
            weights.unlink()
        case "cut weights":
            weights.write_bytes(weights.read_bytes()[:-3])
        case "junk weights":
            weights.write_bytes(b"\xff" * 40)
        case "no table":
            save_file({"other": np.zeros((4, 4), np.float32)}, weights)
        case "flat table":
            save_file({"embeddings": np.zeros(4, np.float32)}, weights)
        case "short table":
            save_file({"embeddings": np.zeros((2, 4), np.float32)}, weights)
        case "short token weights":
            save_file({"embeddings": np.zeros((4, 4), np.float32), "weights": np.ones(2, np.float32)}, weights)
        case "wild mapping":
            save_file({"embeddings": np.zeros((2, 4), np.float32), "mapping": np.array([0, 1, 2, 0])}, weights)
        case "junk tokenizer":
            (folder / "tokenizer.json").write_text("{}")


@pytest.mark.parametrize(
    "how",
    [
        "no weights",
        "cut weights",
        "junk weights",
        "no table",
        "flat table",
        "short table",
        "short token weights",
        "wild mapping",
        "junk tokenizer",
    ],
)
def test_a_damaged_model_is_a_model_error(tmp_path, how):
    folder = small_model(tmp_path / "m")
    damage(folder, how)
    with pytest.raises(ModelError):
        load_encoder(str(folder))


@pytest.mark.parametrize("name", ["minishlab/potion-base-8M", "/no/such/folder", "nul\0", "~nobody-here/m", "a" * 5000])
def test_a_missing_model_is_a_model_error_with_a_hint(name):
    with pytest.raises(ModelError) as caught:
        load_encoder(name)
    assert caught.value.hint


def test_the_fingerprint_tells_models_apart(tmp_path):
    first = small_model(tmp_path / "a")
    second = small_model(tmp_path / "b", embeddings=np.eye(4, 4, 1, dtype=np.float32))
    third = small_model(tmp_path / "c")
    (third / "tokenizer.json").write_text((third / "tokenizer.json").read_text() + " ")
    prints = [load_encoder(str(folder)).fingerprint for folder in (first, second, third, first)]
    assert len(set(prints)) == 3
    assert prints[0] == prints[3]
    assert load_encoder().fingerprint == ENCODER.fingerprint


def test_the_fingerprint_covers_text_preparation(monkeypatch):
    monkeypatch.setattr("hmem.embed.model.vector_versions", lambda: (99, 99))
    assert load_encoder().fingerprint != ENCODER.fingerprint


# ---- the own WordPiece

LIBRARY = Tokenizer.from_file(str(BUILT_IN_FOLDER / "tokenizer.json"))
LIBRARY.no_truncation()
UNKNOWN = LIBRARY.token_to_id("[UNK]")
TOKENS = sorted(LIBRARY.get_vocab())
READER = TokenReader(BUILT_IN_FOLDER / "tokenizer.json")


@settings(max_examples=300, deadline=None)
@given(
    words=st.lists(
        st.one_of(
            st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789", max_size=12),
            st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4).map("".join),
            st.text(st.characters(exclude_categories=["Cs", "Zs"]), max_size=8),
            st.sampled_from(
                ["x" * 64, "a" * 65, "a" * 100, "a" * 101, "[UNK]", "unk", "##ing", "don't", "ÀB", "ß", "a\u0301b"]
            ),
        ),
        max_size=10,
    )
)
def test_own_wordpiece_equals_the_library(words):
    text = " ".join(words)
    want = [token for token in LIBRARY.encode(text, add_special_tokens=False).ids if token != UNKNOWN]
    assert READER.read([text]) == [want]


def test_plain_words_load_no_library():
    code = (
        "import sys; from hmem.embed import load_encoder; v = load_encoder().encode(['read a file in chunks']);"
        "assert abs((v ** 2).sum() - 1) < 1e-5;"
        "print([m for m in ('tokenizers', 'model2vec', 'huggingface_hub', 'torch') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
