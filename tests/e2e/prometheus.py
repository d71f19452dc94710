"""A real Prometheus that starts with a history: series written as OpenMetrics and imported by promtool."""
import base64
import json
import shutil
import subprocess
import urllib.error
import urllib.request

from api import wait_until
from testbed import Process, Skip, free_port

SLOT = 900
SLOTS = 7 * 24 * 4
USER, PASSWORD = "huygens", "secret"
BCRYPTED = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"  # that password, with the least work that bcrypt knows


def need_prometheus():
    missing = [name for name in ("prometheus", "promtool") if not shutil.which(name)]
    if missing:
        raise Skip(f"no {', '.join(missing)} on the PATH; `tools/setup --prometheus` installs them")


def write_series(path, series, times):
    """`series`: [(metric name, labels, value by time)], written for each of `times` (Unix seconds, ascending); no value: not there then."""
    with open(path, "w") as file:
        for name in sorted({name for name, _, _ in series}):
            file.write(f"# TYPE {name} gauge\n")
            for other, labels, value in series:
                if other != name:
                    continue
                text = ",".join(f"{key}={json.dumps(label)}" for key, label in sorted(labels.items()))
                file.writelines(f"{name}{{{text}}} {amount:.6f} {time}\n" for time in times if (amount := value(time)) is not None)
        file.write("# EOF\n")


class Prometheus:
    """Serves what was imported; scrapes nothing."""

    def __init__(self, directory, write, login=False):
        """`write(path)` writes the history as OpenMetrics. `login`: only USER with PASSWORD may ask."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        data = directory / "prometheus"
        history = directory / "history.om"
        write(history)
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet", "--max-block-duration=168h", history, data], check=True, capture_output=True)
        history.unlink()
        config = directory / "prometheus.yaml"
        config.write_text("global: {}\n")
        web = directory / "prometheus-web.yaml"
        web.write_text(json.dumps({"basic_auth_users": {USER: BCRYPTED}} if login else {}))
        self.process = Process("prometheus", [
            shutil.which("prometheus"), f"--config.file={config}", f"--storage.tsdb.path={data}", "--storage.tsdb.retention.time=30d",
            f"--web.listen-address=127.0.0.1:{self.port}", f"--web.config.file={web}"], directory, grace=10)
        try:
            self.wait_ready()
        except BaseException:
            self.process.stop()
            raise

    def wait_ready(self):
        login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        question = urllib.request.Request(f"{self.url}/-/ready", headers={"Authorization": f"Basic {login}"})

        def ready():
            assert self.process.running(), f"prometheus ended by itself:\n{self.process.log()[-2000:]}"
            try:
                return urllib.request.urlopen(question, timeout=5).status == 200
            except (urllib.error.URLError, OSError):
                return False

        wait_until(ready, "prometheus is not ready", 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()
