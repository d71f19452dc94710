"""Watches pods and other objects into one history, and replays it: no zone may ever hold more than it has room for."""
import http.client
import json
import threading
import time
from urllib.parse import urlencode

import oracle
from api import ApiError
from testbed import NRT_PATH

PATHS = {"pod": "/api/v1/pods", "topology": NRT_PATH}


class Recorder:
    """Records every change of the kinds of `paths` from its start on. `pods()` is the present, `events()` the past.

    Resource versions are revisions of one etcd, so they order the events of all kinds. When a watch cannot be resumed (410), the
    difference between two LISTs is recorded instead, and `gaps` counts it.
    """

    def __init__(self, client, paths=None):
        paths = paths or PATHS
        self.gaps = 0
        self._client = client
        self._paths = paths
        self._events = []  # (resource version, kind, type, object)
        self._present = {kind: {} for kind in paths}  # uid -> object
        self._versions = dict.fromkeys(paths, 0)
        self._lock = threading.Condition()
        self._stopping = False
        self._threads = [threading.Thread(target=self._watch, args=(kind,), daemon=True) for kind in paths]
        for kind in paths:
            self._list(kind)
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._stopping = True
        for thread in self._threads:
            thread.join(10)

    def pods(self):
        with self._lock:
            return list(self._present["pod"].values())

    def events(self):
        with self._lock:
            return sorted(self._events, key=lambda event: event[0])

    def wait_version(self, kind, version, seconds):
        with self._lock:
            assert self._lock.wait_for(lambda: self._versions[kind] >= version, seconds), f"the {kind} watch stays behind"

    def _record(self, kind, change, item, version):
        """The lock is held."""
        uid = item["metadata"]["uid"]
        if change == "DELETED":
            self._present[kind].pop(uid, None)
        else:
            self._present[kind][uid] = item
        self._events.append((version, kind, change, item))

    def _list(self, kind):
        answer = self._client.get(self._paths[kind])
        found = {item["metadata"]["uid"]: item for item in answer["items"]}
        with self._lock:
            known = self._present[kind]
            # When they went is not known. Early is what accuses nobody falsely.
            for uid in set(known) - set(found):
                self._record(kind, "DELETED", known[uid], self._versions[kind])
            for uid, item in found.items():
                version = int(item["metadata"]["resourceVersion"])
                if uid not in known or int(known[uid]["metadata"]["resourceVersion"]) < version:
                    self._record(kind, "MODIFIED", item, version)
            self._versions[kind] = int(answer["metadata"]["resourceVersion"])

    def _watch(self, kind):
        while not self._stopping:
            try:
                if not self._follow(kind):
                    self.gaps += 1
                    self._list(kind)
            except (OSError, http.client.HTTPException, ValueError, ApiError):
                # Cut in the middle of a line, or the API server is away, or the kind is.
                time.sleep(0.2)

    def _follow(self, kind):
        """False when the server no longer has the events after our version."""
        query = urlencode({"watch": 1, "allowWatchBookmarks": "true", "resourceVersion": self._versions[kind], "timeoutSeconds": 3600})
        connection = self._client.connect(timeout=1.0)  # so that stop() is noticed
        try:
            connection.request("GET", f"{self._paths[kind]}?{query}", headers=self._client.headers())
            response = connection.getresponse()
            if response.status == 410:
                return False
            if response.status != 200:
                raise OSError(f"watch of {kind}: {response.status}")
            buffer = b""
            while not self._stopping:
                try:
                    chunk = response.read1(1 << 20)
                except TimeoutError:
                    continue
                if not chunk:
                    return True
                *lines, buffer = (buffer + chunk).split(b"\n")
                events = [json.loads(line) for line in lines]
                if any(event["type"] == "ERROR" for event in events):
                    return False
                with self._lock:
                    for event in events:
                        self._versions[kind] = int(event["object"]["metadata"]["resourceVersion"])
                        if event["type"] != "BOOKMARK":
                            self._record(kind, event["type"], event["object"], self._versions[kind])
                    self._lock.notify_all()
            return True
        finally:
            connection.close()


def overfull_zones(events, ignored=()):
    """Replays the history; one line for each binding that left a zone with more than it has room for. `ignored`: names of objects."""
    rooms, holders, found, bindings = {}, {}, [], 0
    for version, kind, change, item in events:
        name = item["metadata"]["name"]
        if kind == "topology":
            if change != "DELETED" and name not in ignored:  # a node whose object goes keeps the zones that it has
                rooms[name] = oracle.Topology(item).room
            continue
        node, uid = item["spec"].get("nodeName"), item["metadata"]["uid"]
        zones = {} if change == "DELETED" else oracle.held(item)
        on_node = holders.setdefault(node, {})
        before = on_node.pop(uid, {})
        if not zones:
            continue
        on_node[uid] = zones
        if zones == before:
            continue
        bindings += 1
        for zone in zones:
            used = sum(pod.get(zone, 0) for pod in on_node.values())
            room = rooms.get(node, {}).get(zone, 0)
            if used > room:
                found.append(f"at version {version}, {name} on {node}: {zone} holds {used} milli-CPUs and has room for {room}")
    return found, bindings
