#!/bin/bash
# Unpacks a tar of many small files, copies the tree with rsync, compares, packs and deletes both trees.
# Usage: smallfiles.sh TAR SCRATCH COUNT (of files in TAR)
set -euo pipefail
cd "$2"
tar -xf "$1"
[ "$(find tree -type f | wc -l)" = "$3" ]
echo unpacked
rsync -a tree/ copy/
rsync -a --checksum --itemize-changes tree/ copy/ >changed # reads both trees; nothing may be different
[ ! -s changed ]
echo copied
tar -cf copy.tar copy
[ "$(tar -tf copy.tar | grep -c '\.txt$')" = "$3" ]
echo packed
rm -r tree copy
echo deleted
