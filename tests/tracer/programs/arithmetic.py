"""Arithmetic of Python scalars and of scalars with tensors; built-in functions; math."""

import math
from typing import List

import linstock as torch
from tests.tracer.harness import case

Tensor = torch.Tensor


@case((7, 2), (-7, 2), (7, -2), (0, 5))
def integers(a: int, b: int):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, +a, ~a, abs(a)


@case((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0))
def floats(a: float, b: float):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b if a > 0 else 0.0, -a, abs(a)


@case((7, 2.5), (-7, 2.5))
def mixed(a: int, b: float):
    return a + b, a - b, b - a, a * b, a / b, b / a, a // b, b // a, a % b, b % a, a**2.0


@case((6, 3))
def bits(a: int, b: int):
    return a & b, a | b, a ^ b, a << b, a >> 1, ~a


@case((True, False))
def booleans(a: bool, b: bool):
    return a and b, a or b, not a, a == b, a != b, a & b, a | b, a ^ b, int(a), float(a)


@case((1 + 2j, 3 - 1j))
def complexes(a: complex, b: complex):
    return a + b, a - b, a * b, a / b, -a, abs(a), a == b, a != b, a.real, a.imag


@case((3, 5), (5, 3), (3, 3))
def comparisons(a: int, b: int):
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a < b < 10, 0 < a <= b, a == b == 3, 1 < a > b


@case((3, 3.0))
def mixed_comparisons(a: int, b: float):
    return a == b, a < b, a >= b, a != b, b == a


# a power of ints is a float
@case((2, -1), (2, 3), (2, 0), python=False)
def integer_power(a: int, b: int):
    return a**b, 2**3, 2.0**3, pow(a, 2), pow(2.0, b)


# Python raises ZeroDivisionError
@case(7, 2, python=False)
def division_by_zero(n: int) -> int:
    return 10 // n


@case((3, 2.7), (-3, -2.7))
def rounding(i: int, f: float):
    return int(f), math.floor(f), math.ceil(f), float(i), int(i)


# round() gives a float
@case((3, 2.7), (-3, -2.5), python=False)
def rounding_to_float(i: int, f: float):
    return round(f), round(i)


@case((2.7, 3.0), (-2.7, 0.5))
def math_lowered(x: float, y: float):
    return math.trunc(x), math.log2(y), math.hypot(x, y), math.exp2(x)


@case((17, 5), (-17, 5))
def divmods(a: int, b: int):
    return divmod(a, b), divmod(float(a), 2.5)


@case(([3, 1, 2], 2.5))
def builtins(xs: List[int], f: float):
    return min(xs), max(xs), sum(xs), min(1, 2, 3), max(1.5, f), min(1, 2), abs(-f), max(xs[0], 7), min(f, 3.0)


@case(0.5)
def math_functions(x: float):
    return (
        math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.sinh(x), math.cosh(x), math.tanh(x),
        math.exp(x), math.log(x), math.log10(x), math.log1p(x), math.expm1(x), math.sqrt(x), math.fabs(-x),
        math.degrees(x), math.radians(x), math.gamma(x), math.lgamma(x), math.erf(x), math.erfc(x), math.asinh(x), math.atanh(x),
    )  # fmt: skip


@case((7.5, 2.0))
def math_of_two(a: float, b: float):
    return math.pow(a, b), math.atan2(a, b), math.fmod(a, b), math.copysign(a, -b), math.ldexp(a, 3), math.log(a, b)


@case((12, 18))
def math_integers(a: int, b: int):
    return (
        math.gcd(a, b),
        math.factorial(5),
        math.sqrt(a),
        math.floor(2.5),
        math.ceil(2.1),
        math.isnan(1.0),
        math.isinf(math.inf),
    )


@case()
def math_constants():
    return (
        math.pi,
        math.e,
        math.inf,
        -math.inf,
        math.tau,
        float("inf"),
        float("-inf"),
        math.isnan(math.nan),
        math.isfinite(1.0),
    )


@case(2.25)
def math_parts(x: float):
    return math.modf(x), math.frexp(x)


