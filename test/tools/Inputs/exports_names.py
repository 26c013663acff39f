"""Replaces NASTY by a name with everything that a name should not have: exports_names.py SESSION..."""
import json
import pathlib
import sys

NASTY = "</script><script>alert('1')</script>\"\\;\t\n\x01\x1b[31m\u009b\u202e\u2028 %s {x} \u00e4\U0001f600, 12"
for session in sys.argv[1:]:
    for manifest in pathlib.Path(session).glob("pid_*/manifest.json"):
        text = manifest.read_text()
        manifest.write_text(text.replace("NASTY", json.dumps(NASTY)[1:-1]))
