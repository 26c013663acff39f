"""A proxy for a ClickHouse server that refuses the third insert into a gate with a permanent error."""
import http.server
import threading
import urllib.error
import urllib.request


class Refusing(http.server.BaseHTTPRequestHandler):
    inserts, port = 0, 0
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        text = self.path + body[:200].decode("latin-1")
        if "INSERT" in text and "gate_" in text:
            Refusing.inserts += 1
            if Refusing.inserts == 3:
                return self.answer(500, b"Code: 469, e.displayText() = DB::Exception: no such rows here, e.what() = DB::Exception\n")
        request = urllib.request.Request(f"http://127.0.0.1:{Refusing.port}{self.path}", body,
                                         {k: v for k, v in self.headers.items() if k.startswith("X-")})
        try:
            self.answer(200, urllib.request.urlopen(request).read())
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start(port):
    """Starts the proxy for the server at that port; returns the address for --to."""
    Refusing.inserts, Refusing.port = 0, port
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    return f"clickhouse://127.0.0.1:{proxy.server_port}/traces"
