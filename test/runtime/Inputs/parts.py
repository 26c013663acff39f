"""Process directories of a session that was recorded with option rotate, for the tests."""
import glob
import json
import os


class Part:
    def __init__(self, directory):
        self.directory, self.name = directory, os.path.basename(directory)
        with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as f:
            self.manifest = json.load(f)
        self.part = self.manifest["part"]
        self.threads = {t["id"]: t for t in self.manifest["threads"]}
        self.events = sum(t["event_count"] for t in self.threads.values())
        self.how = self.manifest["process"]["exit"]["how"]


def chains(session, gone=()):
    """The parts of each process (or program, if a process called exec), in order. Checks that each part agrees with the
    previous one and continues its counts. `gone`: Parts that were deleted."""
    parts = {p.name: p for p in gone}
    parts |= {p.name: p for p in map(Part, glob.glob(os.path.join(glob.escape(session), "pid_*")))}
    followed = {p.part["previous"]: p for p in parts.values() if "previous" in p.part}
    result = []
    for part in parts.values():
        if "previous" in part.part:
            continue
        chain = [part]
        while chain[-1].name in followed:
            chain.append(followed[chain[-1].name])
        check(chain)
        result.append(chain)
    assert sum(map(len, result)) == len(parts), (session, "parts without the ones before them", [
        (p.name, p.part, p.how, p.events) for p in sorted(parts.values(), key=lambda p: (p.name.split("_")[1], p.part["number"]))])
    return result


def check(chain):
    before = {}
    isLeft = len(chain) > 1 and chain[-2].how != "rotated" # the last one: it was made, but not begun, when there was a kill
    assert not isLeft or chain[-1].events == 0, chain[-1].directory
    for number, part in enumerate(chain, 1):
        assert part.part["number"] == number, (part.directory, part.part)
        for id, thread in part.threads.items():
            told = thread.get("before", {}).get("event_count", 0)
            assert told == before.get(id, 0) or (isLeft and part is chain[-1]), (part.directory, id, told, before)
        for id, thread in part.threads.items():
            before[id] = before.get(id, 0) + thread["event_count"]
    for part, following in zip(chain[:-2] if isLeft else chain, chain[1:]):
        assert (part.how, part.part["next"]) == ("rotated", following.name), (part.directory, part.part, part.how)


def events(chain):
    return sum(part.events for part in chain)
