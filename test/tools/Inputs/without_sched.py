# without_sched.py SESSION: removes all scheduling records, from their files and from the manifests.
import json
import pathlib
import sys

for process in pathlib.Path(sys.argv[1]).glob("pid_*"):
    for path in process.glob("thread_*/sched.ads"):
        path.unlink()
    manifest = json.loads((process / "manifest.json").read_text())
    for thread in manifest["threads"]:
        thread.pop("sched_ads", None)
    (process / "manifest.json").write_text(json.dumps(manifest))
