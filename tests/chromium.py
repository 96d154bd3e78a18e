"""A headless Chromium, driven over two pipes by its own protocol; no package is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0
KEYS = {"Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "/": ("Slash", 191, "/")}

FAINT = """
(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => {
    const [r, g, b] = c.map((v) =>
      (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const bad = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = texts.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest("script, style, option, svg")) continue;
    if (!e.checkVisibility()) continue;
    const [a, b] = [parse(getComputedStyle(e).color), behind(e)].map(light);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) bad.add(e.tagName + "." + e.className + " " + contrast.toFixed(2));
  }
  return [...bad];
})()
"""
"""The elements whose text has less contrast with what is behind it than WCAG's AA asks for."""


def find() -> str | None:
    """The browser's program, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One browser with one page; everything that is sent waits for its answer."""

    def __init__(self, program: str, profile: Path) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._in, self._out = ours_in, ours_out
        self._process = subprocess.Popen(
            [
                "bash", "-c", f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}',
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
                f"--user-data-dir={profile}", "about:blank",
            ],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.said: list[str] = []
        self.asked: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command; its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], deadline - time.monotonic())
            part = os.read(self._in, 1 << 20) if ready else b""
            assert part, "the browser fell silent"
            self._buffer += part
        one, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(one)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what the page complains of, and what it asks the network for."""
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.said.append(json.dumps(params["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.said.append(json.dumps(params["args"]))
        elif event.get("method") == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])

    def open(self, page: Path, width: int = 1280, height: int = 900, fragment: str = "") -> None:
        """Read a page in a window of that size, and wait until its list is there."""
        self.resize(width, height)
        self.send("Page.navigate", url="about:blank")
        self.said.clear()
        self.asked.clear()
        self.send("Page.navigate", url=page.resolve().as_uri() + fragment)
        self.wait_for("document.documentElement?.dataset.ready === 'yes'")

    def resize(self, width: int, height: int) -> None:
        """Another size of the window."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, as JSON has it; promises are waited for."""
        result = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until it holds."""
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, f"never: {condition}"
            time.sleep(0.02)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match."""
        quoted = json.dumps(selector)
        found: list[str] = self.evaluate(
            f"[...document.querySelectorAll({quoted})].map((e) => e.innerText)"
        )
        return found

    def click(self, selector: str) -> None:
        """Click on the middle of an element, where a mouse would."""
        quoted = json.dumps(selector)
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({quoted});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key."""
        code, number, text = KEYS.get(key, (f"Key{key.upper()}", ord(key[0].upper()), key))
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                windowsVirtualKeyCode=number,
                text=text if kind == "keyDown" else "",
            )

    def choose(self, select: str, value: str) -> None:
        """Choose an option of a select, or type into a field."""
        self.evaluate(
            f"(() => {{ const e = document.getElementById({json.dumps(select)});"
            f"e.value = {json.dumps(value)};"
            "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )

    def media(self, **features: str) -> None:
        """What the user prefers, such as prefers_color_scheme="dark"."""
        wanted = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.send("Emulation.setEmulatedMedia", features=wanted)

    def picture(self, out: Path, *, whole: bool = False) -> None:
        """A picture of what is seen, or of the whole page."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        out.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """End the browser."""
        for descriptor in (self._in, self._out):
            os.close(descriptor)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
