"""Runs run_how_to.py on each page of docs/how-to/ that has commands: how_to.py SOURCE PREFIX, in an empty directory."""
import os
import pathlib
import subprocess
import sys

# Tests of their own.
ELSEWHERE = {
    "install.md": "test/packages/bare_root.sh",
    "slow_request_in_redis.md": "test/real/redis.sh",
}

source, prefix = map(pathlib.Path, sys.argv[1:3])
here = pathlib.Path(__file__).parent
untested = failed = ran = 0
for page in sorted((source / "docs/how-to").glob("*.md")):
    setup = here / "how_to" / (page.stem + ".sh")
    if not setup.exists():
        if page.name not in ELSEWHERE and "```sh" in page.read_text():
            untested += 1
            print(f"{page.name}: no {setup.name} in test/install/how_to, and no test of its own")
        continue
    os.mkdir(page.stem)
    ran += 1
    failed += subprocess.run([sys.executable, here / "run_how_to.py", page, setup], cwd=page.stem,
                             env={**os.environ, "SOURCE": str(source), "PREFIX": str(prefix)}).returncode != 0
print(f"{ran} pages, {untested} without a test", flush=True)
sys.exit(1 if failed or untested else 0)
