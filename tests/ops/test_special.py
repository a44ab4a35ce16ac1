"""Special functions: known values and identities; then PyTorch over a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of

from .oracle import NAMES, compare, sample

inf, nan = math.inf, math.nan
EULER = 0.5772156649015329


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(f"aten::{name}")(*arguments)


def f64(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float64)


@pytest.mark.parametrize(
    ("name", "arguments", "want"),
    [
        ("digamma", (f64(1, 2, 0, -1),), [-EULER, 1 - EULER, -inf, nan]),
        ("lgamma", (f64(5, 0.5, -inf),), [math.log(24), math.log(math.pi) / 2, inf]),
        ("mvlgamma", (f64(3), 2), [math.log(math.pi) / 2 + math.lgamma(3) + math.lgamma(2.5)]),
        ("polygamma", (1, f64(1)), [math.pi**2 / 6]),
        ("polygamma", (2, f64(1)), [-2 * 1.2020569031595942]),
        ("special_zeta", (f64(2, 1), f64(1, 3)), [math.pi**2 / 6, inf]),
        ("erfinv", (f64(math.erf(0.7), 1, 2),), [0.7, inf, nan]),
        ("special_erfcx", (f64(1),), [math.exp(1) * math.erfc(1)]),
        ("special_ndtr", (f64(0, 1),), [0.5, 0.5 * math.erfc(-math.sqrt(0.5))]),
        ("special_ndtri", (f64(0.5, 0, -1),), [0, -inf, nan]),
        ("special_log_ndtr", (f64(0, -40),), [math.log(0.5), -804.608442]),
        ("special_entr", (f64(0, math.e, -1),), [0, -math.e, -inf]),
        ("special_xlog1py", (f64(0, 2), f64(-1, 1)), [0, 2 * math.log(2)]),
        ("igamma", (f64(1, 1), f64(2, 0)), [1 - math.exp(-2), 0]),
        ("igammac", (f64(1), f64(2)), [math.exp(-2)]),
        ("i0", (f64(0, 1),), [1, 1.2660658777520084]),
        ("special_i1e", (f64(1),), [0.5651591039924851 / math.e]),
        ("special_bessel_j0", (f64(0, 2.404825557695773),), [1, 0]),
        ("special_modified_bessel_k1", (f64(1, 0),), [0.6019072301972346, inf]),
        ("special_spherical_bessel_j0", (f64(0, 0.1, 2),), [1, math.sin(0.1) / 0.1, math.sin(2) / 2]),
        ("special_airy_ai", (f64(0),), [0.3550280538878172]),
        ("nextafter", (f64(1), f64(2)), [1 + 2**-52]),
        ("special_expit", (f64(0),), [0.5]),
        ("special_sinc", (f64(0, 0.5),), [1, 2 / math.pi]),
    ],
)
def test_value(name: str, arguments: tuple[Any, ...], want: list[float]) -> None:
    np.testing.assert_allclose(call(name, *arguments), want, rtol=1e-7, atol=1e-12)


POLYNOMIALS = {  # degree 3, by its coefficients from the highest power
    "chebyshev_polynomial_t": (4, 0, -3, 0),
    "chebyshev_polynomial_u": (8, 0, -4, 0),
    "chebyshev_polynomial_v": (8, -4, -4, 1),
    "chebyshev_polynomial_w": (8, 4, -4, -1),
    "shifted_chebyshev_polynomial_t": (32, -48, 18, -1),
    "hermite_polynomial_h": (8, 0, -12, 0),
    "hermite_polynomial_he": (1, 0, -3, 0),
    "laguerre_polynomial_l": (-1 / 6, 1.5, -3, 1),
    "legendre_polynomial_p": (2.5, 0, -1.5, 0),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomial(name: str) -> None:
    x = np.linspace(-1.5, 1.5, 13)
    np.testing.assert_allclose(call(f"special_{name}", x, np.array(3)), np.polyval(POLYNOMIALS[name], x), atol=1e-12)
    np.testing.assert_array_equal(call(f"special_{name}.n_scalar", x, 0), np.ones_like(x))
    np.testing.assert_array_equal(call(f"special_{name}.n_scalar", x, -1), np.zeros_like(x))
    got = call(f"special_{name}.x_scalar", 0.25, np.array([0, 3, -2]))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, [1, np.polyval(POLYNOMIALS[name], 0.25), 0], rtol=1e-6)


def test_chebyshev_of_high_degree() -> None:
    x = np.cos(np.array([0.3, 1.1, 2.5]))
    np.testing.assert_allclose(
        call("special_chebyshev_polynomial_t", x, np.array(100)), np.cos([30, 110, 250]), atol=1e-9
    )


def test_wrong_arguments() -> None:
    with pytest.raises(RuntimeError, match="negative n"):
        call("polygamma", -1, f64(1))
    with pytest.raises(RuntimeError, match="greater than or equal to 1"):
        call("mvlgamma", f64(1), 0)
    with pytest.raises(NotImplementedError):
        call("special_bessel_j0", np.ones(2, np.float16))
    with pytest.raises(NotImplementedError):
        call("igamma", np.ones(2, np.int64), np.ones(2, np.int64))


UNARY = (
    "digamma", "erfinv", "i0", "lgamma", "special_bessel_j0", "special_bessel_j1", "special_bessel_y0",
    "special_bessel_y1", "special_entr", "special_erf", "special_erfc", "special_erfcx", "special_exp2",
    "special_expit", "special_expm1", "special_i0e", "special_i1", "special_i1e", "special_log1p", "special_log_ndtr",
    "special_modified_bessel_i0", "special_modified_bessel_i1", "special_modified_bessel_k0",
    "special_modified_bessel_k1", "special_ndtr", "special_ndtri", "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1", "special_sinc", "special_spherical_bessel_j0",
)  # fmt: skip
BINARY = (
    "igamma", "igammac", "nextafter", "special_xlog1py", "special_xlogy", "special_zeta",
)  # fmt: skip
#: PyTorch's double-precision Bessel functions are good to 1e-8 only
_ROUGH = ("special_bessel", "special_airy")


@pytest.mark.interop
@pytest.mark.parametrize("name", UNARY)
def test_unary_as_pytorch(name: str) -> None:
    for dtype in NAMES:
        if not (dtype == "float64" and name.startswith(_ROUGH)):
            compare(f"aten::{name}", sample(dtype))
            compare(f"aten::{name}", sample(dtype, (2, 3), 1, positive=True))


@pytest.mark.interop
@pytest.mark.parametrize("name", BINARY)
def test_binary_as_pytorch(name: str) -> None:
    for a in NAMES:
        for b in ("bool", "int64", "float32", a):
            compare(f"aten::{name}", sample(a, (3, 1), positive=True), sample(b, (4,), 1, positive=True))


@pytest.mark.interop
@pytest.mark.parametrize("name", [*POLYNOMIALS, "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_w"])
def test_polynomials_as_pytorch(name: str) -> None:
    x = np.array([-1.5, -1, -0.9, -0.5, 0, 0.3, 0.5, 1, 1.2])
    for degree in (-1, 0, 1, 2, 5, 9, 13):
        compare(f"aten::special_{name}", x, np.full(9, degree))
        compare(f"aten::special_{name}.n_scalar", x, degree)
    for dtype in NAMES:
        compare(f"aten::special_{name}", sample("int64", (3,)), np.array([2, 3, 1]).astype(_as_numpy(dtype)))


def _as_numpy(name: str) -> Any:
    return sample(name, (1,)).dtype


@pytest.mark.interop
def test_gamma_family_as_pytorch() -> None:
    for dtype in NAMES:
        for n in (-1, 0, 1, 2, 4):
            compare("aten::polygamma", n, sample(dtype, (12,), positive=True))
        for p in (0, 1, 3):
            compare("aten::mvlgamma", sample(dtype, (3, 2), positive=True), p)
