"""A limit may come at any step: other methods, and all that follows, have their rows all the same.

Some of the steps are tried here, all of them in `tests/proofs/test_limits_at_all_steps.py`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ticks import spend, ticked

from metamorph.corpus import sample_path
from metamorph.limits import TIME, Guard, Limits, OverLimitError, current, within

HERE = Path(__file__).parent

EMBEDDED = ["code2vec", "code2seq", f"nearest:{sample_path()}"]

FIRST = """\
import java.util.List;

class Parcel {
    private final int[] weights = {1, 2, 3};
    boolean sealed = false;

    /** The heaviest one. */
    int heaviest(List<String> names) {
        int most = 0;
        boolean found = false;
        for (int i = 0; i < weights.length; i++) {
            int weight = weights[i];
            if (weight > most) {
                most = weight;
                found = true;
            }
        }
        return found ? most : -1;
    }

    String price(int zone) {
        String text = "free";
        int cents = 0;
        switch (zone) {
            case 0:
                cents = 100;
                break;
            case 1:
                cents = 250;
                break;
            default:
                text = "unknown";
        }
        long count = names().stream().filter(name -> !name.isEmpty()).count();
        return text + cents + count;
    }

    List<String> names() {
        return List.of("a", "b");
    }
}
"""
OTHER = """\
class Meter {
    int total;

    int add(int value) {
        int before = total;
        total = before + value;
        while (value > 0) {
            value--;
        }
        return before;
    }
}
"""


def tried(folder: Path, model: str, every: int) -> list[str]:
    """What the trial prints."""
    for name, text in {"First.java": FIRST, "Other.java": OTHER}.items():
        (folder / name).write_text(text)
    command = [sys.executable, HERE / "untimely.py", model, "First.java", "Other.java", str(every)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    trial = subprocess.run(
        command, cwd=folder, env=os.environ | threads, capture_output=True, text=True, check=False
    )
    assert trial.returncode == 0, trial.stderr
    return trial.stdout.splitlines()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each step is tried in a fork")
@pytest.mark.parametrize("model", EMBEDDED, ids=lambda model: model.partition(":")[0])
def test_a_limit_at_one_of_many_steps_changes_no_other_row(tmp_path: Path, model: str) -> None:
    *faults, count = tried(tmp_path, model, 100)
    assert not faults
    assert int(count.removesuffix(" steps")) > 12


def stubborn(times: int, swallowed: list[str]) -> None:
    """Work that goes on so many times though it is told to end."""
    while len(swallowed) < times:
        try:
            while True:
                sum(range(100))
        except BaseException as error:
            swallowed.append(str(error))


def test_work_that_goes_on_though_told_to_end_is_told_again() -> None:
    swallowed: list[str] = []
    with pytest.raises(OverLimitError, match=TIME), Guard(Limits(0.1, 0)):
        stubborn(3, swallowed)
        spend(30)
    assert swallowed == [TIME] * 3
    assert current() is None


@pytest.mark.parametrize("end", [None, ValueError("half done")])
def test_what_comes_of_work_that_was_told_to_end_is_not_taken(end: Exception | None) -> None:
    def work() -> int:
        stubborn(1, [])
        if end is not None:
            raise end
        return 1

    assert within(Guard(Limits(0.1, 0)), work) == TIME
    with pytest.raises(KeyboardInterrupt), Guard(Limits(0.1, 0)):
        stubborn(1, [])
        raise KeyboardInterrupt


def test_a_tick_does_not_keep_work_from_being_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with ticked(monkeypatch, "Guard.__exit__") as lines:
        pass
    assert len(lines) > 3
    assert current() is None


INTERRUPTED = """
import sys
from metamorph.limits import Guard, Limits, _tick

ticks = 0


def tick(frame, event, argument):
    global ticks
    if "importlib" not in frame.f_code.co_filename:
        return None
    before = set(sys.modules)
    _tick(0, frame)
    assert set(sys.modules) == before, set(sys.modules) - before
    ticks += 1
    return tick


with Guard(Limits()):
    sys.settrace(tick)
    import colorsys
    sys.settrace(None)
print(ticks)
"""


def test_the_clock_may_tick_at_any_step_of_an_import() -> None:
    told = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) > 99
