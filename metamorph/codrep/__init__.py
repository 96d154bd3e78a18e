"""CodRep: tasks that ask for the line of a program which a given line replaces."""
