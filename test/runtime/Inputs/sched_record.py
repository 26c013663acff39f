# The scheduling record of a thread, whatever holds it: docs/formats/sched.md.
#
#   of(PROCESS, N)   the bytes of thread N of the process in that directory, or None
#   all_of(SESSION)  those of all threads, by process and number
#   files(SESSION)   the numbers of the threads that have a file for it
import base64
import glob
import json
import os
import re


def of(process, number):
    for path in f"{process}/thread_{number}.sched.ads", f"{process}/thread_{number}/sched.ads":
        if os.path.exists(path):
            with open(path, "rb") as file:
                return file.read()
    with open(os.path.join(process, "manifest.json")) as file:
        threads = json.load(file)["threads"]
    text = next((thread["sched_ads"] for thread in threads if thread["id"] == number and "sched_ads" in thread), None)
    return text and base64.b64decode(text, validate=True)


def all_of(session):
    found = {}
    for path in glob.glob(f"{session}/pid_*/thread_*"):
        process, number = os.path.dirname(path), int(re.match("thread_([0-9]+)", os.path.basename(path))[1])
        record = of(process, number)
        if record:
            found[process, number] = record
    return dict(sorted(found.items()))


def files(session):
    found = glob.glob(f"{session}/pid_*/thread_*.sched.ads") + glob.glob(f"{session}/pid_*/thread_*/sched.ads")
    return sorted(int(re.search("thread_([0-9]+)[./]sched.ads$", path)[1]) for path in found)