@case((torch.arange(4.0) + 1, 2, 0.5))
def tensor_with_scalars(x: Tensor, i: int, f: float):
    return x + i, i + x, x - i, i - x, x * f, f * x, x / i, i / x, x // i, x % i, x**i, i**x, -x, x + f, f - x, x**0.5


@case((torch.arange(4), 2, 0.5))
def integer_tensor_with_scalars(x: Tensor, i: int, f: float):
    return x + i, x + f, x * f, x / 2, x // 2, x % 3, x**2, 2 - x, i * x, x & 1, x | 4, x ^ 1, x << 1, x >> 1, ~x


# PyTorch compiles these, and fails when it runs them
@case((torch.arange(4), 2), torch=False)
def numbers_with_integer_tensors(x: Tensor, i: int):
    return 1 & x, 4 | x, 3 ^ x, i // (x + 1)


@case((torch.arange(4), 1), torch=False)
def shifts_of_numbers(x: Tensor, i: int):
    return i << x, 16 >> x


@case((torch.arange(4.0), torch.arange(4.0) + 1))
def tensors(x: Tensor, y: Tensor):
    return x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y, -x, abs(x), x.abs()


@case((torch.arange(4.0), 2.0))
def tensor_comparisons(x: Tensor, f: float):
    return x < f, x <= f, x > f, x >= f, x == f, x != f, f < x, 2 <= x, 2 == x, f > x, x == x


@case(torch.arange(4.0))
def augmented_tensors(x: Tensor):
    y = x
    x += 1
    x *= 2
    x -= 0.5
    x /= 2
    return x, y


@case((torch.arange(4), torch.arange(4.0) + 1))
def augmented_more(x: Tensor, y: Tensor):
    z = y.clone()
    x &= 3
    x |= 1
    x ^= 2
    y //= 2
    z %= 2
    z **= 2
    return x, y, z


@case((7, 2.5, "a"))
def augmented_scalars(a: int, f: float, s: str):
    a += 1
    a -= 2
    a *= 3
    a //= 2
    a %= 5
    a <<= 2
    a >>= 1
    a |= 1
    a &= 7
    a ^= 2
    f += 1
    f /= 2
    s += "b"
    s *= 2
    return a, f, s


@case(7)
def becomes_float(a: int) -> float:
    b = a / 2
    b += 1
    return b


@case(torch.tensor(3))
def scalar_tensors(x: Tensor):
    return int(x), float(x), bool(x), x.item(), int(x) + 1


@case(torch.tensor(2.5))
def float_of_tensor(x: Tensor):
    return float(x), int(x), x.item() * 2, float(x) + 1, complex(1.0, 2.0)


@case(3)
def scalars_to_tensors(n: int):
    return (
        torch.tensor(n),
        torch.tensor([n, 2]),
        torch.tensor(2.5),
        torch.tensor([[1, 2], [3, n]]),
        torch.tensor(True),
        torch.full((2,), n),
    )


@case((3, 2.5))
def promotion_in_min_max(n: int, f: float):
    return min(n, 5), max(f, 1.0), float(min(n, 2))


@case((0.1, 1e300, 1e-7, 123456789.125))
def float_constants(a: float, b: float, c: float, d: float):
    return a + 0.1, b * 1e300, c * 1e-300, d + 1e16, 5e-324, 1.0, 100.0, 1e22, 3.0e8


@case(1)
def big_integers(n: int):
    return n + 9223372036854775806, -9223372036854775808, 0xFF, 0b101, 0o17, 1_000_000


@case(torch.ones(2))
def numpy_style(x: Tensor):
    return torch.pi, torch.inf, x * torch.pi, torch.e


@case(0.5)
def conditional_math(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


@case(True)
def integers_from_booleans(b: bool):
    return int(b) + 1, b == True, 1 if b else 0, float(b) * 2  # noqa: E712


@case(([1.5, 2.5],))
def sums(xs: List[float]):
    return sum(xs), min(xs), max(xs), sum(xs) / len(xs)


@case((3, 4))
def nested_calls(a: int, b: int) -> float:
    return math.sqrt(float(a**2 + b**2)) + max(abs(-a), min(a, b))
