"""JDK members that are known to touch nothing but their operands, and what they give.

Class initialisers of these classes cannot be told from outside, and running out of memory is
left aside, as every compiler does that moves an allocation.
"""

from collections.abc import Sequence

PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
BOXES = {
    "Boolean": "boolean",
    "Byte": "byte",
    "Character": "char",
    "Double": "double",
    "Float": "float",
    "Integer": "int",
    "Long": "long",
    "Short": "short",
}
_PROMOTED = "promoted"
_OWN = "own"
_UNKNOWN = "unknown"


def _table(**rows: str) -> dict[str, str]:
    """Member -> result, from result -> members."""
    return {name: result for result, names in rows.items() for name in names.split()}


_MATH = _table(
    promoted="abs max min",
    double="acos asin atan atan2 cbrt ceil cos cosh exp expm1 floor hypot log log10 log1p pow rint"
    " sin sinh sqrt tan tanh toDegrees toRadians",
    unknown="round signum ulp",
)
_INTEGRAL = _table(
    int="bitCount compare compareUnsigned hashCode numberOfLeadingZeros numberOfTrailingZeros"
    " signum",
    own="highestOneBit lowestOneBit max min reverse reverseBytes rotateLeft rotateRight sum",
    String="toBinaryString toHexString toOctalString toString",
    unknown="valueOf",
)
_FLOATING = _table(
    boolean="isFinite isInfinite isNaN",
    int="compare floatToIntBits floatToRawIntBits hashCode",
    long="doubleToLongBits doubleToRawLongBits",
    own="intBitsToFloat longBitsToDouble max min sum",
    String="toHexString toString",
    unknown="valueOf",
)
_CHARACTER = _table(
    boolean="isAlphabetic isDefined isDigit isHighSurrogate isISOControl isJavaIdentifierPart"
    " isJavaIdentifierStart isLetter isLetterOrDigit isLowSurrogate isLowerCase isSpaceChar"
    " isSupplementaryCodePoint isSurrogate isTitleCase isUpperCase isValidCodePoint isWhitespace",
    int="charCount compare digit getNumericValue getType hashCode toCodePoint",
    unknown="toLowerCase toTitleCase toUpperCase valueOf",
)
_STATIC = {
    "Math": _MATH,
    "StrictMath": _MATH,
    "Integer": _INTEGRAL,
    "Long": _INTEGRAL,
    "Byte": _table(int="compare hashCode toUnsignedInt", String="toString", unknown="valueOf"),
    "Short": _table(int="compare hashCode toUnsignedInt", String="toString", unknown="valueOf"),
    "Double": _FLOATING,
    "Float": _FLOATING,
    "Character": _CHARACTER,
    "Boolean": _table(
        boolean="logicalAnd logicalOr logicalXor",
        int="compare hashCode",
        String="toString",
        Boolean="valueOf",
    ),
    "String": _table(String="valueOf"),
}
_STRING = _table(
    boolean="contains contentEquals endsWith equals equalsIgnoreCase isEmpty startsWith",
    char="charAt",
    int="codePointAt codePointBefore codePointCount compareTo compareToIgnoreCase hashCode"
    " indexOf lastIndexOf length offsetByCodePoints",
    String="concat replace substring toString trim",
)
_STRING["toCharArray"] = "char[]"
_RANGE = frozenset({"MAX_VALUE", "MIN_VALUE"})
_WIDTH = frozenset({"BYTES", "SIZE"})
_SPECIAL = frozenset({"NEGATIVE_INFINITY", "NaN", "POSITIVE_INFINITY", "MIN_NORMAL"})
_UTIL = "ArrayDeque ArrayList HashMap HashSet Hashtable LinkedHashMap LinkedHashSet PriorityQueue"
_UTIL_EMPTY = "IdentityHashMap LinkedList Stack TreeMap TreeSet"
_TEXT = {"StringBuilder": "java.lang.StringBuilder", "StringBuffer": "java.lang.StringBuffer"}
_SIZED = {name: f"java.util.{name}" for name in [*_UTIL.split(), "BitSet", "Vector"]}
_ATOMIC = {f"Atomic{name}": name for name in ("Boolean", "Integer", "Long")}
CONSTRUCTED = {
    **_TEXT,
    **_SIZED,
    **{name: f"java.util.{name}" for name in _UTIL_EMPTY.split()},
    **{name: f"java.util.concurrent.atomic.{name}" for name in _ATOMIC},
    "Object": "java.lang.Object",
}
"""Simple name -> full name of the classes whose constructors `construction` knows."""


def static_call(owner: str, name: str, arguments: Sequence[str]) -> str | None:
    """The result type of a pure static method that never throws, "" if unknown; else None.

    Every argument must be of a known primitive type: then no overload takes an object.
    """
    result = _STATIC.get(owner, {}).get(name)
    if result is None or not arguments or not PRIMITIVES.issuperset(arguments):
        return None
    if result == _PROMOTED:
        return promoted(*arguments)
    if result == _OWN:
        return BOXES[owner]
    return "" if result == _UNKNOWN else result


def string_call(name: str, arguments: Sequence[str]) -> str | None:
    """The result type of a String's method that reads only its operands; else None.

    It may throw, also since the String may be null.
    """
    known = name == "equals" or all(a in PRIMITIVES or a in ("String", "null") for a in arguments)
    return _STRING.get(name) if known else None


def constant(owner: str, name: str) -> str | None:
    """The type of a constant of a JDK class that is read without running its initialiser."""
    if owner == "Math" and name in ("E", "PI"):
        return "double"
    if owner == "Boolean" and name in ("FALSE", "TRUE"):
        return "Boolean"
    primitive = BOXES.get(owner)
    if primitive is None or primitive == "boolean":
        return None
    if name in _RANGE or (name in _SPECIAL and primitive in ("double", "float")):
        return primitive
    return "int" if name in _WIDTH else None


def construction(name: str, arguments: Sequence[str]) -> bool | None:
    """Whether `new` of a known class may throw: False without arguments; None if not known."""
    if name not in CONSTRUCTED:
        return None
    if not arguments:
        return False
    if len(arguments) > 1:
        return None
    if name in _ATOMIC and arguments[0] in PRIMITIVES:
        return False
    sized = name in _SIZED and arguments[0] in PRIMITIVES
    text = name in _TEXT and (arguments[0] in PRIMITIVES or arguments[0] == "String")
    return True if sized or text else None


def promoted(*types: str) -> str:
    """Numeric promotion (JLS 5.6) of known types, boxed ones too; "" where one is not numeric."""
    bare = {BOXES.get(t, t) for t in types}
    if not PRIMITIVES.issuperset(bare) or "boolean" in bare:
        return ""
    return next((t for t in ("double", "float", "long") if t in bare), "int")
