"""Verification: a user's own build and tests on a project as it is and transformed."""
