#!/usr/bin/env bash
# Full restore onto the spare machine. usage: restore_backup.sh YYYY-MM-DD [--target-time TIMESTAMP]
# Goal: one hour. Record: 52 minutes (November 2025).
set -euo pipefail

day="${1:?which day?}"
target="${3:-}"
work=/srv/restore/$day
jobs=8

mkdir -p "$work"
echo "1/5 fetch from the cold bucket"
rclone copy "qb-cold:postgres/$day/" "$work/" --transfers 16
(cd "$work" && b3sum --check SUMS)

echo "2/5 schema without the giant index"
pg_restore --list "$work/base.dump" | grep -v 'INDEX public event_raw_' > "$work/list"

echo "3/5 load with $jobs jobs"
createdb quillbox
pg_restore --jobs "$jobs" --use-list "$work/list" --dbname quillbox "$work/base.dump"

if [ -n "$target" ]; then
  echo "4/5 replay the log to $target  (is ledger stopped? it must be, unless this is a drill)"
  wal-replay --from "$work/wal" --target-time "$target" --database quillbox
fi

echo "5/5 index and statistics"
psql quillbox -c 'CREATE INDEX event_raw_at ON event_raw (at)' -c 'ANALYZE'
psql quillbox -Atc "SELECT 'parcels', count(*) FROM parcel UNION ALL SELECT 'invoices', count(*) FROM ledger.invoice"
