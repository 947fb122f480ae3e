import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


def test_links_in_the_docs_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_exceptions_are_complete() -> None:
    exceptions = tomllib.loads((ROOT / "docs" / "spec-exceptions.toml").read_text(encoding="utf-8"))
    for each in exceptions.get("exception", []):
        assert list(each) == ["clause", "says", "instead", "reason"]


def blocks(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "guide" / page).read_text(encoding="utf-8"), re.DOTALL)


REST_OF_THE_CHANNELS = """
[[nodes]]
name = "gateway"
[[nodes]]
name = "laptop"
position = ["400 m", "0 m"]
[[flows]]
from = "gateway"
to = "laptop"
"""


def test_scenarios_in_the_guide_are_valid(tmp_path: Path) -> None:
    import farlink as fl

    whole, channels = blocks("scenario.md")
    path = tmp_path / "guide.toml"
    path.write_text(whole)
    assert fl.load(path).validated.name == "satellite"
    path.write_text(f'name = "channels"\nduration = "10 s"\n{channels}{REST_OF_THE_CHANNELS}')
    assert fl.load(path).run(seed=1).flows["packets_delivered"][0].as_py() > 0


def test_the_congestion_control_in_the_guide_runs() -> None:
    page = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class Gentle" in block)
    import farlink as fl

    short = block.replace('fl.load("satellite")', 'fl.load("satellite").set("duration", "20 s")')
    names = {"fl": fl}
    exec(short, names)
    assert names["run"].flows["packets_delivered"][0].as_py() > 0
