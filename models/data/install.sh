#!/bin/sh
# Installs what the jobs of plan.toml need: Debian packages (as root) and a Python environment in the plan's work
# folder. Safe to run again. Usage: models/data/install.sh [work folder]
set -eu
work=${1:-/var/tmp/cotrace-two-cores}
mkdir -p "$work"

missing=
for program in 7z:p7zip-full xz:xz-utils ffmpeg:ffmpeg sqlite3:sqlite3 fio:fio gcc:gcc java:openjdk-17-jre-headless; do
    command -v "${program%%:*}" >/dev/null 2>&1 || missing="$missing ${program#*:}"
done
if [ -n "$missing" ]; then
    apt-get update
    # shellcheck disable=SC2086 # a list of package names
    apt-get install -y --no-install-recommends libc6-dev $missing
fi

[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 pyspark==3.5.6
"$work/venv/bin/python" -c 'import numpy, sklearn, pyspark
print("numpy", numpy.__version__, "scikit-learn", sklearn.__version__, "pyspark", pyspark.__version__)'
