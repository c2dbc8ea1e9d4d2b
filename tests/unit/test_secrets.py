from __future__ import annotations

import pytest
from hmem.discover.secrets import is_secret_name

SECRET = """
.env .env.local .env.production .envrc .ENV prod.env env.local .netrc _netrc .pgpass pgpass.conf .my.cnf
.git-credentials credentials credentials.json credentials.yml.enc .credentials credential.csv
application_default_credentials.json client_secret_123.json service-account.json service_account-prod.json
google-credentials.json id_rsa id_dsa id_ecdsa id_ed25519 id_rsa.bak id_rsa_work id_ed25519.old ssh_host_rsa_key
server.pem server.PEM server.key cert.p12 cert.pfx app.keystore app.jks x.ppk vault.kdbx signing.p8 secring.gpg
keystore .npmrc .yarnrc.yml .pypirc .htpasswd htpasswd .htpasswd-users .dockercfg .dockerconfigjson .s3cfg .boto
.gemrc kubeconfig prod.kubeconfig terraform.tfstate terraform.tfstate.backup prod.tfvars prod.auto.tfvars.json
.terraformrc secrets.yml secrets.json secret.yaml secrets.toml .secrets db.secret .vault-token vault_pass.txt
passwords.txt password.csv .bash_history .psql_history .python_history shadow auth.json client.ovpn example.pem
sample.key
"""

OPEN = """
.env.example .env.sample .env.template .env-example .env.local.example example.env env.md environment.yml  .env.defaults
id_rsa.pub id_ed25519.pub id_card.md public.pub known_hosts authorized_keys credentials.go credentials.py credentials.md
credentials.rs secrets.md secrets.py secret_sharing.txt password.go passwords.md credentials.example.json
secrets.sample.yml terraform.tfvars.example keys.md monkey.py key keyboard.txt pem.md npmrc.md .gitignore
.editorconfig config.json README.md history.md main.tf auth.py
"""


@pytest.mark.parametrize("name", SECRET.split())
def test_secret(name):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OPEN.split())
def test_open(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize("name", ["." + "env." * 20_000, "credentials" + ".json" * 20_000 + ".x", "a-" * 50_000])
def test_no_name_takes_long(name):
    assert is_secret_name(name) == name.startswith(".env")
