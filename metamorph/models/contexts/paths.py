"""The leaves of a method's tree, and which of them a path joins."""

from collections.abc import Iterator

from metamorph.models.contexts.build import Builder

# Paths of one leaf to the leaves below one node: the leaf, the node above both, the top of the
# other side, and how many nodes that side may have.
Group = tuple[int, int, int, int]

MAX_LENGTH = 8
MAX_WIDTH = 2


class Paths:
    """All pairs of leaves that are near enough.

    kids: the children of each node, whose child ids seldom fall from one to the next; size: how
    many leaves are below it, itself included.
    """

    __slots__ = ("_falling", "_place", "kids", "leaves", "nodes", "size")

    def __init__(self, nodes: Builder) -> None:
        self.nodes = nodes
        parent, child_id, text = nodes.parent, nodes.child_id, nodes.text
        self._falling: set[int] = set()
        self.leaves = [node for node, t in enumerate(text) if t is not None]
        self.kids: list[list[int]] = [[] for _ in parent]
        self._place = [0] * len(parent)
        for node in range(1, len(parent)):
            siblings = self.kids[parent[node]]
            self._place[node] = len(siblings)
            if siblings and child_id[siblings[-1]] > child_id[node]:
                self._falling.add(parent[node])
            siblings.append(node)
        self.size = [0 if t is None else 1 for t in text]
        for node in range(len(parent) - 1, 0, -1):
            self.size[parent[node]] += self.size[node]

    def groups(self) -> Iterator[Group]:
        """All pairs in official order: by left leaf, then by right leaf."""
        parent, child_id = self.nodes.parent, self.nodes.child_id
        kids, place, size = self.kids, self._place, self.size
        for leaf in self.leaves:
            node = leaf
            for budget in range(MAX_LENGTH - 1, 0, -1):
                above = parent[node]
                if above < 0:
                    break
                siblings = kids[above]
                widest = child_id[node] + MAX_WIDTH
                for at in range(place[node] + 1, len(siblings)):
                    other = siblings[at]
                    if child_id[other] > widest:
                        if above in self._falling:
                            continue
                        break
                    if size[other]:
                        yield leaf, above, other, budget
                node = above

    def within(self) -> list[list[int]]:
        """For each node and each number of nodes down, itself included, how many leaves."""
        parent, text = self.nodes.parent, self.nodes.text
        found = [[0] * MAX_LENGTH if t is None else [0, *[1] * (MAX_LENGTH - 1)] for t in text]
        for node in range(len(parent) - 1, 0, -1):
            mine, above = found[node], found[parent[node]]
            for budget in range(1, MAX_LENGTH):
                above[budget] += mine[budget - 1]
        return found
