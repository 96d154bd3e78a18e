"""What the tests of the HTML report share: a hostile corpus, pages of runs, and what is in them."""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from studies import write_models

from metamorph.oracles.listings import Listing
from metamorph.reports.html import page
from metamorph.runs.outcomes import listing
from metamorph.runs.summary import summarise

HOSTILE = """\
class Hostile {
    /** </script><!--<script>alert(1)</script> ]]> \u2028 @param first */
    String tell(String first, int second) {\r
        String total = "</style><img src=x onerror=alert(2)> \u202e\u2066 <!--";
        String emoji = "\U0001f600\U0001f600" + first; // \U0001f600 \x1b[31m \x07 BYTE
        int rest = second + total.length();
        for (int at = 0; at < rest; at++) {
            emoji += first;
        }
        return total + emoji + "&amp;${'{{'}" + rest;
    }
}
""".encode().replace(b"BYTE", b"\xff\xfe")

NAMES = ("<img src=x onerror=alert(3)>.java", 'it\'s \u202e"quoted".java', "-dash.java")


@dataclass(frozen=True, slots=True)
class Parts:
    """A page taken apart: its text, and the data in it."""

    text: str
    index: dict[str, Any]
    blocks: list[dict[str, Any]]

    def results(self) -> list[str]:
        """The result of each item."""
        return [self.index["strings"][n] for n in self.index["items"]["result"]]

    def of_item(self, name: str, item: int) -> Any:
        """A column's value; numbers of texts are not looked up."""
        return self.index["items"][name][item]

    def program(self, item: int) -> dict[str, Any]:
        """The columns of the item's program."""
        number = self.index["items"]["program"][item]
        return {name: column[number] for name, column in self.index["programs"].items()}


def write_hostile(folder: Path) -> Path:
    """A corpus whose code and file names try to break out of a page."""
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / name).write_bytes(HOSTILE)
    return folder


def run(folder: Path, paths: Sequence[str], *options: str, model: str = "word") -> Path:
    """A run in a process of its own, so that fixtures of any scope can have one."""
    write_models(folder)
    command = [sys.executable, "-m", "metamorph", "run", *paths, "--out", "run"]
    command += ["--model", f"python:models_for_tests:{model}", "--no-cache", *options]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True
    )
    assert (folder / "run" / "results.sqlite").is_file(), done.stderr.decode()
    return folder / "run"


def page_of(folder: Path, found: Listing | None = None) -> str:
    """The page of a run."""
    return "".join(page(summarise(folder), found or listing(folder)))


def hostile_page_of(folder: Path) -> str:
    """The page of a run of which everything that others name tries to break out."""
    summary = summarise(folder)
    evil = "</script><img src=x onerror=alert(4)>\"'&{{ 7 * 7 }} \u202e\x00\ud800"
    accounting = replace(
        summary.accounting, no_answer={evil: 1}, words={evil: evil}, refusals={evil: {evil: 1}}
    )
    tally = [replace(row, transform=f"{row.transform}{evil}") for row in summary.tally]
    lengths = [replace(row, transform=f"{row.transform}{evil}") for row in summary.by_length]
    named = replace(
        summary, model={"name": evil}, notes=[evil], task=evil, equality=evil, corpus=evil,
        versions={evil: evil}, accounting=accounting, tally=tally, by_length=lengths,
    )  # fmt: skip
    return "".join(page(named, listing(folder)))


def parts(text: str) -> Parts:
    """Take a page apart."""
    script = r'<script type="application/octet-stream" id="([\w-]+)">(.*?)</script>'
    packed = re.findall(script, text)
    found = {id: json.loads(gzip.decompress(base64.b64decode(data))) for id, data in packed}
    index = found.pop("index")
    assert list(found) == [f"block-{n}" for n in range(len(found))]
    return Parts(text, index, list(found.values()))
