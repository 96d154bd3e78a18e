"""Programs behave as before, whatever transformation is applied to them, wherever.

Each program is compiled and run, with its variants, on the same random inputs: results,
exceptions, the order of effects and what is left in memory must be the same.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_place import versions
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from random_programs import random_program
from warm_machine import WarmMachine, jdk_is_missing

from metamorph.transforms import codes

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.java"))
INPUTS = 60
EXAMPLES = 60
"""Random programs a test run, each transformed by every transformation."""

pytestmark = pytest.mark.skipif(jdk_is_missing(), reason="no JDK on the PATH: nothing can be run")


@pytest.fixture(scope="module")
def machine() -> Iterator[WarmMachine]:
    """One JVM for all tests."""
    started = WarmMachine()
    yield started
    started.close()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_behaves_as_before(path: Path, machine: WarmMachine) -> None:
    text = path.read_text(encoding="utf-8")
    made = list(versions(text, codes(), 0))
    program, *answers = machine.run(0, INPUTS, [text.encode(), *(v.data for v in made)])
    assert program.startswith("ok "), program
    assert {version.code for version in made} >= {"UN", "VN"}
    for version, answer in zip(made, answers, strict=True):
        assert answer == "same", f"{version.what}\n{version.data.decode()}"


def test_a_program_that_behaves_otherwise_is_seen(machine: WarmMachine) -> None:
    text = (Path(__file__).parent / "programs" / "independent-statements.java").read_bytes()
    wrong = [text.replace(b"i++;", b""), text.replace(b"j -= 3", b"j -= 4"), text + b"}"]
    _, *answers = machine.run(0, INPUTS, [text, *wrong])
    assert [answer.split(" ")[0] for answer in answers] == ["differs", "differs", "error"]


@settings(
    max_examples=EXAMPLES,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(chance=st.randoms(use_true_random=False), seed=st.integers(0, 2**31))
def test_random_programs_behave_as_before(
    machine: WarmMachine, chance: random.Random, seed: int
) -> None:
    text = random_program(chance)
    made = list(versions(text, codes(), seed, 1))
    program, *answers = machine.run(seed, 6, [text.encode(), *(v.data for v in made)])
    assume(program.startswith("ok "))
    for version, answer in zip(made, answers, strict=True):
        assert answer == "same", f"{version.what}\n{text}\n{version.data.decode()}"
