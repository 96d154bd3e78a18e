"""The Java AST layer: source bytes, flattened trees, methods, scopes, effects, edits, variants."""
