"""Pages that play runs, as a browser shows them: `make look` writes results/look/NAME.html and NAME.png.

Needs Chromium. That the pages play without an error to their end is a test (test_animation.py); this is for the eye.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import farlink as fl
from matplotlib.image import imread

# How long a run is, and the moment and the speed at which it is looked at.
SCENES = {
    "chain_80211": ("5 s", "#2x0.001"),
    "gateway": ("5 s", "#3x0.001"),
    "dumbbell": ("3 s", "#2x0.001"),
    "manet": ("6 s", "#4x0.001"),
    "underwater": ("60 s", "#20x0.01"),
}
FEWEST_COLOURS = 50
"""A page on which nothing is drawn has its background and letters."""


def look(browser: str, name: str, folder: Path) -> int:
    """Write a page and its picture; how many colours the picture has."""
    duration, moment = SCENES[name]
    page, picture = folder / f"{name}.html", folder / f"{name}.png"
    fl.load(name).set("duration", duration).run(animate=page)
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--hide-scrollbars",
             "--window-size=1400,900", "--virtual-time-budget=3000", f"--screenshot={picture}", page.as_uri() + moment],
            capture_output=True, timeout=180, check=True,
        )  # fmt: skip
    return len({tuple(pixel) for row in imread(picture)[::3] for pixel in row[::3]})


def main() -> int:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium here: apt-get install chromium", file=sys.stderr)
        return 1
    folder = Path("results/look").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    blank = 0
    for name in SCENES:
        colours = look(browser, name, folder)
        blank += colours < FEWEST_COLOURS
        print(f"{folder / name}.png: {colours} colours" + (" (nothing is drawn)" if colours < FEWEST_COLOURS else ""))
    return 1 if blank else 0


if __name__ == "__main__":
    sys.exit(main())
