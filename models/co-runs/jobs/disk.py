"""Writes and reads files with fio, past the page cache or through it, and checks that all of it was done.

    disk.py direct FOLDER UNITS    one file of 1 GB: in order, 4 KiB at random places, in order
    disk.py buffered FOLDER UNITS  four files of 500 MB: written and made safe, read in order, read at random places

UNITS scales the amount of all steps, not the size of the files.
"""

import json
import subprocess
import sys

way, folder, units = sys.argv[1], sys.argv[2], int(sys.argv[3])
MB = 1_000_000
common = [f"--directory={folder}", "--thread", "--group_reporting", "--output-format=json", "--fallocate=none"]
if way == "direct":
    common += ["--filename=data", f"--size={1000 * MB}", "--direct=1", "--ioengine=libaio"]
    jobs, steps = 1, {
        "write": (900 * MB, ["--rw=write", "--bs=1M", "--iodepth=4"]),
        "mix": (180 * MB, ["--rw=randrw", "--rwmixread=60", "--bs=4k", "--iodepth=16"]),
        "read": (800 * MB, ["--rw=read", "--bs=256k", "--iodepth=4"]),
    }
else:
    # Two threads with two files each. fio drops a file's cached pages before it reads, so reading begins at the disk.
    common += ["--filename_format=data.$jobnum.$filenum", "--numjobs=2", "--nrfiles=2", f"--size={1000 * MB}"]
    common += ["--ioengine=psync"]
    jobs, steps = 2, {
        "write": (250 * MB, ["--rw=write", "--bs=64k", "--end_fsync=1"]),
        "read": (250 * MB, ["--rw=read", "--bs=128k"]),
        "random": (25 * MB, ["--rw=randread", "--bs=8k", "--norandommap"]),
    }
for name, (amount, options) in steps.items():
    amount *= units
    command = ["fio", *common, f"--name={name}", f"--io_size={amount}", *options]
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    (result,) = answer["jobs"]
    done = result["read"]["io_bytes"] + result["write"]["io_bytes"]
    print(f"{name}: {done / MB:.0f} MB in {result['job_runtime'] / 1000 / jobs:.2f} s", flush=True)
    if result["error"] or done < 0.99 * amount * jobs:
        sys.exit("not all was done")
