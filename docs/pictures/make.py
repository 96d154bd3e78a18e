"""Makes the pictures of the README from a real run: `python docs/pictures/make.py`.

The run is of the shipped code2seq over the sample corpus. The page's picture needs Chromium.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from metamorph.reports.table import show
from metamorph.runs.summary import summarise

HERE = Path(__file__).resolve().parent
OPTIONS = ("--model", "code2seq", "--transform", "all", "--place", "both", "--repeat", "2")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH, HEIGHT = 1180, 1080


def main() -> int:
    """Run, and make both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = (sys.executable, "-m", "metamorph")
        corpus = HERE.parent.parent / "fixtures" / "corpus"
        subprocess.run([*command, "run", corpus, *OPTIONS, "--out", run], check=True)
        (HERE / "terminal.svg").write_text(terminal(run), encoding="utf-8")
        page = Path(folder) / "report.html"
        subprocess.run([*command, "report", run, "--format", "html", "--out", page], check=True)
        return photograph(page, HERE / "report.png")


def terminal(run: Path) -> str:
    """The first table of the run as a terminal of 80 columns shows it."""
    out = io.StringIO()
    show(summarise(run), Console(file=out, width=80, force_terminal=True, color_system="truecolor"))
    first = out.getvalue().split("\n\n")[0]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(Text("$ metamorph run --model code2seq --transform all --place both --repeat 2"))
    console.print(Text.from_ansi(first))
    # Fonts from the network would be named there; the reader's own do.
    frame = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return console.export_svg(title="metamorph", code_format=frame, unique_id="metamorph")


def photograph(page: Path, out: Path) -> int:
    """The top of the page; 1 where there is no browser."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print("no Chromium is installed: the picture of the page is left as it is")
        return 1
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    size = f"--window-size={WIDTH},{HEIGHT}"
    shot = (f"--screenshot={out}", "--virtual-time-budget=5000", page.as_uri())
    subprocess.run([browser, *options, size, *shot], check=True, stderr=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
