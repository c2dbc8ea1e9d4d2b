#!/usr/bin/env bash
# Renew server certificates that have fewer than 20 days left. Runs nightly; see wiki/runbooks/rotate-certificates.md.
# Device certificates of banks are NOT touched.
set -euo pipefail

MIN_DAYS=20
LIFE_DAYS=60
FORCE=0
ONLY=""

while [ $# -gt 0 ]; do
  case "$1" in
    --force) FORCE=1 ;;
    --only) ONLY="$2"; shift ;;
    *) echo "usage: rotate_certs.sh [--only NAME] [--force]" >&2; exit 2 ;;
  esac
  shift
done

days_left() {
  local end
  end=$(openssl x509 -enddate -noout -in "$1" | cut -d= -f2)
  echo $(( ($(date -d "$end" +%s) - $(date +%s)) / 86400 ))
}

renew() {
  local name="$1" dir="/etc/qb/tls/$1"
  step ca certificate "$name.internal" "$dir/new.pem" "$dir/new.key" --not-after "$((LIFE_DAYS * 24))h" --force
  mv "$dir/new.key" "$dir/current.key"
  mv "$dir/new.pem" "$dir/current.pem"
  systemctl reload "$name"
  logger -t rotate_certs "renewed $name for $LIFE_DAYS days"
}

for name in broker heron pgbouncer; do
  [ -n "$ONLY" ] && [ "$ONLY" != "$name" ] && continue
  left=$(days_left "/etc/qb/tls/$name/current.pem")
  if [ "$FORCE" = 1 ] || [ "$left" -lt "$MIN_DAYS" ]; then
    renew "$name"
  fi
done
