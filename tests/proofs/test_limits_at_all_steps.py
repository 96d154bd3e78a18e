"""A limit may come at any step of the work on a file; some steps are tried in every test run."""

import os
from pathlib import Path

import pytest
from test_untimely_limits import EMBEDDED, tried

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each step is tried in a fork"),
]


@pytest.mark.parametrize("model", EMBEDDED, ids=lambda model: model.partition(":")[0])
def test_a_limit_at_any_step_changes_no_other_row(tmp_path: Path, model: str) -> None:
    *faults, count = tried(tmp_path, model, 1)
    assert not faults
    assert int(count.removesuffix(" steps")) > 1300
