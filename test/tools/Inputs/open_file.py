"""Opens a session for each viewer with `adatrace open` and fetches what the viewer would.

Usage: open_file.py VIEWER... SESSION
"""
import http.client
import re
import signal
import subprocess
import sys
import urllib.parse

*viewers, session = sys.argv[1:]


def start(viewer, *options):
    """Uses any port, also for perfetto, because tests run side by side."""
    process = subprocess.Popen(["adatrace", "open", "--no-browser", "--port=0", f"--in={viewer}", *options, session],
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def fetch(url, method="GET", **headers):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
    connection.request(method, parts.path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def stop(process):
    process.send_signal(signal.SIGINT)
    return process.wait(120)


for viewer in viewers:
    process, address = start(viewer)
    url = re.search(r"http://127.*", urllib.parse.unquote(address))[0]
    port, token = re.search(r":(\d+)/([0-9a-f]{32})/", url).groups()
    print(f"{viewer}: {address.replace(port, 'PORT').replace(token, 'TOKEN')}")
    status, headers, body = fetch(url)
    want = subprocess.run(["adatrace", "convert", "-q", f"--to={viewer}", session, "-"], check=True, capture_output=True).stdout
    print("fetched:", "same as convert" if status == 200 and body == want else f"{status}, {len(body)} bytes instead of {len(want)}",
          "for", headers["Access-Control-Allow-Origin"])
    print("asked first:", fetch(url, "OPTIONS", Origin="https://x.example")[0])
    print("wrong token:", fetch(url.replace(token, token[::-1]))[0])
    print("no token:", fetch(url.replace(token + "/", ""))[0])
    print("other host:", fetch(url, Host="evil.example:" + port)[0])
    print("posted:", fetch(url, "POST")[0])
    part, address = start(viewer, "--thread=1")
    print("part:", "smaller" if len(fetch(re.search(r"http://127.*", urllib.parse.unquote(address))[0])[2]) < len(body) else "not smaller")
    stop(part)
    taken = subprocess.run(["adatrace", "open", "--no-browser", f"--port={port}", f"--in={viewer}", session], capture_output=True, text=True)
    print("port taken:", taken.returncode, taken.stderr.strip().replace("adatrace: ", "").replace(port, "PORT"))
    print("ended by SIGINT:", stop(process))
