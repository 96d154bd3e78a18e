"""The report as JUnit XML: a test case for each transformation and place."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from metamorph.oracles.summaries import Changed, Summary
from metamorph.oracles.tallies import Tally
from metamorph.reports.gates import FAILED, NOT_JUDGED, Verdict
from metamorph.reports.shares import interval, percent

# What XML 1.0 has no way to write.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(
    summary: Summary, verdicts: Sequence[Verdict] = (), started: str = "", seconds: float = 0.0
) -> str:
    """One suite; a gate that failed is a failure, what was not judged is skipped.

    Half a run, and a model that answers nothing, are errors. started: ISO 8601. The order and the
    attributes of elements are those of the schemas in use, the strictest included.
    """
    judged = {(v.row.transform, v.row.place): v for v in verdicts}
    faults = _faults(summary)
    suite = Element("testsuite")
    _properties(suite, summary)
    for row in summary.tally:
        _case(suite, summary, row, judged.get((row.transform, row.place)))
    for fault in faults:
        case = SubElement(suite, "testcase", classname="metamorph", name=fault[0], time="0")
        SubElement(case, "error", message=_text(fault[1]), type=fault[0])
    SubElement(suite, "system-out").text = _text("\n".join(map(_example, summary.examples)))
    SubElement(suite, "system-err").text = _text("\n".join(summary.notes))
    suite.attrib |= _attributes(suite, summary, started, seconds)
    whole = Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(whole, "unicode")}\n'


def _attributes(suite: Element, summary: Summary, started: str, seconds: float) -> dict[str, str]:
    counts = {
        name: str(len(suite.findall(f"testcase{path}")))
        for name, path in (
            ("tests", ""),
            ("failures", "/failure"),
            ("errors", "/error"),
            ("skipped", "/skipped"),
        )
    }
    return {
        "id": "0",
        "name": _text(f"metamorph {summary.model['name']}"),
        "package": "metamorph",
        "hostname": "localhost",
        "timestamp": re.sub(r"(\.\d+)?(Z|[+-]\d\d:\d\d)$", "", started) or "1970-01-01T00:00:00",
        "time": f"{seconds:.3f}",
        **counts,
    }


def _properties(suite: Element, summary: Summary) -> None:
    known = {
        "seed": summary.seed,
        "task": summary.task,
        "corpus": summary.corpus,
        "complete": summary.complete,
        **{f"model.{name}": value for name, value in summary.model.items()},
        **{f"version.{name}": value for name, value in summary.versions.items()},
    }
    properties = SubElement(suite, "properties")
    for name, value in known.items():
        SubElement(properties, "property", name=_text(name), value=_text(str(value)))


def _case(suite: Element, summary: Summary, row: Tally, verdict: Verdict | None) -> None:
    name = f"{row.transform} {row.place}"
    classname = f"metamorph.{row.transform}"
    case = SubElement(suite, "testcase", classname=_text(classname), name=_text(name), time="0")
    if verdict is not None and verdict.result == FAILED:
        failure = SubElement(case, "failure", message=_text(verdict.detail), type="change-rate")
        failure.text = _text("\n".join(_numbers(summary, row)))
    elif row.change_rate is None:
        SubElement(case, "skipped", message="not judged: no prediction to compare")
    elif verdict is not None and verdict.result == NOT_JUDGED:
        SubElement(case, "skipped", message=_text(verdict.detail))


def _numbers(summary: Summary, row: Tally) -> list[str]:
    counts = f"{row.changed:,} of {row.judged:,} predictions changed"
    over = f"95 % interval {interval(row.interval)}, noise floor {percent(row.noise_floor)}"
    found = (e for e in summary.examples if (e.transform, e.place) == (row.transform, row.place))
    return [f"{counts}, {row.originals:,} originals", over, *map(_example, found)]


def _example(row: Changed) -> str:
    names = "".join(f", {old} to {new}" for old, new in row.names.items())
    head = f"{row.transform} {row.place} {row.category} {row.path}:{row.line} {row.method}{names}"
    return f"{head}: {row.before} became {row.after}"


def _faults(summary: Summary) -> list[tuple[str, str]]:
    faults = []
    if not summary.complete:
        done, planned = summary.accounting.files, summary.files_planned
        faults.append(("incomplete", f"{done:,} of {planned:,} files are done"))
    silent = sum(summary.accounting.no_answer.values())
    if silent and silent == summary.accounting.variants:
        faults.append(("no-answer", f"the model answered none of {silent:,} variants"))
    if broken := sum(summary.accounting.broken.values()):
        faults.append(("broken", f"{broken:,} variants were broken, not put to the model"))
    return faults


def _text(text: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
