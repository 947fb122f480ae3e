"""`farlink init`, `show`, `list --json` and `completion`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import farlink as fl
import pytest
from conftest import PATIENCE_S, Cli, Command
from farlink._farlink import built_in

NAMES = [name for name, _, _ in built_in()]


@pytest.mark.parametrize("source", NAMES)
def test_init_writes_a_copy_that_is_valid_and_keeps_the_comments(command: Command, tmp_path: Path, source: str) -> None:
    status, out, err = command("init", "mine", "--from", source)
    assert (status, out) == (0, "")
    assert "farlink run mine.toml" in err
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert text.count("#") > 1
    assert fl.load(tmp_path / "mine.toml").validated.name == "mine"
    original = fl.load(source).validated.resolved
    assert fl.load(tmp_path / "mine.toml").validated.resolved == original.replace(f'"{source}"', '"mine"', 1)


def test_init_takes_a_name_with_its_ending_and_any_characters(command: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert command("init", 'folder/my "link".toml')[0] == 0
    assert fl.load(tmp_path / "folder" / 'my "link".toml').validated.name == 'my "link"'


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["init", "old"], "old.toml: exists already; choose another name, or delete it"),
        (["init", "new", "--from", "satelite"], "did you mean `satellite`?"),
        (["init", "nowhere/new"], "there is no folder"),
        (["init", ""], "write `farlink init NAME`"),
        (["init", ".toml"], "write `farlink init NAME`"),
        (["init", ".."], "write `farlink init NAME`"),
        (["show", "satelite"], "did you mean `satellite`?"),
        (["show", "satellite", "--set", "duration=1 s"], "add --resolved"),
        (["show", "satellite", "--resolved", "--set", "duration=1"], "duration"),
        (["completion", "tcsh"], "'bash', 'zsh', 'fish'"),
    ],
)
def test_bad_usage_is_one_message_and_status_two(
    command: Command, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    (tmp_path / "old.toml").write_text("mine")
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert expected in err
    assert (tmp_path / "old.toml").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.toml"]


def test_show_prints_the_text_and_resolved_every_key(command: Command, link: Path) -> None:
    texts = {name: text for name, _, text in built_in()}
    assert command("show", "leo") == (0, texts["leo"], "")
    assert command("show", str(link)) == (0, link.read_text(), "")
    status, out, _ = command("show", "satellite", "--resolved", "--set", "duration=7 s")
    assert status == 0
    assert 'duration = "7 s"' in out and "initial_window" in out


def test_list_prints_json_for_scripts(command: Command) -> None:
    made = json.loads(command("list", "--json")[1])
    assert [each["name"] for each in made["scenarios"]] == NAMES
    assert {each["name"] for each in made["congestion_control"]} >= {"reno", "cubic"}
    assert list(json.loads(command("list", "queue", "--json")[1])) == ["queue"]


def completions(words: str) -> list[str]:
    """What bash offers for the last of these words."""
    environment = {"_FARLINK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-m", "farlink"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("farlink expl", "plain,explain"),
        ("farlink run sat", "plain,satellite"),
        ("farlink run sat", "file,sat"),
        ("farlink init new --from sat", "plain,satellite"),
        ("farlink list sc", "plain,scenarios"),
        ("farlink run satellite --see", "plain,--seeds"),
        ("farlink run satellite --set links.0.err", "plain,links.0.error.rate="),
        ("farlink check satellite --set flows.transfer.tcp.congestion_control.rt", "plain,flows.transfer.tcp."),
        ("farlink sweep chain_80211 --vary topo", "plain,topology.nodes="),
        ("farlink sweep chain_80211 --vary flows.*.tcp.max", "plain,flows.*.tcp.max_window="),
        ("farlink tune chain_80211 --set topology.sp", "plain,topology.spacing="),
        ("farlink run nowhere.toml --set dur", "plain,duration="),
    ],
)
def test_commands_options_and_scenarios_are_completed(words: str, expected: str) -> None:
    assert any(line.startswith(expected) for line in completions(words))


def test_nodes_and_links_of_a_topology_are_not_offered() -> None:
    offered = completions("farlink run chain_80211 --set ")
    assert "plain,flows.0.to=" in offered and not [line for line in offered if line.startswith("plain,nodes.")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_takes_its_script(farlink: Cli, shell: str, tmp_path: Path) -> None:
    script = farlink("completion", shell)
    assert (script.returncode, script.stderr) == (0, "")
    assert "_FARLINK_COMPLETE" in script.stdout
    if shutil.which(shell):
        (tmp_path / "script").write_text(script.stdout)
        done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, timeout=PATIENCE_S)
        assert (done.returncode, done.stderr) == (0, "")
