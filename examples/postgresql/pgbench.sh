#!/bin/sh
# Starts a PostgreSQL server and 20 clients, kills one of its back ends, and waits until it has recovered.
# Usage: pgbench.sh SOURCE    where `make check` has installed it; works below the current directory, not as root
set -eu
installed=$(cd "$1" && pwd)/tmp_install/usr/local/pgsql
PATH=$installed/bin:$PATH LD_LIBRARY_PATH=$installed/lib
PGHOST=$(mktemp -d) PGDATABASE=postgres # for the server's socket, whose path must be short
export PATH LD_LIBRARY_PATH PGHOST PGDATABASE
rm -rf data
initdb -D data -A trust > initdb.log
trap 'pg_ctl -D data -m immediate stop > /dev/null 2>&1 || true; rm -rf "$PGHOST"' EXIT
pg_ctl -D data -l server.log -o "-k $PGHOST -h ''" -w start > /dev/null
pgbench -q -i -s 5 2> /dev/null

pgbench -n -c 20 -T 10 > clients.log 2>&1 &
clients=$!
sleep 2
until back_end=$(psql -Atc "select pid from pg_stat_activity where application_name = 'pgbench' limit 1") &&
  [ -n "$back_end" ] && kill -9 "$back_end"; do
  kill -0 $clients # nobody is left to kill
done
! wait $clients || { echo "the clients were not told"; exit 1; }

tries=600
until psql -Atc 'select 1' > /dev/null 2>&1; do
  tries=$((tries - 1))
  [ $tries -gt 0 ] || { echo "the server did not recover"; exit 1; }
  sleep 0.1
done
pgbench -n -c 20 -t 100 > clients.log
psql -Atc "select case when sum(bbalance) = (select sum(delta) from pgbench_history)
  and sum(bbalance) = (select sum(tbalance) from pgbench_tellers)
  and sum(bbalance) = (select sum(abalance) from pgbench_accounts)
  then 'all sums agree' else 'the sums differ' end from pgbench_branches"
pg_ctl -D data -m fast -w stop > /dev/null
