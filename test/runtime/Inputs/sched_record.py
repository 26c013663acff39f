# The scheduling record of a thread, whatever holds it: docs/formats/sched.md.
#
#   of(PROCESS, N)   the bytes of thread N of the process in that directory, or None
#   all_of(SESSION)  those of all threads, by path of the thread's directory
import base64
import glob
import json
import os


def of(process, number):
    path = os.path.join(process, f"thread_{number}", "sched.ads")
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    with open(os.path.join(process, "manifest.json")) as file:
        threads = json.load(file)["threads"]
    text = next((thread["sched_ads"] for thread in threads if thread["id"] == number and "sched_ads" in thread), None)
    return text and base64.b64decode(text, validate=True)


def all_of(session):
    found = {}
    for thread in sorted(glob.glob(f"{session}/pid_*/thread_*")):
        record = of(os.path.dirname(thread), int(thread.rsplit("_", 1)[1]))
        if record:
            found[thread] = record
    return found
