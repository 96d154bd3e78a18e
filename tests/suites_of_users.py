"""Small suites of users of the pytest plugin, for the tests of it."""

# What an inner session imported is taken out of sys.modules at its end; numpy cannot come twice.
import hypothesis.strategies  # noqa: F401
import pytest
import scipy.stats  # noqa: F401

import metamorph.oracles.rates
import metamorph.testing.fixture
import metamorph.testing.strategies  # noqa: F401

JAVA = """\
class Sums {
    int sum(int first, int second) {
        int total = first;
        int rest = second * 2;
        for (int at = 0; at < total; at++) {
            rest += at;
        }
        return total + rest;
    }

    int sum(int[] numbers) {
        int n = 0;
        for (int number : numbers) {
            n += number;
        }
        return n;
    }
}
"""
"""Two methods of one name; VN has eight sites in them, LX has one."""

MODELS = """\
import itertools
from metamorph.testing import metamorph_cases

def steady(code):
    return "sum"

def reader(code):
    return "sumTotal" if "total" in code else "other"

_asked = itertools.count()

def unsteady(code):
    return "abcdefgh"[next(_asked) % 8]

def silent(code):
    return None

def broken(code):
    raise ValueError("out of memory")

class Classifier:
    def predict(self, codes):
        return [reader(code) for code in codes]

"""
"""reader changes its mind where `total` is renamed: one variant of the eight."""


def write_suite(pytester: pytest.Pytester, tests: str, **files: str) -> None:
    """A folder `java`, and the tests, which find the models above."""
    folder = pytester.mkdir("java")
    (folder / "Sums.java").write_text(JAVA)
    for name, text in files.items():
        (folder / f"{name}.java").write_text(text)
    pytester.makepyfile(test_user=MODELS + tests)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run the suite in this process."""
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
