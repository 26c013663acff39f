"""What the manifests of a session say."""
import json


def recorded(session):
    """Events in the files, and events that were lost."""
    events = lost = 0
    for path in session.rglob("manifest.json"):
        for thread in json.loads(path.read_text()).get("threads", []):
            events += thread["event_count"]
            lost += sum(thread.get("dropped", {}).values())
    return events, lost
