#!/usr/bin/env python3
"""Makes requests of a redis server, four clients at a time, and removes a large key meanwhile.

Usage: load.py PORT [--unlink]

Fills a sorted set with 300,000 members, lets four clients make 3,000 requests each, and removes the set with DEL (or
UNLINK) after a few of them. Prints how long the slowest request of these clients took, and stops the server as soon as
all memory is freed.
"""
import argparse
import socket
import threading
import time

MEMBERS, CLIENTS, REQUESTS, BATCH = 300_000, 4, 3_000, 1_000


def connect(port):
    """A connection, once the server listens."""
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")


def command(*words):
    """A command in redis's protocol."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def ask(connection, commands):
    """Sends commands, and waits for as many answers, each of which is one line."""
    connection.sendall(b"".join(commands))
    answers = 0
    while answers < len(commands):
        received = connection.recv(65536)
        if not received:
            raise SystemExit("the server closed the connection")
        answers += received.count(b"\r\n")


def wait_until_freed(connection):
    """Waits until no thread of the server frees memory any more: what it does after the server's end is not recorded."""
    answer = b""
    while b"lazyfree_pending_objects:0\r\n" not in answer:
        time.sleep(0.01)
        connection.sendall(command(b"INFO", b"memory"))
        answer = b""
        while not answer.endswith(b"\r\n") or b"lazyfreed_objects:" not in answer:
            received = connection.recv(65536)
            if not received:
                raise SystemExit("the server closed the connection")
            answer += received


def client(port, number, slowest):
    """Asks and asks; the time of its slowest request goes into `slowest`."""
    connection = connect(port)
    for i in range(REQUESTS):
        began = time.monotonic()
        ask(connection, [command(b"SET", b"key:%d:%d" % (number, i % 500), b"v" * 20)])
        slowest[number] = max(slowest[number], time.monotonic() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--unlink", action="store_true", help="remove the set with UNLINK")
    options = parser.parse_args()
    connection = connect(options.port)
    for begin in range(0, MEMBERS, BATCH):
        members = range(begin, begin + BATCH)
        ask(connection, [command(b"ZADD", b"scores", b"%d" % i, b"player:%d" % i) for i in members])
    slowest = [0.0] * CLIENTS
    threads = [threading.Thread(target=client, args=(options.port, i, slowest)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    ask(connection, [command(b"UNLINK" if options.unlink else b"DEL", b"scores")])
    for thread in threads:
        thread.join()
    print(f"the slowest request took {max(slowest) * 1e3:.1f} ms")
    wait_until_freed(connection)
    connection.sendall(command(b"SHUTDOWN", b"NOSAVE"))


main()
