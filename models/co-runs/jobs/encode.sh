#!/bin/sh
# Encodes a clip to H.264 in two passes on two threads and checks the number of pictures.
# Usage: encode.sh make CLIP PICTURES (nothing is done if CLIP is there), encode.sh run CLIP PICTURES SCRATCH
set -eu
run() {
    ffmpeg -nostdin -v error -y "$@"
}
if [ "$1" = make ]; then
    [ -e "$2" ] && exit
    run -f lavfi -i testsrc2=size=1280x720:rate=30 -frames:v "$3" -vf noise=alls=12:allf=t -pix_fmt yuv420p \
        -f yuv4mpegpipe "$2.part"
    mv "$2.part" "$2"
    exit
fi
for pass in 1 2; do
    run -i "$2" -c:v libx264 -preset fast -threads 2 -b:v 3M -passlogfile "$4/log" -pass $pass -f mp4 "$4/clip$pass.mp4"
    echo "pass $pass done"
done
[ "$(ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$4/clip2.mp4" | tr -d ,)" = "$3" ]
