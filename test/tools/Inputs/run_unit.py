"""Runs the command of a systemd unit with a separate directory and server address, until its first message.

Usage: FILE
"""
import os
import re
import subprocess
import sys

command = re.search(r"^ExecStart=((?:.*\\\n)*.*)$", open(sys.argv[1]).read(), re.M).group(1).replace("\\\n", " ").split()
command = [os.path.expandvars(word.replace("db.example:8123", "127.0.0.1:1").replace("${CREDENTIALS_DIRECTORY}", os.getcwd())
                              .replace("/var/lib/ada-traces", "traces")) for word in command]
ship = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
print(ship.stderr.readline(), end="", flush=True)
ship.terminate()
print("ended", ship.wait())
