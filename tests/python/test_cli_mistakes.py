from pathlib import Path

import pytest
from conftest import LINK, Cli


def refused(farlink: Cli, *arguments: object) -> str:
    done = farlink(*arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "line", "expected"),
    [
        ('rate = "10 Mbit/s"', 'rte = "10 Mbit/s"', 12, "did you mean `rate`?"),
        ('"20 ms"', '"20 msec"', 13, "ms"),
        ("drop_tail", "drop_tial", 14, "did you mean `drop_tail`?"),
        ('to = "remote"', 'to = "remoat"', 21, "remote"),
        ('"5 s"', "5", 2, "duration"),
        ("[[flows]]", "[[flows]", 18, ""),
    ],
)
def test_a_typo_in_a_file_is_pointed_at(
    farlink: Cli, tmp_path: Path, right: str, wrong: str, line: int, expected: str
) -> None:
    (tmp_path / "bad.toml").write_text(LINK.replace(right, wrong, 1))
    for command in ("run", "check"):
        message = refused(farlink, command, "bad.toml")
        assert message.startswith(f"farlink: bad.toml:{line}:")
        assert expected in message
        assert "^" in message


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("links.0.rte=1 Mbit/s", "did you mean `rate`?"),
        ("links.0.rate=1 Mbit", "--set"),
        ("links.7.rate=1 Mbit/s", "there is no item 7"),
        ("flows.0.tcp.congestion_control=hybl", "did you mean `hybla`?"),
        ("duration", "PATH=VALUE"),
    ],
)
def test_a_typo_in_set_is_pointed_at(farlink: Cli, link: Path, setting: str, expected: str) -> None:
    assert expected in refused(farlink, "run", link, "--set", setting)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "satelite"], "did you mean `satellite`?"),
        (["run", "."], "directory"),
        (["run", "{link}", "--seeds", "3..1"], "the smaller seed comes first"),
        (["run", "{link}", "--seeds", "one"], "write 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "1,1"], "given twice"),
        (["run", "{link}", "--seeds", "99999999999999999999"], "64 bits"),
        (["run", "{link}", "--seeds", "0..99999999999"], "more than"),
        (["run", "{link}", "--jobs", "0"], "--jobs"),
        (["run", "{link}", "--series", "s.xls"], ".parquet"),
        (["run", "{link}", "--plot", "p.gif"], ".png"),
        (["run", "{link}", "--plot", "nowhere/p.png"], "there is no folder"),
        (["run", "{link}", "--pcap", "f.pcap", "--seeds", "1,2"], "one seed"),
        (["run"], "SCENARIO"),
        (["rum"], "rum"),
        (["list", "nothing"], "lists:"),
        (["explain", "."], "--out"),
    ],
)
def test_bad_usage_is_one_message_and_status_two(farlink: Cli, link: Path, arguments: list[str], expected: str) -> None:
    assert expected in refused(farlink, *(argument.replace("{link}", str(link)) for argument in arguments))


def test_a_scenario_that_is_not_text_is_refused(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    assert "UTF-8" in refused(farlink, "run", "bad.toml")


def test_a_file_that_cannot_be_written_is_status_one_without_traceback(farlink: Cli, link: Path) -> None:
    done = farlink("run", link, "--out", link / "below")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
