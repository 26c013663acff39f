"""Runs a command and fails if it needs more resident memory: peak_memory.py MEBIBYTES COMMAND..."""
import resource
import subprocess
import sys

limit = int(sys.argv[1])
done = subprocess.run(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if done.returncode != 0:
    sys.exit(done.returncode)
if peak > limit:
    sys.exit(f"{' '.join(sys.argv[2:])}: {peak:.0f} MiB of resident memory, allowed are {limit}")
