"""Which models there are: the built-in one, folders on disk, and models brought from the hub on request.

Only `download` (and `acquire`, which calls it) touches the network. A downloaded model lies in its own folder below
the data directory, so that loading it later needs no hub library and no network.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.embed.folder import BUILT_IN, find_files
from hmem.errors import ModelError
from hmem.paths import data_dir

if TYPE_CHECKING:
    from hmem.types import Json

BUILT_IN_FOLDER = Path(__file__).parent / "builtin"

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_LICENCE = re.compile(r"^license:\s*(\S.*?)\s*$", re.MULTILINE)
_WANTED = [
    "README.md",
    "config.json",
    "config_sentence_transformers.json",
    "model.safetensors",
    "tokenizer.json",
    "0_StaticEmbedding/model.safetensors",
    "0_StaticEmbedding/tokenizer.json",
]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What `hmem model` tells. `origin` is `built-in`, `folder` or `hub`; `size` is in bytes on disk.

    `name` is what `load_encoder` takes. `licence` is the one that the model's own card states, if any.
    """

    name: str
    origin: str
    path: Path
    dimensions: int
    vocabulary_size: int
    size: int
    fingerprint: str
    licence: str | None

    def to_json(self) -> dict[str, Json]:
        """Return the description as one JSON object."""
        return {**asdict(self), "path": str(self.path)}


def models_dir() -> Path:
    """Return the directory of downloaded models."""
    return data_dir() / "models"


def is_hub_id(name: str) -> bool:
    """Tell whether `name` has the form OWNER/NAME of a model on the hub."""
    return _HUB_ID.fullmatch(name) is not None and not name.endswith((".", "/"))


def resolve(name: str | None) -> Path:
    """Return the folder of a model without touching the network.

    None and `built-in` mean the one in the package. Otherwise `name` is the OWNER/NAME of a model that was downloaded
    before, or a folder. In that order: what is downloaded must mean the same in every working directory. ModelError if
    there is no such folder.
    """
    if name is None or name == BUILT_IN:
        return BUILT_IN_FOLDER
    try:
        if is_hub_id(name) and _downloaded(name).is_dir():
            return _downloaded(name)
        folder = Path(name).expanduser()
        if name and folder.is_dir():
            return folder
    except (ValueError, OSError, RuntimeError) as error:  # a NUL, a name too long, an unknown home directory
        raise ModelError(f"not a model: `{name!r}`: {error}", hint="name a folder or OWNER/NAME") from error
    if is_hub_id(name):
        raise ModelError(
            f"the model `{name}` is not on this machine", hint=f"download it once: `hmem model use {name}`"
        )
    raise ModelError(f"no such model folder: `{name}`", hint="name a model2vec folder, or OWNER/NAME from the hub")


def model_info(name: str | None = None) -> ModelInfo:
    """Return what is known of one model; ModelError if it is missing or unusable. Offline."""
    from hmem.embed.model import load_encoder

    folder = resolve(name)
    encoder = load_encoder(name)
    files = find_files(folder)
    origin = "folder"
    if folder == BUILT_IN_FOLDER:
        origin = BUILT_IN
    elif folder.parent == models_dir():
        origin = "hub"
    return ModelInfo(
        name=encoder.name,
        origin=origin,
        path=folder,
        dimensions=encoder.dimensions,
        vocabulary_size=encoder.vocabulary_size,
        size=files.weights.stat().st_size + files.tokenizer.stat().st_size,
        fingerprint=encoder.fingerprint,
        licence=_licence(folder),
    )


def list_models() -> tuple[ModelInfo, ...]:
    """Return the built-in model and every usable downloaded one, by name. Offline."""
    found = [model_info()]
    folder = models_dir()
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        owner, mark, name = path.name.partition("--")
        if mark and path.is_dir():
            try:
                found.append(model_info(f"{owner}/{name}"))
            except ModelError:
                continue  # an unusable one cannot be chosen either; naming it gives the reason
    return tuple(found)


def needs_download(name: str) -> bool:
    """Tell whether `name` is a model of the hub that is not on this machine. Offline."""
    try:
        resolve(name)
    except ModelError:
        return is_hub_id(name)
    return False


def acquire(name: str) -> ModelInfo:
    """Return a model that is ready for use: a known one as it is, one from the hub after downloading it.

    A folder's `name` is its absolute path, so that it means the same everywhere.
    """
    if needs_download(name):
        download(name)
    info = model_info(name)
    return info if info.origin != "folder" else model_info(str(info.path.absolute()))


def download(name: str) -> Path:
    """Bring the model OWNER/NAME from the hub and return its folder; ModelError if that fails.

    Anonymous: no token is read or sent. A failed or unusable download leaves nothing behind.
    """
    if not is_hub_id(name):
        raise ModelError(f"not a model on the hub: `{name}`", hint="the form is OWNER/NAME")
    import shutil
    from tempfile import TemporaryDirectory

    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from huggingface_hub import snapshot_download

    target = _downloaded(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix=".download-") as staging:
        folder = Path(staging) / "model"
        try:
            snapshot_download(name, local_dir=folder, allow_patterns=_WANTED, token=False)
        except Exception as error:  # the library's many errors and its network library's have no common base
            raise ModelError(
                f"cannot download the model `{name}`: {_first_line(error)}",
                hint="check the name and the network, or name a folder that holds the model",
            ) from error
        from hmem.embed.model import load_encoder

        load_encoder(str(folder))
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)
    return target


def _downloaded(name: str) -> Path:
    owner, _, model = name.partition("/")
    return models_dir() / f"{owner}--{model}"


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _licence(folder: Path) -> str | None:
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = _LICENCE.search(card[:4096])
    return found[1] if found else None
