"""The page that plays a run."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from itertools import accumulate
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from farlink.animation import MOST_OUTAGES, outages

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def data(page: Path) -> dict:
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="run">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> tuple[fl.Run, Path]:
    page = tmp_path_factory.mktemp("chain") / "run.html"
    return fl.load("chain_80211").set("duration", "10 s").run(animate=page), page


def test_the_page_is_whole_and_asks_nobody(chain: tuple[fl.Run, Path]) -> None:
    text = chain[1].read_text(encoding="utf-8")
    markup = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    assert not re.search(r"https?://|//[a-z]|\bsrc=|\bhref=|@import|\bfetch\(|XMLHttpRequest|url\(", markup)
    assert "default-src 'none'" in markup
    assert "{{" not in markup


def test_the_frames_of_the_page_are_those_that_stations_sent(chain: tuple[fl.Run, Path]) -> None:
    run, page = chain
    film = data(page)["film"]
    frames, stations = film["frames"], run.document["stations"]
    assert frames["left_out"] == 0
    sent = Counter(frames["from"])
    assert [sent[node] for node in range(5)] == [station["frames_sent"] for station in stations]
    missed = Counter(film["causes"][fate] for fate in frames["fate"] if fate >= 0)
    undelivered = Counter()
    for station in stations:
        undelivered.update({cause: count for cause, count in station["undelivered"].items() if count})
    assert missed == undelivered
    carried = [fate for kind, fate in zip(frames["kind"], frames["fate"], strict=True) if kind < 3 and fate >= 0]
    assert len(carried) == sum(run.document["failed_attempts"].values()) > 0


@pytest.mark.parametrize("name", ["chain_80211", "gateway", "dumbbell", "manet"])
def test_the_drops_of_the_page_are_those_of_the_document(name: str, tmp_path: Path) -> None:
    run = fl.load(name).set("duration", "6 s").run(animate=tmp_path / "run.html")
    page = data(tmp_path / "run.html")
    drops = page["film"]["drops"]
    assert page["results"]["drops"] == run.document["drops"] == drops["by_cause"]
    assert Counter(page["film"]["causes"][cause] for cause in drops["cause"]) == run.document["drops"]
    assert drops["left_out"] == 0
    times = list(accumulate(drops["at_ns"]))
    assert times == sorted(times)
    assert not times or 0 <= times[0] <= times[-1] <= 6e9
    labels = [flow["label"] for flow in page["film"]["stage"]["flows"]]
    for number, label in enumerate(labels):
        [flow] = [each for each in run.document["flows"] if each["flow"] == label]
        assert drops["flow"].count(number) == sum(flow["drops"].values())


def test_a_page_of_slots_knows_their_length_and_holds_combined_frames(tmp_path: Path) -> None:
    fl.load("frn").set("duration", "20 s").run(animate=tmp_path / "run.html")
    page = data(tmp_path / "run.html")
    assert page["slots"] == [0.010]
    frames = page["film"]["frames"]
    begin = list(accumulate(frames["begin_ns"]))
    senders = Counter(zip((at // 10_000_000 for at in begin), frames["from"], strict=True))
    # A station sends one frame in a slot; that with two parts has two rows of the same beginning.
    assert set(senders.values()) == {1, 2}
    assert all(at % 10_000_000 < 640_000 for at in begin)


def test_the_curves_end_where_the_flows_do(chain: tuple[fl.Run, Path]) -> None:
    run, page = chain
    [curve] = data(page)["curves"]
    [flow] = run.document["flows"]
    assert len(curve["time_s"]) == len(curve["delivery_rate_bps"]) == len(curve["cwnd_segments"]) > 50
    mean = sum(curve["delivery_rate_bps"]) / len(curve["delivery_rate_bps"])
    assert mean == pytest.approx(flow["goodput_bps"], rel=0.1)


def test_nodes_move_and_routes_change_as_in_the_run(tmp_path: Path) -> None:
    scenario = fl.load("manet").set("duration", "6 s")
    scenario.run(animate=tmp_path / "run.html")
    film = data(tmp_path / "run.html")["film"]
    assert len(film["stage"]["nodes"]) == 100
    first = film["stage"]["nodes"][0]["way"][:3]
    start = re.findall(r"\$node_\(0\) set [XY]_ ([\d.]+)", scenario.ns2_movement())
    assert first[1:] == pytest.approx([float(part) for part in start], abs=0.01)
    for at, flow, nodes in film["routes"]["changes"]:
        assert 0 <= at <= 6e9
        assert not nodes or nodes[0] == film["stage"]["flows"][flow]["from"]
    assert len(film["routes"]["changes"]) > 8


def test_a_link_carries_packets_for_as_long_as_it_takes(link: Path, tmp_path: Path) -> None:
    fl.load(link).run(animate=tmp_path / "run.html")
    film = data(tmp_path / "run.html")["film"]
    frames = film["frames"]
    assert set(frames["channel"]) == {-1}
    assert set(frames["delay"]) == {20_000_000}
    # 1500 bytes at 10 Mbit/s.
    assert max(frames["length"]) == 1_200_000
    assert [node["way"] for node in film["stage"]["nodes"]] == [None, None]


def test_a_window_keeps_frames_and_leaves_drops_whole(farlink: Cli, tmp_path: Path) -> None:
    settings = ("chain_80211", "--set", "duration=6 s", "--json")
    run = farlink("run", *settings, "--animate", "run.html", "--animate-window", "1s..2500 ms")
    assert run.returncode == 0, run.stderr
    film = data(tmp_path / "run.html")["film"]
    begins = list(accumulate(film["frames"]["begin_ns"]))
    assert film["window_ns"] == [1_000_000_000, 2_500_000_000]
    assert 1e9 <= begins[0] < begins[-1] <= 2.5e9
    assert film["drops"]["by_cause"] == json.loads(run.stdout)["drops"]
    # Observation changes nothing.
    plain = json.loads(farlink("run", *settings).stdout)
    watched = json.loads(run.stdout)
    assert [plain[key] for key in ("flows", "stations", "hops")] == [
        watched[key] for key in ("flows", "stations", "hops")
    ]


def test_looking_at_routes_that_follow_moving_nodes_changes_nothing(tmp_path: Path) -> None:
    scenario = fl.load("manet").set("duration", "6 s").set("routing", "shortest_path")
    plain, watched = scenario.run(series=False), scenario.run(animate=tmp_path / "run.html")
    for key in ("flows", "drops", "stations", "hops"):
        assert plain.document[key] == watched.document[key]
    routes = data(tmp_path / "run.html")["film"]["routes"]["changes"]
    assert len(routes) > 8, "one from the start, and others later"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--animate", "run.htm"], ".html"),
        (["--animate", "run.html", "--seeds", "1,2"], "one seed"),
        (["--animate-window", "1s..2s"], "needs --animate F.html"),
        (["--animate", "run.html", "--animate-window", "soon"], "10 s..20 s"),
        (["--animate", "run.html", "--animate-window", "2s..1s"], "ends before"),
        (["--animate", "run.html", "--animate-window", "9 h..10 h"], "the run ends"),
    ],
)
def test_a_page_that_cannot_be_made_is_refused(farlink: Cli, options: list[str], words: str) -> None:
    run = farlink("run", "chain_80211", *options)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_name_cannot_leave_its_element(tmp_path: Path) -> None:
    name = "</script><b>"
    fl.load("dumbbell").set("duration", "3 s").set("name", name).run(animate=tmp_path / "run.html")
    assert data(tmp_path / "run.html")["scenario"] == name
    assert "<b>" not in (tmp_path / "run.html").read_text().replace(json.dumps(name).replace("</", "<\\/"), "")


# Presses play, wheel, pointer and keys; what goes wrong stands in the title.
REHEARSAL = """<script>
const wrong = [];
// A browser without a screen draws no frames by itself.
window.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 16);
addEventListener("error", event => wrong.push(event.message));
const at = (name, canvas, x, y, more) => {
  const box = document.getElementById(canvas).getBoundingClientRect();
  const place = { clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1, ...more };
  document.getElementById(canvas).dispatchEvent(new (name === "wheel" ? WheelEvent : PointerEvent)(name, place));
};
// Before the page is loaded it would not hear a key.
addEventListener("load", () => setTimeout(() => {
  for (let x = 0; x < 800; x += 7) at("pointermove", "stage", x, 400);
  for (let y = 0; y < 700; y += 50) at("pointermove", "charts", 200, y);
  for (let x = 0; x < 700; x += 9) at("pointermove", "slots", x, 45);
  at("wheel", "stage", 300, 300, { deltaY: -100 });
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "[", "f", "End", "Home", ...Array(30).fill("]")])
    dispatchEvent(new KeyboardEvent("keydown", { key }));
  setTimeout(() => document.getElementById("play").click(), 150);
  setTimeout(() => { document.title = JSON.stringify([wrong, document.getElementById("clock").textContent]); }, 2000);
}, 50));
</script></head>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("chain_80211", "5 s"),
        ("gateway", "5 s"),
        ("dumbbell", "3 s"),
        ("manet", "6 s"),
        ("frn", "20 s"),
        ("leo", "20 s"),
    ],
)
def test_the_page_plays_in_a_browser(name: str, duration: str, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    fl.load(name).set("duration", duration).run(animate=page)
    page.write_text(page.read_text(encoding="utf-8").replace("</head>", REHEARSAL), encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
         "--virtual-time-budget=4000", "--enable-logging=stderr", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=300, check=True, env=os.environ,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    title = re.search(r"<title>(.*?)</title>", done.stdout)[1]
    wrong, clock = json.loads(title)
    assert wrong == []
    # At the highest speed the run is over at once.
    assert float(clock.removesuffix(" s")) == float(duration.removesuffix(" s"))


def test_outages_and_queues_of_links_are_those_of_the_run(tmp_path: Path) -> None:
    scenario = (
        fl.load("leo").set("duration", "50 s").set("links.0.reverse.down", ["15 s..15.1 s every 15 s", "1 s..2 s"])
    )
    run = scenario.run(animate=tmp_path / "run.html")
    page = data(tmp_path / "run.html")
    found = sorted((each["link"], each["begin_s"], each["end_s"]) for each in page["outages"])
    assert found == [(0, 1, 2), (0, 15, 15.1), (0, 30, 30.1), (0, 45, 45.1)]
    [queue] = page["queues"]
    assert queue["link"] == "gateway->terminal"
    assert max(queue["queue_packets"]) <= max(run.link_series["queue_packets"].to_pylist())
    rtts = [value for value in page["curves"][0]["rtt_s"] if value is not None]
    # The shortest RTT of the four paths is 24 ms; no sample is 0.
    assert min(rtts) > 0.024


def test_outages_that_are_too_many_to_be_seen_are_left_out() -> None:
    text = 'duration = "60 s"\n'
    text += '[[links]]\nbetween = ["a", "b"]\ndown = ["1 ms..2 ms every 5 ms"]\nreverse = { down = ["90 s..91 s"] }\n'
    found = outages(text)
    assert len(found) == MOST_OUTAGES
    assert found[0] == {"link": 0, "begin_s": 0.001, "end_s": 0.002}
