"""javac in one warm JVM: does a file's new text have an error that the file did not have?"""

import atexit
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse_syntax
from metamorph.limits import aside

_FLAGS = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
)
_NO_COMPILER = "Module jdk.compiler not"
"""What a Java without a compiler says when it is to run a source file."""

_WAY_OUT = "install a JDK (17 or newer) or set JAVA_HOME, or leave --check at syntax"


class NoJdkError(UserError):
    """There is no Java, or one that cannot compile."""


@dataclass(frozen=True, slots=True)
class CompileError:
    """An error of javac: its kind, such as `compiler.err.already.defined`, line and message."""

    code: str
    line: int
    message: str


class Javac:
    """A JVM that compiles files one by one; it is started once and lives until `close`.

    options: javac's, such as a class path; with `classes` class files are compared too. A file
    that is a bare method is put into a class.
    """

    def __init__(self, options: Sequence[str] = (), *, classes: bool = False) -> None:
        checker = files("metamorph.java") / "checker" / "Checker.java"
        with as_file(checker) as path:
            self._java = java()
            command = [self._java, *_FLAGS, str(path), "classes" if classes else "errors", *options]
            # In a session of its own: an interrupt at the terminal is ours to handle.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            greeting = self._read()
        if greeting[0] != "ready":
            self.close()
            raise NoJdkError(f"{self._java}: has no compiler; {_WAY_OUT}")
        self.version = int(greeting[1])
        self._file: SourceFile | None = None
        self._wrapped = False

    def close(self) -> None:
        """End the JVM."""
        self._process.kill()
        self._process.communicate()

    def new_error(self, file: SourceFile, data: bytes) -> CompileError | None:
        """An error that `data` has in the place of the file, and the file itself has not."""
        answer = self.answer(file, data)
        if answer[0] != "error":
            return None
        return CompileError(answer[1], int(answer[2]), answer[3])

    def answer(self, file: SourceFile, data: bytes) -> list[str]:
        """The checker's answer to a file's new text; Checker.java says what there is.

        No limit breaks this off: a question left without its answer would have the next one's
        taken for it.
        """
        with aside():
            return self._answer(file, data)

    def _answer(self, file: SourceFile, data: bytes) -> list[str]:
        if file is not self._file:
            self._wrapped = _is_bare(file.data)
            self._ask(
                "file", os.fsencode(file.path).decode("utf-8", "replace"), self._text(file.data)
            )
            self._file = file
        return self._ask("variant", self._text(data))

    def _text(self, data: bytes) -> str:
        text = (
            b"class Bare { " + data.removeprefix(b"\xef\xbb\xbf") + b"\n}"
            if self._wrapped
            else data
        )
        return b64encode(text).decode()

    def _ask(self, *words: str) -> list[str]:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(
                "\t".join(word.replace("\t", " ").replace("\n", " ") for word in words).encode()
                + b"\n"
            )
            stdin.flush()
        except BrokenPipeError:
            pass
        return self._read()

    def _read(self) -> list[str]:
        stdout = self._process.stdout
        assert stdout is not None
        line = stdout.readline()
        if not line.endswith(b"\n"):
            _, told = self._process.communicate()
            text = told.decode(errors="replace")
            if _NO_COMPILER in text:
                raise NoJdkError(f"{self._java}: has no compiler; {_WAY_OUT}")
            lines = text.strip().splitlines() or ["no reason given"]
            fault = next((line for line in lines if line.startswith("Exception")), lines[-1])
            raise UserError(f"the JVM of --check javac ended: {fault}; {_WAY_OUT}")
        return line.decode("utf-8", "replace").rstrip("\r\n").split("\t")


def java() -> str:
    """The `java` of JAVA_HOME or of the PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        found = shutil.which("java", path=str(Path(home) / "bin"))
        if found is None:
            raise UserError(f"JAVA_HOME={home}: no bin/java there; {_WAY_OUT}")
        return found
    found = shutil.which("java")
    if found is None:
        raise NoJdkError(f"--check javac: no JDK found; {_WAY_OUT}")
    return found


@lru_cache(maxsize=1)
def javac(classpath: str = "") -> Javac:
    """This process' own JVM for that class path."""
    with aside():
        started = Javac(["-classpath", classpath] if classpath else [])
    atexit.register(started.close)
    return started


def _is_bare(data: bytes) -> bool:
    """Whether the file is methods without a class."""
    return any(node.type == "method_declaration" for node in parse_syntax(data).root_node.children)
