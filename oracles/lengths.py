"""Method length in statements, and the bins of the paper's figure 5 (section 6.3)."""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from metamorph.java.tree import Tree

BINS = ("0", "1-5", "6-10", "11-15", "16-20", "21-25", "26-50", "51-100", ">=101")
"""The paper's bins, and one of their own for bodies without a statement."""

_LAST = (0, 5, 10, 15, 20, 25, 50, 100)

_STATEMENTS = frozenset(
    {
        "assert_statement",
        "break_statement",
        "continue_statement",
        "do_statement",
        "enhanced_for_statement",
        "explicit_constructor_invocation",
        "expression_statement",
        "for_statement",
        "if_statement",
        "local_variable_declaration",
        "return_statement",
        "synchronized_statement",
        "throw_statement",
        "try_statement",
        "try_with_resources_statement",
        "while_statement",
        "yield_statement",
    }
)
_BODIES = frozenset(
    {
        "block",
        "constructor_body",
        "do_statement",
        "enhanced_for_statement",
        "for_statement",
        "if_statement",
        "labeled_statement",
        "switch_block_statement_group",
        "while_statement",
    }
)
_BODY_FIELDS = frozenset({"", "alternative", "body", "consequence"})


def length_bin(statements: int) -> str:
    """The bin of a method with that many statements."""
    return BINS[bisect_left(_LAST, statements)]


def bin_numbers(statements: NDArray[np.int32]) -> NDArray[np.int64]:
    """The places in `BINS` of methods with so many statements."""
    return np.searchsorted(_LAST, statements)


def statement_count(tree: Tree, body: int) -> int:
    """The executable statements of a body, nested ones included.

    A compound statement counts one and its parts on top; blocks, labels, empty statements, type
    declarations and the initialisation of a `for` count nothing. Statements of lambdas and of
    nested classes belong to the method in which they stand.
    """
    kind, parent, field = tree.kind, tree.parent, tree.field
    count = 0
    for node in range(body, tree.after[body]):
        if kind[node] in _STATEMENTS:
            count += field[node] != "init"
        elif kind[node] == "switch_expression":
            count += kind[parent[node]] in _BODIES and field[node] in _BODY_FIELDS
    return count


def block_count(tree: Tree, body: int) -> int:
    """The blocks of a body, itself included: what the older tools count as statements besides."""
    return len(tree.of_kinds(("block", "constructor_body"), body))
