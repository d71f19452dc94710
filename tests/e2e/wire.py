"""Clients that nobody wants, on every port of the family at once: they open connections and hold them, send halves, garbage and too much, and never read.

HUYGENS_E2E_CONNECTIONS (500) of them are held in all while each port goes on being asked what it is there for, on a connection that is kept and, as
kubelet and the API server do, on new ones. `tests/e2e/run wire` in make test; by hand with 10 000: raise `ulimit -n` first.
"""
import contextlib
import http.client
import json
import os
import random
import resource
import socket
import ssl
import statistics
import threading
import time

import quota_workload
from api import wait_until
from controller import Controller
from testbed import CONFIG
from webhook_bed import WebhookBed, creation

CONNECTIONS = int(os.environ.get("HUYGENS_E2E_CONNECTIONS", "500"))
SECONDS = float(os.environ.get("HUYGENS_E2E_WIRE_SECONDS", "4"))
PATIENCE = 10.0  # for one answer, on a machine where others work, too
MOST_GROWTH_KB = 320 << 10  # 256 MiB may be in flight (server.maxBytesInFlight), and what connections take themselves
MOST_CONNECTIONS = 1024  # of one port: net::ServerOptions


class Port:
    """Where a service listens, and a question that it must go on answering."""

    def __init__(self, name, process, number, question, tls=None):
        self.name, self.process, self.number, self.tls = name, process, number, tls
        self.question = question  # (method, path, body)

    def connect(self, timeout=PATIENCE):
        """A connection with TLS where the port has it, as somebody who may."""
        plain = self.connect_plain(timeout)
        try:
            return self.tls.wrap_socket(plain, server_hostname="huygens") if self.tls else plain
        except BaseException:
            plain.close()
            raise

    def connect_plain(self, timeout=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.number), timeout=timeout)

    def head(self, length, extra=""):
        method, path, _ = self.question
        return f"{method} {path} HTTP/1.1\r\nHost: huygens\r\nContent-Length: {length}\r\n{extra}\r\n".encode()

    def whole(self):
        body = self.question[2].encode()
        return self.head(len(body)) + body


class Asking(threading.Thread):
    """Asks a port its question again and again, on one connection or on a new one each time. A question that is not answered is a failure."""

    def __init__(self, port, keep):
        super().__init__(daemon=True)
        self.port, self.keep = port, keep
        self.times, self.failures = [], []  # (when, seconds)
        self._stopping = threading.Event()
        self.start()

    def run(self):
        connection = None
        while not self._stopping.wait(0.01):
            start = time.monotonic()
            try:
                connection = connection or self._open()
                method, path, body = self.port.question
                connection.request(method, path, body)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != 200:
                    self.failures.append(f"{answer.status} {text[:200]}")
                if not self.keep or answer.headers.get("Connection") == "close":
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                connection = None
            self.times.append((start, time.monotonic() - start))
        if connection:
            connection.close()

    def _open(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port.number, timeout=PATIENCE)
        connection.sock = self.port.connect()
        return connection

    def stop(self):
        self._stopping.set()
        self.join(2 * PATIENCE)

    def p99(self, start, end):
        taken = sorted(seconds for when, seconds in self.times if start <= when < end)
        return taken[int(0.99 * (len(taken) - 1))] if taken else float("nan")


# What an unwanted client does on a new connection, and leaves open for as long as the server lets it.
def idle(port, _rng):
    return port.connect_plain()


def garbage(port, rng):
    made = port.connect_plain()
    made.sendall(b"\x16\x03\x01" + rng.randbytes(200) if port.tls else rng.randbytes(200))
    return made


def stalled_handshake(port, _rng):
    """The beginning of a record that never comes to its end."""
    made = port.connect_plain()
    made.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    return made


def slow_loris(port, _rng):
    """The loop sends one byte more each time it comes by: Unwanted.feed."""
    made = port.connect()
    made.sendall(port.head(10)[:-4])
    return made


def truncated(port, _rng):
    """Half a body, and then no more: the sending side is closed."""
    made = port.connect()
    made.sendall(port.head(100_000) + b"x" * 50_000)
    if not port.tls:
        made.shutdown(socket.SHUT_WR)
    return made


def oversized(port, _rng):
    """More than any body may be, announced; and sent all the same."""
    made = port.connect()
    made.sendall(port.head(1 << 40))
    with contextlib.suppress(OSError):
        made.sendall(b"x" * 200_000)
    return made


def half_closed(port, _rng):
    """A whole question, and nothing after it."""
    made = port.connect()
    made.sendall(port.whole())
    if not port.tls:
        made.shutdown(socket.SHUT_WR)
    return made


def never_reads(port, _rng):
    """Questions as long as the socket takes them, and no answer is ever taken."""
    made = port.connect()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(0.05)
    with contextlib.suppress(OSError):
        for _ in range(200):
            made.sendall(port.whole())
    return made


WAYS = (idle, garbage, stalled_handshake, slow_loris, truncated, oversized, half_closed, never_reads)


