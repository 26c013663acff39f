"""The messages and exit statuses of load when something is wrong.

Usage: load_refused.py DIRECTORY SESSION FULL_DISK_LIBRARY
"""
import os
import pathlib
import socket
import subprocess
import sys

from clickhouse import Server

directory, session, library = sys.argv[1:]
flag = pathlib.Path("disk_is_full").resolve()
os.environ["FULL_DISK"] = str(flag)


def show(what, done):
    status, text = done
    lines = [line for line in text.splitlines() if "time of day" not in line and "not carried over" not in line]
    print(f"{what}: {status}", *(line.replace(str(server.http), "PORT") for line in lines), sep="\n  ", flush=True)


def waitingLoader(*arguments):
    """A loader that has just reported that it tries again, or has ended; and its output until then."""
    loader = subprocess.Popen(server.command(*arguments), env=server.environment, stderr=subprocess.PIPE, text=True)
    lines = [loader.stderr.readline()]
    while lines[-1] and "trying again" not in lines[-1]:
        lines.append(loader.stderr.readline())
    return loader, lines


with Server(directory, preload=os.path.abspath(library)) as server:
    quick = ("-q", session, "--retry-for=100ms")
    patient = ("-q", session, "--retry-for=3s")  # on a busy machine an attempt may take longer than 100 ms
    show("no database", server.run(*quick))
    server.query("CREATE DATABASE traces", database="system")
    show("no tables", server.run(*quick))
    show("init", server.run("--init"))
    show("init again", server.run("--init"))
    show("wrong password", server.run(*quick, CLICKHOUSE_PASSWORD="guessed"))
    show("no such user", server.run(*quick, CLICKHOUSE_USER="nobody"))
    show("password in the address", server.run(*quick, "--to=clickhouse://ada:secret@127.0.0.1/traces"))
    show("no address", server.run(*quick, "--to=http://127.0.0.1/traces"))
    show("no database named", server.run(*quick, "--to=clickhouse://127.0.0.1"))
    show("odd database", server.run(*quick, "--to=clickhouse://127.0.0.1/a`b"))
    secret = pathlib.Path("secret")
    secret.write_text("user=ada\npassword=a secret\n")
    secret.chmod(0o644)
    nobody = {"CLICKHOUSE_USER": "", "CLICKHOUSE_PASSWORD": ""}
    show("credentials for all", server.run(*quick, "--credentials=secret", **nobody))
    show("part of a session", server.run("-q", session + "/pid_1"))
    show("no session", server.run("-q", "none"))
    show("label", server.run(*quick, "--label=release"))

    # A full disk ends the load; when there is room again, it continues.
    flag.touch()
    show("full disk", server.run(*patient))
    loader, lines = waitingLoader("-q", session, "--retry-for=60s")
    flag.unlink()
    said = loader.communicate()[1]
    show("room again", (loader.returncode, "".join(lines) + said))
    print(server.rows("SELECT count(), uniqExact(id) FROM spans"))
    secret.chmod(0o600)
    show("loaded", server.run(session, "--credentials=secret", **nobody))

    server.query("INSERT INTO schema_version VALUES (99)")
    show("newer tables", server.run(*quick))
    show("newer tables, init", server.run("--init"))
    server.kill()
    show("no server", server.run(*patient))
    # A server that listens and never answers: Ctrl-C.
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        silent.bind(("127.0.0.1", server.http))
        silent.listen()
        loader = subprocess.Popen(server.command(*quick), env=server.environment, stderr=subprocess.DEVNULL)
        silent.accept()
        loader.terminate()
        print("interrupted:", loader.wait(timeout=120))
    # A server that starts while load waits.
    loader, lines = waitingLoader(session, "--retry-for=60s")
    server.start()
    loader.communicate()
    print("late server:", loader.returncode, "trying again" in lines[-1])
