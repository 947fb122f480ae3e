from pathlib import Path

from conftest import Cli

SCENARIO = """
name = "walkers"
duration = "60 s"
topology = { name = "chain", nodes = 3, spacing = "10 m" }
radio = {}

[[flows]]
from = "n0"
to = "n2"
"""
MODEL = 'mobility = { name = "random_waypoint", area = ["100 m", "100 m"], pause = "2 s" }\n'
FILE = 'mobility = { name = "scripted", moves = { ns2 = "moves.tcl" } }\n'


def test_movement_written_and_read_back_is_written_the_same(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(MODEL + SCENARIO)
    (tmp_path / "file.toml").write_text(FILE + SCENARIO)
    assert farlink("movement", "model.toml", "--seed", 7, "--out", "moves.tcl").returncode == 0
    written = (tmp_path / "moves.tcl").read_text()
    again = farlink("movement", "file.toml", "--seed", 7)
    assert again.returncode == 0, again.stderr
    assert written.count("setdest") > 3
    # Speeds are distances over whole nanoseconds: the last digits move, the places and times do not.
    assert [line.rsplit(" ", 1)[0] for line in again.stdout.splitlines()] == [
        line.rsplit(" ", 1)[0] for line in written.splitlines()
    ]
    other = farlink("movement", "model.toml", "--seed", 8)
    assert other.stdout != written


def test_two_nodes_that_a_movement_file_leaves_out_are_refused(farlink: Cli, tmp_path: Path) -> None:
    nodes = "".join(f'[[nodes]]\nname = "n{i}"\n' for i in range(3))
    (tmp_path / "file.toml").write_text(FILE + SCENARIO.replace(SCENARIO.splitlines()[3], "") + nodes)
    moves = '$node_(0) set X_ 5.0\n$node_(0) set Y_ 5.0\n$ns_ at 1.0 "$node_(1) setdest 9.0 9.0 1.0"\n'
    (tmp_path / "moves.tcl").write_text(moves)
    for command in ("run", "check", "movement"):
        done = farlink(command, "file.toml")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("farlink: file.toml:1:41: mobility.moves: neither `n1` nor `n2` has a position")
        assert 'nor one in "moves.tcl"' in done.stderr
    (tmp_path / "moves.tcl").write_text(moves + "$node_(1) set X_ 6.0\n")
    assert farlink("check", "file.toml").returncode == 0, "one may be at the origin"


def test_movement_that_ns2_could_not_read_is_refused_with_a_remedy(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "still.toml").write_text(SCENARIO)
    done = farlink("movement", "still.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "shift all by 1 m" in done.stderr
    shifted = farlink("movement", "still.toml", "--shift", "1 m")
    assert "$node_(2) set X_ 21.000000000000" in shifted.stdout
    assert farlink("movement", "still.toml", "--shift", "1").returncode == 2
