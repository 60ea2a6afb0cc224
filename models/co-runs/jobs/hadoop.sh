#!/bin/sh
# Compiles the Hadoop jobs with the jars that come with PySpark, or runs one of them in a single Java process.
# Usage: hadoop.sh build WORK                          classes go to WORK/hadoop
#        hadoop.sh run WORK SCRATCH CLASS [ARGUMENT]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
action=$1 work=$2
shift 2

jars=
for jar in "$work"/venv/lib/python3*/site-packages/pyspark/jars/; do
    for name in hadoop-client-api hadoop-client-runtime slf4j-api jcl-over-slf4j log4j-api log4j-core log4j-slf4j2-impl; do
        for file in "$jar$name"-[0-9]*.jar; do
            jars=$jars:$file
        done
    done
done

case $action in
build)
    classes=$work/hadoop
    # Anew only if a source has changed since.
    [ -z "$(find "$here"/hadoop -name '*.java' -newer "$classes" 2>&1)" ] && exit 0
    rm -rf "$classes.part"
    javac -nowarn -d "$classes.part" -cp "$jars" "$here"/hadoop/*.java
    rm -rf "$classes"
    mv "$classes.part" "$classes"
    touch "$classes"
    ;;
run)
    scratch=$1
    shift
    exec java -Xmx1g -Djava.io.tmpdir="$scratch" -Djava.net.preferIPv4Stack=true -Dlog4j2.level=ERROR \
        -cp "$work/hadoop$jars" "$@"
    ;;
esac
