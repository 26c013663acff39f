"""A ClickHouse server for one test: loopback only, with separate ports, data directory and users.

    with Server(directory) as server:
        server.load("session", "--label", "release=1")
        server.rows("SELECT count() FROM spans")

It ends with the process that started it, however that process ends.
"""
import contextlib
import ctypes
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

CONFIG = """<?xml version="1.0"?>
<yandex><logger><level>warning</level><log>{0}/log</log><errorlog>{0}/err</errorlog></logger>
<http_port>{1}</http_port><tcp_port>{2}</tcp_port><listen_host>127.0.0.1</listen_host><path>{0}/data/</path>
<tmp_path>{0}/tmp/</tmp_path><users_config>{0}/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>268435456</mark_cache_size>{3}</yandex>
"""
USERS = """<?xml version="1.0"?>
<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><ada><password>a secret</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
</ada></users><quotas><default></default></quotas></yandex>
"""


taken = []  # a socket for each port that this process has got, whose name keeps other tests from it


def freePorts(count):
    """Ports below those that the kernel gives out: nothing else takes them by chance, also before the server listens."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = []
    for port in random.sample(range(first // 2, first), 1000):
        mark = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError), socket.socket() as one:
            mark.bind(f"\0adatrace-test-port-{port}")
            one.bind(("127.0.0.1", port))
            ports.append(port)
            taken.append(mark)
        if len(ports) == count:
            return ports
    raise SystemExit(f"no {count} free ports from {first // 2} to {first}")


def makeCluster(name, servers):
    """Each server is one shard."""
    shards = "".join(f"<shard><replica><host>127.0.0.1</host><port>{server.tcp}</port><user>ada</user><password>a secret</password>"
                     "</replica></shard>" for server in servers)
    for i, server in enumerate(servers):
        server.configure(f"<macros><shard>{i}</shard><replica>one</replica></macros><remote_servers><{name}>{shards}</{name}></remote_servers>")


class Server:
    database = "traces"

    def __init__(self, directory, preload=None):
        self.directory = pathlib.Path(directory).resolve()
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.http, self.tcp = freePorts(2)
        self.configure()
        (self.directory / "users.xml").write_text(USERS)
        self.preload = preload
        self.address = f"clickhouse://127.0.0.1:{self.http}/{self.database}"
        self.environment = dict(os.environ, CLICKHOUSE_USER="ada", CLICKHOUSE_PASSWORD="a secret")
        self.process = None

    def configure(self, more=""):
        """Prepares the directory, before the server starts."""
        (self.directory / "config.xml").write_text(CONFIG.format(self.directory, self.http, self.tcp, more))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        environment = dict(os.environ, **({"LD_PRELOAD": self.preload} if self.preload else {}))
        self.process = subprocess.Popen(
            [shutil.which("clickhouse-server", path=os.environ["PATH"] + ":/usr/sbin"),
             f"--config-file={self.directory}/config.xml"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=self.directory, env=environment,
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
        for _ in range(600):
            try:
                return self.rows("SELECT 1", database="system")
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.05)
        raise SystemExit("the server does not start: " + (self.directory / "err").read_text()[-2000:])

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def query(self, sql, database=None):
        address = f"http://127.0.0.1:{self.http}/?database={database or self.database}"
        headers = {"X-ClickHouse-User": "ada", "X-ClickHouse-Key": "a secret"}
        try:
            return urllib.request.urlopen(urllib.request.Request(address, sql.encode(), headers)).read().decode()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{sql}\n{error.read().decode()}")

    def rows(self, sql, database=None):
        return [tuple(line.split("\t")) for line in self.query(sql, database).splitlines()]

    def number(self, sql):
        return int(self.query(sql))

    def command(self, *arguments):
        to = [] if any(str(argument).startswith("--to=") for argument in arguments) else [f"--to={self.address}"]
        return ["adatrace", "load", *to, *map(str, arguments)]

    def run(self, *arguments, **environment):
        """Runs adatrace load; returns (status, output)."""
        done = subprocess.run(self.command(*arguments), env=dict(self.environment, **environment), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def load(self, *arguments):
        status, text = self.run("-q", *arguments)
        if status:
            raise SystemExit(f"load {arguments} ended with {status}: {text}")
