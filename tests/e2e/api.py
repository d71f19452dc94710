"""A small client of the Kubernetes API: JSON over keep-alive connections, one connection per thread."""
import concurrent.futures
import http.client
import json
import ssl
import threading
import time


class ApiError(Exception):
    """An answer outside 2xx."""

    def __init__(self, method, path, code, body):
        super().__init__(f"{method} {path}: {code} {body[:500]}")
        self.code = code
        self.body = body


class Client:
    """Talks to one API server with one bearer token. Any thread may call it.

    A call that meets a broken connection is repeated until `patience` seconds have passed, so that a test can keep working while
    it has the API server stopped. A create repeated that way may find its own object (409), a delete may find nothing (404): both
    then count as done.
    """

    def __init__(self, port, ca_file, token, patience=60.0):
        self.port = port
        self.token = token
        self.patience = patience
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._local = threading.local()

    def connect(self, timeout=30.0):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self._tls, timeout=timeout)

    def headers(self, content_type="application/json", accept="application/json"):
        return {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": accept}

    def call(self, method, path, body=None, content_type="application/json", accept="application/json"):
        deadline = time.monotonic() + self.patience
        repeated = False
        while True:
            connection = getattr(self._local, "connection", None)
            fresh = connection is None
            if fresh:
                connection = self._local.connection = self.connect()
            try:
                data = None if body is None else json.dumps(body)
                connection.request(method, path, data, self.headers(content_type, accept))
                response = connection.getresponse()
                text = response.read()
                code = response.status
            except (OSError, http.client.HTTPException):
                connection.close()
                self._local.connection = None
                repeated = True
                if time.monotonic() > deadline:
                    raise
                if fresh:  # a stale keep-alive connection is replaced at once, a refused one is not
                    time.sleep(0.1)
                continue
            if 200 <= code < 300:
                return json.loads(text) if text else {}
            if repeated and ((method == "POST" and code == 409) or (method == "DELETE" and code == 404)):
                return {}
            if code in (429, 503) and time.monotonic() < deadline:  # starting, stopping or overloaded
                time.sleep(0.1)
                repeated = True
                continue
            raise ApiError(method, path, code, text.decode(errors="replace"))

    def get(self, path):
        return self.call("GET", path)

    def get_table(self, path):
        """As `kubectl get` asks: {"columnDefinitions": [...], "rows": [{"cells": [...]}]}."""
        return self.call("GET", path, accept="application/json;as=Table;g=meta.k8s.io;v=v1")

    def post(self, path, body):
        return self.call("POST", path, body)

    def patch(self, path, body):
        return self.call("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path, grace_seconds=0):
        return self.call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": grace_seconds})

    def for_each(self, action, items, threads=8):
        """Runs action(item) for all items on several threads; the first failure is raised."""
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(action, items):
                pass


def wait_until(condition, what, seconds, interval=0.1):
    """Returns condition()'s first truthy value; fails with `what` (a text or a function that gives one) after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds:.0f} s: {what() if callable(what) else what}")
        time.sleep(interval)
