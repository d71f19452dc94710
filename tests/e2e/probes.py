#!/usr/bin/env python3
"""kubelet's probes of a huygens, beside those of a server with nothing to do. They come from a process of their own: the one of the scenario keeps a
million objects after an hour, collects its garbage for seconds, and would take its own pauses for the server's.

As a program: probes.py ADMIN_PORT TRIVIAL_PORT prints a line of JSON per probe until it is told to end.
"""
import concurrent.futures
import contextlib
import http.client
import json
import signal
import sys
import threading
import time

TIMEOUT = 1.0  # seconds, kubelet's default
PAUSE = 0.5
PATHS = {"/healthz": (200,), "/readyz": (200, 503)}


def probe(port, path):
    """(status, or 0 and the error; seconds): what kubelet does, a new connection each time and a second of patience for whatever comes next."""
    start = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        response = connection.getresponse()
        response.read()
        outcome = response.status, ""
    except (OSError, http.client.HTTPException) as error:
        outcome = 0, repr(error)
    finally:
        connection.close()
    return *outcome, time.monotonic() - start


def missed(status, wanted, took, beside):
    """Whether kubelet would have counted a failure. `beside`: seconds that the same probe of a server with nothing to do took at the same time.
    Where that one was late, too, it was the machine; huygens has a second on top of it, and no more."""
    if status and status not in wanted:
        return True
    if status and took <= TIMEOUT:
        return False
    return beside <= TIMEOUT or took > beside + TIMEOUT


def main(port, trivial_port):
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        while not ending.wait(PAUSE):
            for path in PATHS:
                other = pool.submit(probe, trivial_port, "/")
                start = time.monotonic()
                status, error, took = probe(port, path)
                print(json.dumps({"path": path, "start": start, "status": status, "error": error, "took": took, "beside": other.result()[2]}), flush=True)


class Probes:
    """What came of the probes of one huygens, once stopped. While it is `excused` nobody need answer."""

    def __init__(self, huygens, trivial_port, directory, process):
        self.name = huygens.name
        self.excused = threading.Event()
        self._spans = []
        self._process = process(f"probes-{huygens.name}", [sys.executable, __file__, huygens.admin_port, trivial_port], directory, grace=5)

    @contextlib.contextmanager
    def excusing(self):
        start = time.monotonic()
        self.excused.set()
        yield
        self.excused.clear()
        self._spans.append((start, time.monotonic()))

    def stop(self):
        assert self._process.running(), f"{self._process.name} has ended: {self._process.log()[-2000:]}"
        self._process.stop()
        lines = [json.loads(line) for line in self._process.log().splitlines()]
        counted = [each for each in lines if not any(start <= each["start"] + each["took"] and each["start"] <= end for start, end in self._spans)]
        assert counted, f"{self._process.name} has asked nothing"
        late = [each for each in counted if missed(each["status"], PATHS[each["path"]], each["took"], each["beside"])]
        self.missed = [f"{each['path']} of {self.name} after {each['took']:.2f} s: {each['status'] or each['error']}; a server with nothing to do took "
                       f"{each['beside']:.2f} s" for each in late]
        self.asked = len(counted)
        self.slowest = max((each["took"], each["beside"]) for each in counted)
        self.late_with_all = sum(each["took"] > TIMEOUT for each in counted) - len([each for each in late if each["took"] > TIMEOUT])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
