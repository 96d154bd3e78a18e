"""One warm JVM that compiles and runs versions of programs, and compares what they do."""

import os
import select
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).resolve().parent / "java"
FLAGS = ("-XX:TieredStopAtLevel=1",)
"""Quick to warm up; a long run is better off without."""

_SECONDS = 120


class WarmMachine:
    """A running `java/Runner.java`; start it once, it takes any number of programs."""

    def __init__(self, *flags: str) -> None:
        self._folder = TemporaryDirectory()
        harness = ["javac", "-d", self._folder.name, str(FOLDER / "T.java")]
        subprocess.run(harness, check=True)
        flags = (*(flags or FLAGS), "-XX:+UseSerialGC", "-Xss4m", "-Xmx1g")
        quiet = "-XX:-ShowCodeDetailsInExceptionMessages"
        command = ["java", *flags, quiet, str(FOLDER / "Runner.java"), self._folder.name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._read() == "ready"

    def close(self) -> None:
        """End the JVM."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def run(self, seed: int, inputs: int, versions: Sequence[bytes]) -> list[str]:
        """The answer to each version, the first one being the program; see Runner.java."""
        texts = " ".join(b64encode(version).decode() for version in versions)
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(f"{seed} {inputs} {texts}\n".encode())
        stdin.flush()
        return self._read().split("\t")

    def _read(self) -> str:
        stdout = self._process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], _SECONDS)
        if not ready:
            raise TimeoutError(f"no answer of the JVM within {_SECONDS} seconds")
        line = stdout.readline()
        if not line:
            raise RuntimeError("the JVM ended")
        return line.decode().rstrip("\n")


def jdk_is_missing() -> bool:
    """Whether there is no JDK on the PATH."""
    return any(shutil.which(tool) is None for tool in ("java", "javac")) or os.name == "nt"
