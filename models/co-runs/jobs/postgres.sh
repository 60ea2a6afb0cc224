#!/bin/bash
# Starts a PostgreSQL server of its own, loads a bank's tables, runs a fixed number of transactions and a report, stops it.
#
# The server is reached by a socket in SCRATCH only. It refuses to run as root, so as root it runs as the user postgres;
# like all it starts it stays a child of this script. Usage: postgres.sh SCRATCH SCALE TRANSACTIONS (of each of 2 clients)
set -euo pipefail
scratch=$1 scale=$2 transactions=$3
data=$scratch/postgres
PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1):$PATH
export PGHOST=$data PGUSER=postgres PGDATABASE=bank LC_ALL=C.UTF-8

as_server=()
mkdir "$data"
if [ "$(id -u)" = 0 ]; then
    as_server=(setpriv --reuid=postgres --regid=postgres --init-groups)
    chown postgres "$data"
fi
cd "$data"
"${as_server[@]}" initdb --pgdata="$data/base" --username=postgres --auth=trust --no-sync --no-instructions >/dev/null
cat >>"$data/base/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$data'
shared_buffers = 256MB
work_mem = 64MB
max_wal_size = 512MB
max_parallel_workers_per_gather = 1
log_min_messages = error
autovacuum = off
CONF
# Not by pg_ctl, which would leave the server to init.
"${as_server[@]}" postgres -D "$data/base" >"$scratch/server.log" 2>&1 &
server=$!
trap 'kill -INT $server 2>/dev/null || true; wait' EXIT
for _ in $(seq 200); do
    pg_isready --quiet --dbname=postgres && break
    sleep 0.1
done

createdb --maintenance-db=postgres bank
pgbench --initialize --init-steps=dtgvp --scale="$scale" --quiet 2>/dev/null
psql --quiet --command=CHECKPOINT
echo loaded

pgbench --client=2 --jobs=2 --transactions="$transactions" --no-vacuum --random-seed=3
[ "$(psql -Atc 'SELECT count(*) FROM pgbench_history')" = $((2 * transactions)) ]
echo changed

psql -v ON_ERROR_STOP=1 <<'SQL'
SELECT count(*), sum(abalance) FROM pgbench_accounts;
SELECT b.bid, count(*) AS accounts, sum(a.abalance) AS balance, count(DISTINCT h.tid) AS tellers
FROM pgbench_accounts a JOIN pgbench_branches b USING (bid) LEFT JOIN pgbench_history h USING (aid)
GROUP BY b.bid ORDER BY balance DESC LIMIT 5;
SELECT sign(abalance), count(*), avg(aid), percentile_cont(0.5) WITHIN GROUP (ORDER BY aid)
FROM pgbench_accounts GROUP BY 1 ORDER BY 1;
CREATE TABLE ranked AS
    SELECT aid, bid, abalance, row_number() OVER (PARTITION BY bid ORDER BY abalance DESC, md5(aid::text)) AS place
    FROM pgbench_accounts;
CREATE INDEX ON ranked (place, bid);
SQL
[ "$(psql -Atc 'SELECT sum(abalance) = (SELECT sum(delta) FROM pgbench_history), count(*) FROM pgbench_accounts')" = \
    "t|$((scale * 100000))" ]
echo reported

trap - EXIT
kill -INT $server
wait $server
