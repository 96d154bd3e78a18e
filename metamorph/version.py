"""The version, alone in its file so that packaging reads it without importing the package."""

VERSION = "0.1.0"
