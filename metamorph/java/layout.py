"""The layout around an edit: line ends and indentation as the file has them."""


def newline(data: bytes) -> bytes:
    """The file's line end, told by its first line."""
    at = data.find(b"\n")
    return b"\r\n" if at > 0 and data[at - 1 : at] == b"\r" else b"\n"


def line_start(data: bytes, offset: int) -> int:
    """The byte at which the line that holds `offset` begins."""
    return data.rfind(b"\n", 0, offset) + 1


def indentation(data: bytes, offset: int) -> bytes:
    """The white space at the start of the line that holds `offset`, up to it at most."""
    line = data[line_start(data, offset) : offset]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def deeper(margin: bytes) -> bytes:
    """The indentation one level further in."""
    return margin + (b"\t" if margin.endswith(b"\t") else b"    ")


def begins_line(data: bytes, offset: int) -> bool:
    """Whether only white space stands before `offset` on its line."""
    return not data[line_start(data, offset) : offset].strip(b" \t\xef\xbb\xbf")


def ends_line(data: bytes, offset: int) -> bool:
    """Whether only spaces and tabs stand between `offset` and the end of its line."""
    at = blank_end(data, offset)
    return data[at : at + 2].startswith((b"\n", b"\r\n"))


def blank_end(data: bytes, offset: int) -> int:
    """The end of the spaces and tabs that begin at `offset`."""
    while data[offset : offset + 1] in (b" ", b"\t"):
        offset += 1
    return offset


def blank_start(data: bytes, offset: int) -> int:
    """The start of the spaces and tabs that end at `offset`."""
    while data[offset - 1 : offset] in (b" ", b"\t"):
        offset -= 1
    return offset
