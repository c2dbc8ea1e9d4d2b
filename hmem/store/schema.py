"""The catalog's tables. Changing anything here means a new `FORMAT`.

Paths are BLOBs: the bytes of the file system, so that names that are not UTF-8 survive. `mtime_ns` and `inode` have no
declared type: values past 64 bits are kept as text. `checksum` columns cover the other columns of their row, because
SQLite does not notice a flipped bit inside a value.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

FORMAT = 2
CATALOG = "catalog.sqlite"
SEGMENTS = "segments"
LEASES = "leases"
LOCK = "lock"
LISTING = "collections.json"
_BUSY_SECONDS = 10.0  # only recovery after a crash, and readers on a full disk, keep anybody waiting
APPLICATION_ID = 0x686D656D  # "hmem"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  root BLOB NOT NULL,
  device, inode,
  options TEXT NOT NULL,           -- what the user asked for
  metadata TEXT NOT NULL,
  stamp TEXT,                      -- the rules that its documents were made by
  redo_below INTEGER NOT NULL,     -- documents with lower ids were made by other rules
  mounts TEXT NOT NULL,            -- the folders that were mount points at the last scan
  state TEXT NOT NULL,
  missing INTEGER NOT NULL,
  last_scan_ns INTEGER,
  last_scan_seconds REAL,
  checksum INTEGER NOT NULL        -- of name, root, options, metadata, stamp, redo_below, mounts
);

CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  path BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns, inode,
  racy INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  indexed_at TEXT NOT NULL,
  kind TEXT NOT NULL,
  lang TEXT NOT NULL,
  title TEXT NOT NULL,
  encoding TEXT NOT NULL,
  n_lines INTEGER NOT NULL,
  body_line INTEGER NOT NULL,
  created TEXT,
  updated TEXT,
  tags TEXT NOT NULL,
  links TEXT NOT NULL,
  metadata TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (collection, path)
);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  chunk_id TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  embed_key BLOB,                  -- empty: the model knows no word of it; NULL: no model has seen it
  checksum INTEGER NOT NULL,
  symbol TEXT,
  heading TEXT NOT NULL,
  scopes TEXT NOT NULL,
  definitions TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX chunks_document ON chunks (document, ordinal);
CREATE INDEX chunks_chunk_id ON chunks (chunk_id);
CREATE INDEX chunks_embed_key ON chunks (embed_key) WHERE embed_key IS NOT NULL;
CREATE INDEX chunks_unseen ON chunks (document) WHERE embed_key IS NULL;

CREATE TABLE attributes (
  key TEXT NOT NULL,
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  number REAL,
  PRIMARY KEY (key, document, ordinal)
) WITHOUT ROWID;
CREATE INDEX attributes_document ON attributes (document);

CREATE TABLE definitions (
  name_key TEXT NOT NULL,
  chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  line INTEGER NOT NULL,
  PRIMARY KEY (name_key, chunk, ordinal)
) WITHOUT ROWID;
CREATE INDEX definitions_chunk ON definitions (chunk);

CREATE TABLE links (
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) WITHOUT ROWID;
CREATE INDEX links_target ON links (target);

CREATE TABLE warnings (
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (document, ordinal)
) WITHOUT ROWID;

CREATE TABLE skipped (
  collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  path BLOB NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  size INTEGER,                    -- the file's state where only its content was the reason
  mtime_ns, inode,
  PRIMARY KEY (collection, path)
) WITHOUT ROWID;

-- What a segment covers never changes; chunk keys and document keys ascend.
CREATE TABLE segments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  n_chunks INTEGER NOT NULL,
  n_documents INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  document_keys BLOB NOT NULL,     -- int64 [n_documents]
  chunk_keys BLOB NOT NULL,        -- int64 [n_chunks]
  chunk_documents BLOB NOT NULL    -- int32 [n_chunks], index into document_keys
);

-- What became of it since: one packed bit for each chunk and document, 1 = gone.
CREATE TABLE tombstones (
  segment INTEGER PRIMARY KEY REFERENCES segments ON DELETE CASCADE,
  checksum INTEGER NOT NULL,
  documents BLOB NOT NULL,
  chunks BLOB NOT NULL
);

-- The files of a segment for one arm (`lexical` or `dense`).
CREATE TABLE parts (
  segment INTEGER NOT NULL REFERENCES segments ON DELETE CASCADE,
  arm TEXT NOT NULL,
  directory TEXT NOT NULL UNIQUE,
  versions TEXT NOT NULL,          -- what must agree for the part to be usable
  files TEXT NOT NULL,             -- stamps by relative path
  covered BLOB NOT NULL,           -- one packed bit for each chunk, 1 = has a row in this part
  checksum INTEGER NOT NULL,
  PRIMARY KEY (segment, arm)
);

-- Directories that readers of an older generation may still use.
CREATE TABLE dropped (
  directory TEXT PRIMARY KEY,
  generation INTEGER NOT NULL      -- the first one without it
) WITHOUT ROWID;
"""


def connect(path: Path, *, write: bool = False, parameters: str = "mode=rw") -> sqlite3.Connection:
    """Open an existing catalog; transactions are explicit. Raises `sqlite3.Error`."""
    uri = f"{path.absolute().as_uri()}?{parameters}"
    # A connection may move between the threads of the arms; `Catalog` serialises its use.
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        if write:
            _sync_fully(connection)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = FAST")
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA journal_size_limit = 67108864")
        else:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def create(path: Path, store_id: str, created: str, generation: int = 0) -> None:
    """Create an empty catalog at `path`, complete in that one file when this returns. Raises `sqlite3.Error`."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        _sync_fully(connection)
        connection.executescript(f"BEGIN; {_TABLES}")
        meta = {"store_id": store_id, "created": created, "generation": generation}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    finally:
        connection.close()


def _sync_fully(connection: sqlite3.Connection) -> None:
    """Make each commit durable; the latter two only mean something on macOS (see `files`)."""
    for pragma in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"):
        connection.execute(f"PRAGMA {pragma}")
