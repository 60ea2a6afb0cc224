#!/bin/sh
# Installs what the jobs of plan.toml need: Debian packages (as root) and a Python environment in the plan's work
# folder. Safe to run again. Usage: models/co-runs/install.sh [work folder]
set -eu
work=${1:-/var/tmp/cotrace-co-runs}
mkdir -p "$work"

missing=
for program in 7z:p7zip-full ffmpeg:ffmpeg sqlite3:sqlite3 fio:fio gcc:gcc javac:openjdk-17-jdk-headless hpcc:hpcc \
    mpirun:openmpi-bin pgbench:postgresql rsync:rsync setpriv:util-linux; do
    command -v "${program%%:*}" >/dev/null 2>&1 || missing="$missing ${program#*:}"
done
# The commands of the client may be there without a server.
[ -x /usr/lib/postgresql/15/bin/postgres ] || missing="$missing postgresql-15"
if [ -n "$missing" ]; then
    apt-get update
    # shellcheck disable=SC2086 # a list of package names
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libc6-dev $missing
    # The job starts a server of its own; one that runs beside it would disturb.
    command -v pg_ctlcluster >/dev/null && pg_ctlcluster 15 main stop 2>/dev/null || true
fi

[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 pyspark==4.0.1 lightgbm==4.7.0 duckdb==2.0.1 faiss-cpu==1.15.1
"$work/venv/bin/python" -c 'import duckdb, faiss, lightgbm, numpy, pyspark, sklearn
for module in duckdb, faiss, lightgbm, numpy, pyspark, sklearn:
    print(module.__name__, module.__version__)'
