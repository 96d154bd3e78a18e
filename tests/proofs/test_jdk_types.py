"""The list of JDK types against the JDK on the PATH: nothing that they hand down is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from metamorph.java.jdk_types import HANDED_DOWN, handed_down

DRIVER = Path(__file__).resolve().parents[2] / "fixtures" / "javac" / "HandedDown.java"

pytestmark = pytest.mark.proof


def test_the_jdk_hands_down_nothing_that_the_list_lacks() -> None:
    if shutil.which("java") is None:
        pytest.skip("no java on the PATH")
    names = "\n".join(HANDED_DOWN)
    done = subprocess.run(
        ["java", str(DRIVER)], input=names, capture_output=True, text=True, check=True
    )
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    real = {name: frozenset(members.split()) for name, _, members in lines}
    assert real.keys() == HANDED_DOWN.keys()
    assert not {name: members for name, members in real.items() if members - HANDED_DOWN[name]}


def test_only_interfaces_and_object_are_trusted_within_the_jdk() -> None:
    if shutil.which("java") is None:
        pytest.skip("no java on the PATH")
    trusted = [
        name
        for name in HANDED_DOWN
        if handed_down(name.split("."), "java.elsewhere", {}) is not None
    ]
    done = subprocess.run(
        ["java", str(DRIVER)], input="\n".join(trusted), capture_output=True, text=True, check=True
    )
    classes = {line.split("\t")[0] for line in done.stdout.splitlines() if "\tclass\t" in line}
    assert classes == {"java.lang.Object"}
