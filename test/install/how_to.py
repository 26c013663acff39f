"""Runs run_how_to.py on each page of docs/how-to/ that has commands: how_to.py SOURCE PREFIX, in an empty directory."""
import os
import pathlib
import re
import subprocess
import sys

# Tests of their own.
ELSEWHERE = {
    "install.md": "test/packages/bare_root.sh",
    "slow_request_in_redis.md": "test/real/debian_how_to.sh",
    "write_stalls_in_leveldb.md": "test/real/debian_how_to.sh",
    "trace_fibers.md": "test/runtime/fibers/greenlet.test",
    "trace_postgresql.md": "test/real/debian_how_to.sh",
}

source, prefix = map(pathlib.Path, sys.argv[1:3])
here = pathlib.Path(__file__).parent
untested = failed = ran = 0
for page in sorted((source / "docs/how-to").glob("*.md")):
    setup = here / "how_to" / (page.stem + ".sh")
    if not setup.exists():
        if page.name not in ELSEWHERE:
            untested += 1
            print(f"{page.name}: no {setup.name} in test/install/how_to, and no test of its own")
        continue
    for line in re.findall(r"^ +(?:ada|ADA_|tools/).*", re.sub(r"```.*?```", "", page.read_text(), flags=re.S), flags=re.M):
        untested += 1
        print(f"{page.name}: a command in no sh block: {line.strip()}")
    os.mkdir(page.stem)
    ran += 1
    failed += subprocess.run([sys.executable, here / "run_how_to.py", page, setup], cwd=page.stem,
                             env={**os.environ, "SOURCE": str(source), "PREFIX": str(prefix)}).returncode != 0
print(f"{ran} pages, {untested} without a test", flush=True)
sys.exit(1 if failed or untested else 0)
