"""`farlink lab`: the page is served to this machine alone, with a scenario or a saved run in it."""

import base64
import json
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import farlink as fl
import pytest
from conftest import LINK, hear_ctrl_c
from farlink.lab import server
from farlink.lab.opened import opened


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page in place of the built one, for this process."""
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "index.html").write_text("<html><head><title>lab</title></head></html>")
    (folder / "farlink.wasm").write_bytes(b"engine")
    monkeypatch.setattr(server, "FOLDER", folder)
    return folder


def test_without_its_page_it_is_refused_with_the_remedy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVE, "lab", "--no-browser", str(tmp_path / "not built")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"farlink: this installation .* `make lab-page` builds it.*\n", done.stderr)


def test_what_cannot_be_opened_is_refused(built: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(fl.UsageError, match=r"not a saved run; `farlink run --out .*folder` makes one"):
        opened(str(tmp_path / "folder"))
    with pytest.raises(fl.UsageError, match="no such file or built-in scenario"):
        opened("satelite")
    (tmp_path / "experiment.json").write_text(json.dumps({"toml": LINK, "files": {}}))
    with pytest.raises(fl.UsageError, match=r"not a scenario in TOML; an experiment .* `Save the scenario`"):
        opened(str(tmp_path / "experiment.json"))
    (tmp_path / "bad.toml").write_text(LINK.replace("10 Mbit/s", "10 Mbananas"))
    with pytest.raises(fl.ScenarioError, match=r"bad.toml:.*links.0.rate"):
        opened(str(tmp_path / "bad.toml"))


def test_a_scenario_comes_with_the_files_it_names(tmp_path: Path) -> None:
    (tmp_path / "rate.csv").write_text("time_s,rate_bps\n0,1000000\n")
    text = LINK.replace('rate = "10 Mbit/s"', 'rate = { csv = "rate.csv" }')
    (tmp_path / "link.toml").write_text(text)
    found = opened(str(tmp_path / "link.toml"))
    assert (found["name"], found["toml"], found["runs"]) == ("link.toml", text, [])
    assert {name: base64.b64decode(data) for name, data in found["files"].items()} == {
        "rate.csv": b"time_s,rate_bps\n0,1000000\n"
    }


def test_a_saved_run_without_its_scenario_is_refused(built: Path, tmp_path: Path) -> None:
    fl.load("dumbbell").set("duration", "5 s").run(seeds=[1]).save(tmp_path / "saved")
    (tmp_path / "saved" / "scenario.toml").unlink()
    with pytest.raises(fl.UsageError, match=r"scenario.toml: no such file; `farlink run --out .*saved` makes it again"):
        opened(str(tmp_path / "saved"))


def test_a_saved_run_comes_with_the_results_and_the_curves_of_each_seed(tmp_path: Path) -> None:
    run = fl.load("dumbbell").set("duration", "5 s").run(seeds=[3, 4])
    run.save(tmp_path / "saved")
    found = opened(str(tmp_path / "saved"))
    assert found["toml"] == run.scenario.resolved
    assert [made["seed"] for made in found["runs"]] == [3, 4]
    document = json.loads(json.dumps(run.document))
    for made in found["runs"]:
        seed = made["seed"]
        assert made["result"]["flows"] == [row for row in document["flows"] if row["seed"] == seed]
        assert made["result"]["seeds"] == [seed]
        assert [row["flow"] for row in made["explanation"]] == run.scenario.flow_labels
        curves = {(each["measure"], each["of"]): each for each in made["series"]}
        for flow in run.scenario.flow_labels:
            rows = [row for row in run.series.to_pylist() if (row["seed"], row["flow"]) == (seed, flow)]
            assert curves["cwnd", flow]["v"] == pytest.approx([row["cwnd_segments"] for row in rows], rel=1e-5)
        assert any(measure == "queue" for measure, _ in curves)


def test_what_is_opened_cannot_end_its_element(built: Path) -> None:
    made = server.index(built, {"name": "</script><script>alert(1)</script>"}).decode()
    (data,) = re.findall(r'<script type="application/json" id="opened">(.*?)</script>', made)
    assert json.loads(data) == {"name": "</script><script>alert(1)</script>"}
    assert server.index(built, None) == (built / "index.html").read_bytes()


SERVE = """
import sys
from pathlib import Path
from farlink.lab import server
server.FOLDER = Path(sys.argv.pop())
from farlink.__main__ import main
main()
"""


@pytest.fixture
def served(built: Path, tmp_path: Path, link: Path) -> Iterator[tuple["subprocess.Popen[str]", HTTPConnection]]:
    """The command under way, and a connection to it."""
    command = [sys.executable, "-c", SERVE, "lab", "link.toml", "--no-browser", str(built)]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    )
    assert process.stdout and process.stderr
    address = re.fullmatch(r"farlink lab: (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\n", process.stdout.readline())
    assert address
    connection = HTTPConnection(urlsplit(address[1]).netloc, timeout=60)
    yield process, connection
    connection.close()
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


def test_it_serves_the_page_until_ctrl_c(served: tuple["subprocess.Popen[str]", HTTPConnection]) -> None:
    process, connection = served
    connection.request("GET", "/")
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status == 200 and 'id="opened">{"name":"link.toml"' in text
    connection.request("GET", "/farlink.wasm")
    engine = connection.getresponse()
    assert (engine.read(), engine.headers["Content-Type"]) == (b"engine", "application/wasm")
    connection.request("HEAD", "/")
    head = connection.getresponse()
    assert (head.status, head.read(), head.headers["Content-Length"]) == (200, b"", str(len(text.encode())))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("host", ["example.org", "[", ""])
def test_a_name_that_is_not_of_this_machine_is_refused(
    served: tuple["subprocess.Popen[str]", HTTPConnection], method: str, host: str
) -> None:
    # A page of another site, whose name was made to point to this machine.
    _, connection = served
    connection.request(method, "/farlink.wasm", headers={"Host": host})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 403


def test_a_connection_that_is_closed_early_is_no_error(
    served: tuple["subprocess.Popen[str]", HTTPConnection],
) -> None:
    process, connection = served
    with socket.create_connection((connection.host, connection.port)) as early:
        # A linger time of 0 s resets the connection.
        early.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.request("GET", "/farlink.wasm")
    assert connection.getresponse().read() == b"engine"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == ""


def test_a_port_in_use_is_refused(
    served: tuple["subprocess.Popen[str]", HTTPConnection], built: Path, tmp_path: Path
) -> None:
    _, connection = served
    command = [sys.executable, "-c", SERVE, "lab", "--no-browser", "--port", str(connection.port), str(built)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"farlink: port \d+ of 127.0.0.1: .*; choose another with --port\n", done.stderr)
