"""Statements as JavaParser 3.0.0-alpha.4 shapes them."""

from functools import partial

from metamorph.models.contexts.build import Builder, Child, Handler
from metamorph.models.contexts.declarations import (
    annotations_of,
    declarator,
    declarator_id,
    declared,
    parameter_of,
    variable,
)
from metamorph.models.contexts.operators import inside
from metamorph.models.contexts.types import ANNOTATIONS


def statement(b: Builder, node: int) -> Child:
    """A statement as a child: some kinds mean something else where no statement stands."""
    return node, STATEMENTS.get(b.kind[node])


def block(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`{..}`, also of a constructor."""
    this = b.add("BlockStmt", parent, child_id)
    b.then(this, _statements(b, node))


def _statements(b: Builder, node: int) -> list[Child]:
    kind, named = b.kind, b.named
    return [(n, STATEMENTS.get(kind[n])) for n in b.kids(node) if named[n] or kind[n] == ";"]


def empty(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`;`."""
    b.add("EmptyStmt", parent, child_id)


def expression_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An expression and its semicolon."""
    this = b.add("ExpressionStmt", parent, child_id)
    b.then(this, [(p, None) for p in b.parts(node)])


def local_variables(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A local declaration: an expression within a statement."""
    this = b.add("ExpressionStmt", parent, child_id)
    variables(b, node, this, 0)


def variables(b: Builder, node: int, parent: int, child_id: int) -> None:
    """The declaration alone, as a for loop has it."""
    this = b.add("VariableDeclarationExpr", parent, child_id)
    b.then_numbered(this, declared(b, node))


def type_declaration(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A local class."""
    this = b.add("TypeDeclarationStmt", parent, child_id)
    b.stack.append((node, this, 0, None))


def _without_parts(label: str) -> Handler:
    def jump(b: Builder, node: int, parent: int, child_id: int) -> None:
        b.add(label, parent, child_id)

    return jump


def _expressions(label: str) -> Handler:
    """A statement that holds expressions only."""

    def holder(b: Builder, node: int, parent: int, child_id: int) -> None:
        this = b.add(label, parent, child_id)
        b.then(this, [(p, None) for p in b.parts(node)])

    return holder


def labeled(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`label: statement`; the label is no node."""
    this = b.add("LabeledStmt", parent, child_id)
    b.then(this, [statement(b, b.kids(node)[-1])])


def if_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Condition, then, else; a chain of else-ifs is followed by the work list."""
    tree = b.tree
    this = b.add("IfStmt", parent, child_id)
    children: list[Child] = [(inside(b, tree.child(node, "condition")), None)]
    children.append(statement(b, tree.child(node, "consequence")))
    other = tree.child(node, "alternative")
    if other >= 0:
        children.append(statement(b, other))
    b.then(this, children)


def while_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Condition, body."""
    this = b.add("WhileStmt", parent, child_id)
    condition = inside(b, b.tree.child(node, "condition"))
    b.then(this, [(condition, None), statement(b, b.tree.child(node, "body"))])


def do_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Body, condition."""
    this = b.add("DoStmt", parent, child_id)
    condition = inside(b, b.tree.child(node, "condition"))
    b.then(this, [statement(b, b.tree.child(node, "body")), (condition, None)])


def for_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """The comparison comes first, then initialisers, updates, body."""
    this = b.add("ForStmt", parent, child_id)
    compare, first, updates = [], [], []
    body = -1
    for child in b.kids(node):
        field = b.field[child]
        if field == "condition":
            compare.append((child, None))
        elif field == "init":
            local = b.kind[child] == "local_variable_declaration"
            first.append((child, variables if local else None))
        elif field == "update":
            updates.append((child, None))
        elif field == "body":
            body = child
    b.then(this, [*compare, *first, *updates, statement(b, body)])


def for_each(b: Builder, node: int, parent: int, child_id: int) -> None:
    """The variable's declaration, what is iterated, body."""
    this = b.add("ForeachStmt", parent, child_id)
    value, body = b.tree.child(node, "value"), b.tree.child(node, "body")
    b.then(this, [(node, _loop_variable), (value, None), statement(b, body)])


def _loop_variable(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("VariableDeclarationExpr", parent, child_id)
    b.then_numbered(this, variable(b, node, annotations_of(b, node), [(node, _loop_name)]))


def _loop_name(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("VariableDeclarator", parent, child_id)
    declarator_id(b, node, this, 0)


def try_statement(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Resources, block, catch clauses, finally block."""
    this = b.add("TryStmt", parent, child_id)
    children: list[Child] = []
    for part in b.parts(node):
        kind = b.kind[part]
        if kind == "resource_specification":
            children += [(p, resource) for p in b.parts(part)]
        elif kind == "finally_clause":
            children += [(p, None) for p in b.parts(part)]
        else:
            children.append((part, None))
    b.then(this, children)


def resource(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A resource: a declaration, or since Java 9 an expression."""
    if b.tree.child(node, "value") < 0:
        b.stack.append((b.parts(node)[0], parent, child_id, None))
        return
    this = b.add("VariableDeclarationExpr", parent, child_id)
    b.then_numbered(this, variable(b, node, annotations_of(b, node), [(node, declarator)]))


def catch_clause(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Parameter (name before type), block."""
    this = b.add("CatchClause", parent, child_id)
    parameter, body = b.tree.child_of_kind(node, "catch_formal_parameter"), b.kids(node)[-1]
    b.then(this, [(parameter, _catch_parameter), (body, None)])


def _catch_parameter(b: Builder, node: int, parent: int, child_id: int) -> None:
    caught = b.tree.child_of_kind(node, "catch_type")
    types = b.parts(caught) if caught >= 0 else []
    kind_of: Child = (caught, _union) if len(types) > 1 else (types[0], None)
    parameter_of(b, node, parent, child_id, [kind_of], [])


def _union(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("UnionType", parent, child_id)
    b.then(this, [(p, None) for p in b.parts(node)])


def synchronized(b: Builder, node: int, parent: int, child_id: int) -> None:
    """Lock, block."""
    this = b.add("SynchronizedStmt", parent, child_id)
    lock, body = b.parts(node)[0], b.tree.child(node, "body")
    b.then(this, [(inside(b, lock), None), (body, None)])


def _switch(label: str) -> Handler:
    def switch(b: Builder, node: int, parent: int, child_id: int) -> None:
        this = b.add(label, parent, child_id)
        children: list[Child] = [(inside(b, b.tree.child(node, "condition")), None)]
        for group in b.parts(b.tree.child(node, "body")):
            children += _entries(b, group)
        b.then(this, children)

    return switch


def _entries(b: Builder, group: int) -> list[Child]:
    """One entry a label; the statements belong to the last."""
    kind = b.kind
    kids = [k for k in b.kids(group) if b.named[k] or kind[k] == ";"]
    labels = [k for k in kids if kind[k] == "switch_label"]
    statements = [k for k in kids if kind[k] != "switch_label"]
    last = len(labels) - 1
    return [
        (k, partial(_entry, statements=statements if i == last else []))
        for i, k in enumerate(labels)
    ]


def _entry(b: Builder, node: int, parent: int, child_id: int, statements: list[int]) -> None:
    this = b.add("SwitchEntryStmt", parent, child_id)
    labels: list[Child] = [(p, None) for p in b.parts(node)]
    b.then(this, [*labels, *(statement(b, s) for s in statements)])


def guard(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`when` and its condition: the condition alone."""
    b.stack.append((b.parts(node)[-1], parent, child_id, None))


def pattern(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A pattern of a case label."""
    b.stack.append((b.parts(node)[-1], parent, child_id, None))


def type_pattern(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`String s`: type, name."""
    this = b.add("TypePatternExpr", parent, child_id)
    parts = [p for p in b.parts(node) if b.kind[p] != "modifiers"]
    b.then(this, [(p, None) for p in [*parts, *annotations_of(b, node)]])


def record_pattern(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`Point(int x, var y)`: type, component patterns."""
    this = b.add("RecordPatternExpr", parent, child_id)
    children: list[Child] = []
    for part in b.parts(node):
        if b.kind[part] == "record_pattern_body":
            children += [(p, None) for p in b.parts(part)]
        elif b.kind[part] == "identifier":
            children.append((part, b.handlers["type_identifier"]))
        elif b.kind[part] not in ANNOTATIONS:
            children.append((part, None))
    b.then(this, children)


STATEMENTS: dict[str, Handler] = {
    ";": empty,
    "annotation_type_declaration": type_declaration,
    "class_declaration": type_declaration,
    "enum_declaration": type_declaration,
    "interface_declaration": type_declaration,
    "record_declaration": type_declaration,
    "switch_expression": _switch("SwitchStmt"),
}

HANDLERS: dict[str, Handler] = {
    "assert_statement": _expressions("AssertStmt"),
    "block": block,
    "break_statement": _without_parts("BreakStmt"),
    "catch_clause": catch_clause,
    "constructor_body": block,
    "continue_statement": _without_parts("ContinueStmt"),
    "do_statement": do_statement,
    "enhanced_for_statement": for_each,
    "expression_statement": expression_statement,
    "for_statement": for_statement,
    "guard": guard,
    "if_statement": if_statement,
    "labeled_statement": labeled,
    "local_variable_declaration": local_variables,
    "pattern": pattern,
    "record_pattern": record_pattern,
    "record_pattern_component": type_pattern,
    "return_statement": _expressions("ReturnStmt"),
    "switch_expression": _switch("SwitchExpr"),
    "synchronized_statement": synchronized,
    "throw_statement": _expressions("ThrowStmt"),
    "try_statement": try_statement,
    "try_with_resources_statement": try_statement,
    "type_pattern": type_pattern,
    "while_statement": while_statement,
    "yield_statement": _expressions("YieldStmt"),
}
