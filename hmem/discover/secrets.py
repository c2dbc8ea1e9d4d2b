"""Which files hold keys, passwords or tokens, by their names and by their first bytes. Pure.

Names are compared without regard to case. Words like `example` in the name of a template take it back in, but never a
key. Source code and prose about credentials (`credentials.go`, `secrets.md`) are no credentials: for the words that
people also write about, only data formats count.
"""

from __future__ import annotations

import re

from hmem.discover.content import extension
from hmem.discover.wordlist import word_set

SECRET_DIRECTORIES = word_set(
    """
    .ssh .gnupg .aws .azure .gcloud .kube .docker .env .envs .password-store .secrets .vault keyrings
    """
)

_DATA = r"(?:\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|xml|csv|tsv|txt|env|db|enc|plist|bak|old))*"

_KEYS = re.compile(
    r"""
    id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)(?:[._-].*)?(?<!\.pub)
  | ssh_host_.*_key
  | .*\.(?:pem|key|p8|p12|pfx|pkcs12|ppk|jks|jceks|bks|keystore|keytab|kdbx?|agekey|gpg|pgp|ovpn
          |keychain(?:-db)?|mobileprovision|snk|jwk|jwks)
  | secring\..* | keystore | truststore\.jks
    """,
    re.VERBOSE,
)

_CREDENTIALS = re.compile(
    rf"""
    \.env.* | [^.].*\.env | env\.(?:local|production|staging)
  | [._]netrc | \.pgpass | pgpass\.conf | \.my(?:login)?\.cnf | \.git-credentials
  | \.npmrc | \.yarnrc(?:\.yml)? | \.pypirc | \.gemrc | \.terraformrc | terraform\.rc
  | \.dockercfg | \.dockerconfigjson | \.s3cfg | \.boto | \.passwd-s3fs | \.esmtprc | \.msmtprc | \.fetchmailrc
  | \.?htpasswd.* | \.?htdigest | \.?vault[-_](?:token|pass(?:word)?)(?:\.txt)?
  | \.?credentials?{_DATA} | \.?secrets?{_DATA} | passwords?{_DATA} | .*\.secrets?
  | application_default_credentials\.json | .*[-_.]credentials\.(?:json|ya?ml|csv|xml|ini)
  | (?:client|app)[-_]secrets?.*\.json | service[-_]account.*\.json | auth\.json
  | kubeconfig | .*\.kubeconfig | kube\.config
  | .*\.tfstate(?:\..*)? | .*\.tfvars(?:\.json)?
  | shadow | gshadow | \.(?:bash|zsh|sh|fish|psql|mysql|sqlite|python|node_repl|rediscli|irb)_?history
    """,
    re.VERBOSE,
)

_TEMPLATE = re.compile(r"(?:^|[._-])(?:examples?|samples?|templates?|tmpl|tpl|dist|defaults|schema)(?:[._-]|$)")

_KEY_BLOCK = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d:|^openssh-key-v1\0",
    re.MULTILINE,
)
_KEY_MARKS = (b"PRIVATE KEY", b"PuTTY-User-Key-File-", b"openssh-key-v1\0")
_WRITTEN_ABOUT = word_set(
    """
    .md .markdown .mdx .rst .adoc .org .wiki .mediawiki .html .htm .tex .ipynb .py .pyi .js .mjs .cjs .jsx .ts .tsx
    .go .rs .c .h .cc .cpp .hpp .cs .java .kt .kts .scala .swift .rb .php .pl .lua .ex .exs .erl .hs .ml .clj .dart
    .zig .nim .jl .r .sh .bash .zsh .fish .ps1 .sql .vue .svelte .el .m .mm .fs .groovy
    """
)


def is_secret_name(name: str) -> bool:
    """Return whether a file called `name` holds a key or credentials."""
    name = name.lower()
    if _KEYS.fullmatch(name):
        return True
    return bool(_CREDENTIALS.fullmatch(name)) and not _TEMPLATE.search(name)


def is_secret_content(path: str, data: bytes) -> bool:
    """Return whether `data`, the bytes of `path`, are or hold a private key.

    A file that starts with a key is one. Prose and source code that show a key further down are not, anything else
    (a bare file, YAML, JSON) is.
    """
    if not any(mark in data for mark in _KEY_MARKS):  # far quicker than the expression, which rarely has to run
        return False
    found = _KEY_BLOCK.search(data)
    if found is None:
        return False
    if not data[: found.start()].strip(b"\xef\xbb\xbf \t\r\n"):
        return True
    return extension(path) not in _WRITTEN_ABOUT
