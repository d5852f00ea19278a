#!/usr/bin/env bash
# Runs a command with DATABASE_URL and REDIS_URL of temporary servers, whose data is in a temporary folder:
#   scripts/with-servers.sh npm run test:postgres
# POSTGRES_OPTIONS adds options of the PostgreSQL server, as in '-c shared_preload_libraries=pg_stat_statements'.
# Needs PostgreSQL and Redis on the machine (Debian: postgresql, redis-server). PostgreSQL refuses to run as root, so for
# root it is started as the user postgres.
set -euo pipefail

postgres_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$postgres_bin" ] || postgres_bin=$(dirname "$(command -v initdb)")

folder=$(mktemp -d)
as_owner() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown postgres "$folder"

lib="$(cd "$(dirname "$0")/../demo/lib" && pwd)"
free_port() { node -e "require('$lib/freePort').freePort().then(console.log)"; }

stop() {
  [ -z "${redis_pid:-}" ] || { kill "$redis_pid" && wait "$redis_pid"; } 2>/dev/null || true
  as_owner "$postgres_bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  # May fail while a server still stops; only the exit code of the command counts.
  rm -rf "$folder" 2>/dev/null || true
}
trap stop EXIT

postgres_port=$(free_port)
as_owner "$postgres_bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --no-sync >/dev/null
# Durability is not needed, and every server of a test has its own connections.
as_owner "$postgres_bin/pg_ctl" -D "$folder/data" -l "$folder/postgres.log" -w start >/dev/null -o \
  "-p $postgres_port -k $folder -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off -c full_page_writes=off ${POSTGRES_OPTIONS:-}"
# Searched only now, so that it differs from the port of PostgreSQL.
redis_port=$(free_port)
redis-server --port "$redis_port" --bind 127.0.0.1 --databases 10000 --save '' --appendonly no --dir "$folder" >/dev/null &
redis_pid=$!
until redis-cli -p "$redis_port" ping >/dev/null 2>&1; do
  kill -0 "$redis_pid"
  sleep 0.1
done

export DATABASE_URL="postgres://postgres@127.0.0.1:$postgres_port/postgres"
export REDIS_URL="redis://127.0.0.1:$redis_port"
"$@"
