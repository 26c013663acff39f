"""Runs `adatrace view` and queries it, for tests."""
import atexit
import http.client
import json
import re
import signal
import subprocess
import time


class Server:
    def __init__(self, *arguments, environment=None, browser=False):
        arguments = [*([] if browser else ["--no-browser"]), *arguments]
        self.process = subprocess.Popen(["adatrace", "view", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        atexit.register(self.process.kill)  # for failed tests
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        if not match:
            raise SystemExit(f"no address but {self.address!r}: {self.process.communicate()[1]}")
        self.port, self.token = int(match[1]), match[2]

    def request(self, path, headers=None, method="GET"):
        """Status, headers and body. The path gets the token, as in the page, if `headers` are not given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        path = f"/{self.token}{path}" if headers is None else path
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        all = {"Host": f"127.0.0.1:{self.port}"} | (headers or {})
        for name, value in all.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def ask(self, query, status=200):
        got, headers, body = self.request("/api/" + query)
        if got != status or headers["Content-Type"] != "application/json":
            raise SystemExit(f"{query}: status {got}, not {status}: {body!r}")
        return json.loads(body.decode("utf-8"))  # strict: raises if it is not UTF-8

    def waitForIndexes(self):
        while any(session["index"]["state"] == "building" for session in self.ask("sessions")["sessions"]):
            time.sleep(0.01)

    def stop(self, number=signal.SIGTERM):
        """The exit status and the output on standard error."""
        self.process.send_signal(number)
        errors = self.process.communicate(timeout=60)[1]
        return self.process.returncode, errors


def items(timeline):
    """The columns of a timeline as a sorted list of rows."""
    names = "depth begin end function kind seq count fill".split()
    return sorted(zip(*(timeline[name] for name in names)))
