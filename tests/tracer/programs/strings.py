"""Strings: methods, formatting, escapes."""

from typing import List, Tuple

import linstock as torch
from tests.tracer.harness import case

Tensor = torch.Tensor


@case("Hello World", "")
def cases(s: str):
    return s.upper(), s.lower(), s.capitalize(), s.title(), s.swapcase()


@case(" a,b,,c ")
def splitting(s: str):
    return (
        s.split(","),
        s.split(),
        s.strip(),
        s.lstrip(),
        s.rstrip(),
        s.split(",", 1),
        "x\ny".splitlines(),
        s.rsplit(",", 1),
        s.partition(","),
    )


@case(("-", ["a", "b", "c"]))
def joining(sep: str, parts: List[str]) -> str:
    return sep.join(parts)


@case("banana")
def searching(s: str):
    return (
        s.find("n"),
        s.rfind("n"),
        s.find("x"),
        s.count("an"),
        s.index("a"),
        s.startswith("ba"),
        s.endswith("na"),
        "nan" in s,
        "x" not in s,
    )


@case("banana")
def replacing(s: str):
    return s.replace("a", "o"), s.zfill(8), s.center(10), s.ljust(8) + "|", s.rjust(8), s.ljust(8, "*")


@case("a1 ")
def asking(s: str):
    return (
        s.isdigit(),
        s.isalpha(),
        s.isalnum(),
        s.isspace(),
        s.isupper(),
        s.islower(),
        s.isidentifier(),
        "12".isdigit(),
        "Ab".istitle(),
    )


@case("hello")
def indexing(s: str):
    return s[0], s[-1], s[1:3], s[:2], s[3:], s[::-1], s[::2], len(s)


@case(("a", "b"))
def operators(a: str, b: str):
    return a + b, a * 3, a == b, a != b, a < b, a > b, a <= b, a >= b, "x" + a + "y"


@case((3, 2.5, "text", True))
def f_strings(i: int, f: float, s: str, b: bool) -> str:
    return f"i={i} f={f} s={s} b={b} {{literal}} {i + 1}"


@case((3, "a}"))
def f_strings_with_braces(i: int, s: str) -> str:
    return f"{{{i}}} }}{s!s}{{"


@case((3, "text"))
def format_method(i: int, s: str):
    return (
        "{} and {}".format(i, s),
        "{0} {1} {0}".format(s, i),
        "{{}} {}".format(i),
        "{a}-{b}".format(a=i, b=s),
        s.format(),
        "plain",
    )


@case((3, 2.5, "text"))
def percent(i: int, f: float, s: str):
    return "%d %s" % (i, s), "%s" % s, "%f" % f, "%d%%" % i, "%e" % f, "%i" % i


@case((3, 2.5, "text", True))
def conversions(i: int, f: float, s: str, b: bool):
    return str(i), str(f), str(s), str(b), int("12"), float("1.5"), str(None), str([1, 2]), int("-7")


@case()
def escapes():
    return (
        "tab\t newline\n quote\" single' backslash\\ nul\0 unicode é 漢字 \u20ac",
        'single "double"',
        r"raw\n",
        "ab",
        """long
text""",
    )


@case()
def characters():
    return ord("a"), chr(97), hex(255), oct(8), bin(5), hex(-1)


@case("a-b_c")
def chained(s: str) -> Tuple[str, List[str]]:
    return s.replace("-", "_").upper(), s.replace("-", "_").split("_")


@case("x")
def expand(s: str):
    return "a\tb".expandtabs(4), s.join(["1", "2"]), "abc".rindex("c")


@case(torch.ones(2))
def tensor_in_string(x: Tensor) -> str:
    return f"{x.size(0)} {x.dim()}"


@case(("abc", 5), ("abc", 1))
def string_index_error(s: str, i: int) -> str:
    return s[i]


@case("3", "x")
def parse_error(s: str) -> int:
    return int(s)


@case(("ab", ["ab", "c"]))
def membership(s: str, xs: List[str]) -> Tuple[bool, bool, bool]:
    return s in xs, s not in xs, "a" in s
