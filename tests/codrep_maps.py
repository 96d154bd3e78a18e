"""What must hold of every changed program: each line is where its line map says it is."""

from itertools import count as count_from

from metamorph.codrep.changes import Left, Wanted, changes, wanted
from metamorph.codrep.reading import Question
from metamorph.java.edits import line_map
from metamorph.java.source import line_of, line_starts
from metamorph.java.tree import Tree


def everything(per_task: int, place: str = "random") -> Wanted:
    """All transformations and movers."""
    plan, movers, _ = wanted("all", place)
    return Wanted(plan, movers, place, per_task=per_task)


def broken_maps(question: Question, tree: Tree, asked: Wanted) -> tuple[int, list[str]]:
    """How many variants were looked at, and each fault of their maps in words."""
    faults: list[str] = []
    count = 0
    before = question.program.split(b"\n")
    starts = line_starts(question.program)
    for change in changes(question, tree, None, asked, Left()):
        count += 1
        images = change.images
        after = change.question.program.split(b"\n")
        unedited: set[int] = set()
        for first, last, target in line_map(question.program, change.edits):
            unedited.update(range(first, last + 1))
            if before[first - 1 : last] != after[target - 1 : target + last - first]:
                faults.append(f"{change.transform}: lines {first} to {last} are not at {target}")
            lines = zip(range(first, last + 1), count_from(target), strict=False)
            faults += [
                f"{change.transform}: line {line} has the images {images.of[line]}"
                for line, image in lines
                if image not in images.of[line]
            ]
        touched = {
            line
            for edit in change.edits
            for line in range(line_of(starts, edit.start), line_of(starts, edit.end) + 1)
        }
        missed = set(range(1, len(before) + 1)) - unedited - touched
        faults += [f"{change.transform}: line {line} is lost" for line in sorted(missed)]
    return count, faults