class Unwanted(threading.Thread):
    """Holds `count` connections to a port, made in each of the ways in turns, and makes those anew that the server ends."""

    def __init__(self, port, count, seed):
        super().__init__(daemon=True)
        self.port, self.made, self.refused = port, 0, 0
        self._count, self._rng, self._held = count, random.Random(seed), []
        self._stopping = threading.Event()
        self.full = threading.Event()
        self.start()

    def run(self):
        while not self._stopping.is_set():
            self._held = [each for each in self._held if self._feed(*each)]
            while len(self._held) < self._count and not self._stopping.is_set():
                way = WAYS[self.made % len(WAYS)]
                self.made += 1
                try:
                    self._held.append((way, way(self.port, self._rng)))
                except OSError:  # it has been told to go away already
                    self.refused += 1
                    break
            if len(self._held) >= self._count or self.made >= 2 * self._count:
                self.full.set()
            self._stopping.wait(0.2)
        for _, connection in self._held:
            connection.close()

    def _feed(self, way, connection):
        """Whether the connection is still there, as far as can be seen without reading."""
        try:
            if way is slow_loris:
                connection.sendall(b"a")
            connection.setblocking(False)
            ended = way is not never_reads and not isinstance(connection, ssl.SSLSocket) and connection.recv(1, socket.MSG_PEEK) == b""
            connection.settimeout(PATIENCE)
        except (BlockingIOError, ssl.SSLWantReadError):
            connection.settimeout(PATIENCE)
            return True
        except OSError:
            ended = True
        if ended:
            connection.close()
        return not ended

    def stop(self):
        self._stopping.set()
        self.join(60)


def resident_kilobytes(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def ports_of(bed, huygens, controller):
    """The port that callers ask and the admin port of each service."""
    scheduler = ssl.create_default_context(cafile=bed.certificates() / "ca.crt")
    scheduler.load_cert_chain(bed.certificates() / "kube-scheduler.crt", bed.certificates() / "kube-scheduler.key")
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    pod = {"metadata": {"name": "asks", "namespace": "default", "uid": "asks"}, "spec": {"containers": []}}
    arguments = json.dumps({"Pod": pod, "NodeNames": ["node-0"]})
    review = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                         "request": creation(quota_workload.make_pod("asks", ""), "pods")})
    webhook = bed.webhooks[0]
    health = ("GET", "/healthz", "")
    return [Port("extender", huygens.process, huygens.port, ("POST", "/filter", arguments), scheduler),
            Port("webhook", webhook.process, webhook.port, ("POST", "/validate", review), anybody),
            Port("extender's admin", huygens.process, huygens.admin_port, health),
            Port("webhook's admin", webhook.process, webhook.admin_port, health),
            Port("controller's admin", controller.process, controller.admin_port, health)]


def wire():
    """Every port goes on answering while clients hold connections, stall, send halves, garbage and too much, and never read; nothing of it stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * CONNECTIONS + 4096)), hard))
    with WebhookBed("wire") as bed:
        bed.install()
        bed.kubectl("apply", "-f", CONFIG / "controller" / "rbac.yaml")
        bed.client.post("/api/v1/nodes", quota_workload.make_node(0))
        bed.install_webhook()
        huygens, controller = bed.start_huygens(), Controller(bed, "controller")
        bed.extenders.append(controller)
        controller.wait_ready()
        ports = ports_of(bed, huygens, controller)
        processes = {port.process for port in ports}
        asking = [Asking(port, keep) for port in ports for keep in (True, False)]
        time.sleep(SECONDS / 4)  # what it is like without them; nothing waits for it
        files = {process: open_files(process) for process in processes}
        memory = {process: resident_kilobytes(process) for process in processes}
        begin = time.monotonic()
        unwanted = [Unwanted(port, CONNECTIONS // len(ports), seed) for seed, port in enumerate(ports)]
        for each in unwanted:
            assert each.full.wait(120), f"{each.port.name}: no more than {each.made} connections could be made"
        most = dict.fromkeys(processes, 0)
        held = time.monotonic()
        while time.monotonic() < held + SECONDS:
            for process in processes:
                most[process] = max(most[process], resident_kilobytes(process))
                assert open_files(process) <= files[process] + 2 * MOST_CONNECTIONS + 64, f"{process.name} has {open_files(process)} files open"
            time.sleep(0.1)
        end = time.monotonic()
        for each in unwanted:
            each.stop()
        wait_until(lambda: all(open_files(process) <= files[process] + 8 for process in processes),
                   lambda: f"connections are left: {[(process.name, open_files(process), files[process]) for process in processes]}", 60)
        for each in asking:
            each.stop()
        problems = [f"{each.port.name}: {len(each.failures)} of {len(each.times)} questions were not answered, such as {each.failures[0]}" for each in asking if each.failures]
        problems += [f"{process.name} took {most[process]} kB, {memory[process]} kB before" for process in processes
                     if most[process] > memory[process] + MOST_GROWTH_KB]
        problems += [f"{process.name} ended" for process in processes if not process.running()]
        assert not problems, "; ".join(problems)
        ratios = [each.p99(held, end) / each.p99(0, begin) for each in asking]
        return (f"{sum(each.made for each in unwanted)} unwanted connections, {sum(len(each.times) for each in asking)} questions answered; p99 meanwhile "
                f"{statistics.median(ratios):.1f} times that before (ports {min(ratios):.1f} to {max(ratios):.1f}); memory at most "
                f"{max(most.values()) >> 10} MB, grown by {max(most[p] - memory[p] for p in processes) >> 10} MB")
