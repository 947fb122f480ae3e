"""Two paths of a sweep that set one value are refused: no value is replaced without a word."""

from itertools import permutations
from pathlib import Path

import farlink as fl
import pytest
from conftest import Command

ALL, FIRST = "flows.*.tcp.congestion_control", "flows.0.tcp.congestion_control"
LABELLED = "flows.transfer.tcp.congestion_control"
QUEUE, LIMIT = "links.0.queue", "links.0.queue.limit"
TWO = 'flows.+={ label = "second", from = "ground", to = "remote" }'


@pytest.mark.parametrize("paths", [*permutations((ALL, FIRST)), *permutations((ALL, LABELLED)), (FIRST, LABELLED)])
@pytest.mark.parametrize("flows", [1, 2])
def test_the_command_line_names_both_options(
    command: Command, link: Path, tmp_path: Path, paths: tuple[str, str], flows: int
) -> None:
    more = ("--set", TWO) if flows == 2 else ()
    vary = [each for path in paths for each in ("--vary", f"{path}=reno,hybla")]
    status, out, err = command("sweep", "link.toml", *more, *vary, "--seeds", "1", "--quiet")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"farlink: --vary {paths[0]} and --vary {paths[1]}: ")
    assert "leave one of them out" in err and not (tmp_path / "link.results").exists()


def test_every_pair_of_groups_is_looked_at(link: Path) -> None:
    values = ["reno", "hybla"]
    with pytest.raises(fl.UsageError, match=r"flows\.\*.* and flows\.0"):
        fl.sweep(link, {FIRST: values}, zip={ALL: values})
    with pytest.raises(fl.UsageError, match=r"flows\.\*.* and flows\.0"):
        fl.sweep(link, zip=[{ALL: values}, {FIRST: values}])
    with pytest.raises(fl.UsageError, match=r"flows\.\*.* and flows\.0"):
        fl.sweep(link, zip={ALL: values, FIRST: values})
    with pytest.raises(fl.UsageError, match=r"flows\.0.* and derive flows\.\*"):
        fl.sweep(link, {FIRST: values}, derive={ALL: "reno"})
    with pytest.raises(fl.UsageError, match=r"flows\.\*.* and override flows\.0"):
        fl.sweep(link, {ALL: values}, overrides=[fl.Override(when={ALL: "reno"}, set={FIRST: "cubic"})])
    with pytest.raises(fl.UsageError, match="override duration and derive duration"):
        fl.sweep(
            link,
            {FIRST: values},
            overrides=[fl.Override(when={FIRST: "reno"}, set={"duration": "3 s"})],
            derive={"duration": "{links.0.delay * 20:.0f} s"},
        )


def test_a_file_is_named_with_both_paths(command: Command, link: Path, tmp_path: Path) -> None:
    written = f'"{ALL}" = ["reno", "hybla"]\n'
    file = tmp_path / "sweep.toml"
    file.write_text(f'scenario = "link.toml"\n[cross]\n"{FIRST}" = ["reno", "hybla"]\n[[zip]]\n{written}')
    status, _, err = command("sweep", "sweep.toml")
    assert status == 2 and err.startswith(f"farlink: sweep.toml: {ALL} and {FIRST}: ")


def test_a_key_follows_its_table_and_not_the_other_way_round(link: Path) -> None:
    kinds, limits = ["drop_tail", "red"], ["10 packets", "20 packets"]
    texts = {
        task.scenario.validated.resolved for task in fl.sweep(link, {QUEUE: kinds, LIMIT: limits}, seeds=1).tasks()
    }
    assert len(texts) == 4
    with pytest.raises(fl.UsageError, match=rf"write {QUEUE} first"):
        fl.sweep(link, {LIMIT: limits, QUEUE: kinds})
    whole = [{"name": "drop_tail", "limit": "5 packets"}, {"name": "red", "limit": "7 packets"}]
    with pytest.raises(fl.UsageError, match="leave one of them out"):
        fl.sweep(link, {QUEUE: whole, LIMIT: limits})


def test_an_override_replaces_what_it_names_as_the_sweep_does(link: Path) -> None:
    sweep = fl.sweep(
        link,
        {FIRST: ["reno", "hybla"], QUEUE: ["drop_tail", "red"]},
        overrides=[fl.Override(when={FIRST: "reno", QUEUE: "red"}, set={FIRST: "cubic", LIMIT: "9 packets"})],
        seeds=1,
    )
    assert sum('"cubic"' in task.scenario.validated.resolved for task in sweep.tasks()) == 1


def test_values_of_a_further_item_are_replaced_by_those_of_all(link: Path) -> None:
    further = [{"label": name, "from": "ground", "to": "remote", "tcp": {"congestion_control": name}} for name in "ab"]
    with pytest.raises(fl.UsageError, match=r"flows\.\+ and flows\.\*"):
        fl.sweep(link, {"flows.+": further, ALL: ["reno", "hybla"]})


def test_a_tuning_refuses_them_too(link: Path) -> None:
    with pytest.raises(fl.UsageError, match=r"flows\.transfer.* and flows\.\*"):
        fl.tune(link, {LABELLED: "reno,hybla", ALL: "cubic,reno"})
