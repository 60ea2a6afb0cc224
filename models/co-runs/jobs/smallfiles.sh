#!/bin/bash
# Unpacks a tar of many small files and keeps backups of the tree as it changes: rsync copies what is new and links the
# rest to the backup before, tar reads the backup, old ones are deleted. The tree and two backups stay at the end, for
# freeing many small files can take very long on a file system that discards their blocks one by one.
# Usage: smallfiles.sh TAR SCRATCH COUNT (of files in TAR) ROUNDS
set -euo pipefail
tar=$1 count=$3 rounds=$4
cd "$2"
tar -xf "$tar"
find tree -type f | sort >names
[ "$(wc -l <names)" = "$count" ]
echo unpacked
rsync -a tree/ backup0/
for round in $(seq "$rounds"); do
    awk -v round="$round" 'NR % 400 == round' names | while read -r name; do
        echo "round $round" >>"$name"
    done
    rsync -a --link-dest="../backup$((round - 1))" tree/ "backup$round/"
    tar -cf - "backup$round" | cksum
    [ "$round" -lt 2 ] || rm -r "backup$((round - 2))"
done
echo kept
rsync -a --checksum --itemize-changes --omit-dir-times tree/ "backup$rounds/" >changed # nothing may be different
[ ! -s changed ]
[ "$(find "backup$rounds" -type f | wc -l)" = "$count" ]
tar -cf last.tar "backup$rounds"
echo packed
