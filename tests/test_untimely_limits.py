"""A limit may come at any step: other methods, and all that follows, have their rows all the same.

Some of the steps are tried here, all of them in `tests/proofs/test_limits_at_all_steps.py`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metamorph.corpus import sample_path

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
