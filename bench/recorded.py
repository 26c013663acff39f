"""Event counts from the manifests of a session."""
import json


def recorded(session):
    """Returns the events in the files, and the events that were lost."""
    events = lost = 0
    for path in session.rglob("manifest.json"):
        for thread in json.loads(path.read_text()).get("threads", []):
            events += thread["event_count"]
            lost += sum(thread.get("dropped", {}).values())
    return events, lost
