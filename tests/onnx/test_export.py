"""Operators as ONNX by family: each is exported, run in ONNX Runtime and compared with linstock. Layers: test_layers."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import numpy as np
import pytest

import linstock as ls
import linstock.onnx
from linstock.backends.onnx import complex_forms, quantized, registry
from linstock.ir import operators
from tests.onnx.test_layers import Case, Whole, case, check, positive

pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

A, B, V = (3, 4), (3, 4), (5,)
SPECIAL = np.asarray([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 0.5], np.float32)
INTS = np.asarray([[-7, 3, 0, 5], [8, -2, 1, -9]])
SMALL = np.asarray([[3, -2, 5, 4], [-3, 7, 1, 2]])
BYTES = np.asarray([[250, 3, 7], [9, 255, 0]], np.uint8)
FLAGS = np.asarray([[True, False, True, False], [False, False, True, True], [True, True, True, True]])
DOUBLE = np.linspace(-2, 2, 12).reshape(3, 4)
HALF = np.linspace(-2, 2, 12, dtype=np.float16).reshape(3, 4)

def each(template: str, names: str, *inputs: Any, **dynamic: list[int]) -> list[Case]:
    """A case per name (separated by blanks, or by "; " where they hold blanks) in place of the braces of a template."""
    return [case(template.format(n), *inputs, **dynamic) for n in names.split("; " if ";" in names else " ")]


POINTWISE = [
    *each(
        "torch.{}(x0)",
        "abs neg floor ceil round trunc frac exp expm1 exp2 log1p sin cos tan sinh cosh tanh asinh atan "
        "sigmoid erf erfc relu square isnan isinf isfinite isposinf isneginf signbit nan_to_num reciprocal "
        "deg2rad rad2deg logical_not positive sinc",
        SPECIAL,
    ),
    *each(
        "torch.{}(x0)",
        "log log2 log10 log1p sqrt rsqrt acos asin atanh logit",
        positive(7),
    ),
    *[case(f"torch.{name}(x0)", SPECIAL[1:]) for name in ("sign", "sgn")],
    *each(
        "torch.{}(x0)",
        "abs neg sign floor sin exp sqrt sigmoid bitwise_not relu square isnan",
        INTS,
    ),
    *each(
        "x0 {} x1",
        "+ - * / // % == != < <= > >= & | ^",
        INTS, SMALL,
    ),
    *[case(f"x0 {o} x1", A, B) for o in ("+", "-", "*", "/", "//", "%", "<", ">=")],
    *[case(f"x0 {o} 2.5", A) for o in ("+", "-", "*", "/", "//", "%", "<", "**")],
    *[case(f"x0 {o} 3", INTS) for o in ("+", "*", "/", "//", "%", "**", "<<", ">>")], case("2 ** x0", A),
    case("1.5 - x0", INTS), case("torch.add(x0, x1, alpha=2)", A, B), case("torch.rsub(x0, 3)", INTS),
    case("x0 + x1", np.asarray(2), A), case("x0 * x1", INTS, np.asarray(2.0, np.float32)),
    case("x0 + x1", BYTES, np.asarray([1, 2, 3], np.int8)), case("x0 + x1", FLAGS, FLAGS), case("x0 * x1", FLAGS, A),
    case("x0 & ~x1 | (x0 ^ x1)", FLAGS, FLAGS), case("x0 + 10", BYTES),
    case("torch.div(x0, x1, rounding_mode='floor')", INTS, SMALL),
    case("torch.div(x0, x1, rounding_mode='trunc')", INTS, SMALL),
    case("torch.div(x0, x1, rounding_mode='floor')", np.asarray([1.0, -1.0, 5.5], np.float32), np.asarray([0.1, 0.1, -2], np.float32)),
    case("torch.div(x0, x1, rounding_mode='trunc')", A, B), case("torch.fmod(x0, x1)", INTS, SMALL),
    case("torch.fmod(x0, 1.5)", A), case("torch.remainder(x0, -1.5)", A),
    case("torch.pow(x0, x1)", positive(3, 4), B), case("x0 ** 2", A), case("x0 ** 0.5", positive(4)),
    case("x0 ** -1", A), case("torch.clamp(x0, -0.5, 0.5)", SPECIAL), case("torch.clamp(x0, min=0.25)", INTS),
    case("torch.clamp(x0, max=3)", INTS), case("torch.clamp(x0, x1, x2)", A, (4,), A),
    case("torch.maximum(x0, x1)", SPECIAL, SPECIAL[::-1].copy()),
    case("torch.fmax(x0, x1)", SPECIAL, SPECIAL[::-1].copy()),
    case("torch.minimum(x0, x1)", FLAGS, FLAGS[::-1].copy()),
    case("torch.atan2(x0, x1)", SPECIAL[3:], SPECIAL[3:][::-1].copy()), case("torch.hypot(x0, x1)", A, B),
    case("torch.copysign(x0, x1)", A, B), case("torch.lerp(x0, x1, 0.3)", A, B),
    case("torch.lerp(x0, x1, x2)", A, B, A), case("torch.addcmul(x0, x1, x2, value=0.5)", A, B, A),
    case("torch.addcdiv(x0, x1, x2, value=2)", A, B, positive(3, 4)),
    case("torch.xlogy(x0, x1)", SPECIAL[3:], positive(5)), case("torch.logaddexp(x0, x1)", A, B),
    case("torch.heaviside(x0, x1)", SPECIAL, SPECIAL), case("torch.isclose(x0, x1)", A, A),
    case("torch.where(x0, x1, x2)", FLAGS, A, (4,)), case("torch.where(x0 > 0, x0, 0.0)", A),
    case("torch.gcd(x0, x1)", INTS, SMALL), case("torch.lcm(x0, x1)", INTS, SMALL),
    case("torch.bitwise_left_shift(x0, x1)", SMALL, np.asarray(2)), case("torch.round(x0, decimals=1)", A),
    case("torch.logical_and(x0, x1)", A, INTS[:1]), case("torch.nn.functional.gelu(x0, approximate='tanh')", A),
    *each(
        "torch.nn.functional.{}",
        "gelu(x0); silu(x0); mish(x0); elu(x0, 0.7); selu(x0); celu(x0, 1.3); hardtanh(x0); hardswish(x0); "
        "hardsigmoid(x0); leaky_relu(x0, 0.2); relu6(x0); softplus(x0, 2, 1); softplus(x0); softshrink(x0); "
        "hardshrink(x0); threshold(x0, 0.1, 20); logsigmoid(x0); glu(x0); softsign(x0); tanhshrink(x0); "
        "rrelu(x0)",
        A,
    ),
    case("torch.prelu(x0, x1)", (2, 3, 4), (3,)), case("torch.prelu(x0, x1)", A, (1,)),
    case("torch.tan(x0) + torch.erf(x0)", DOUBLE), case("torch.exp(x0) * x0 + 1", HALF),
    case("torch.nn.functional.elu(x0)", DOUBLE),
]  # fmt: skip

REDUCTION = [
    *each(
        "torch.{}(x0)",
        "sum mean max min prod var std argmax argmin all any amax count_nonzero norm",
        A,
    ),
    *each(
        "torch.{}(x0, 1)",
        "sum mean amax argmax all cumsum logsumexp std logcumsumexp cumprod",
        (2, 3, 4), x0=[0, 1],
    ),
    *each(
        "torch.{}(x0, -1, keepdim=True)",
        "sum mean argmin any var prod max min amin",
        (2, 3, 4),
    ),
    case("torch.sum(x0, [0, 2])", (2, 3, 4)), case("torch.mean(x0, [0, -1], True)", (2, 3, 4)),
    case("torch.sum(x0)", INTS), case("torch.sum(x0, 0)", FLAGS), case("torch.mean(x0, dtype=torch.float)", INTS),
    case("torch.max(x0, 1)", INTS), case("torch.var(x0, 1, unbiased=False)", A), case("torch.cumsum(x0, 0)", FLAGS),
    case("torch.std(x0, [0, 1], correction=2)", A), case("torch.var_mean(x0, 1)", A, x0=[1]),
    case("torch.aminmax(x0, dim=0)", A), case("torch.all(x0 > 0)", A), case("torch.any(x0, 1)", BYTES),
    case("torch.cummax(x0, 1)", INTS), case("torch.cummin(x0, 0)", A), case("torch.diff(x0)", A),
    case("torch.diff(x0, 2, 0)", (5, 2)), case("torch.nansum(x0)", SPECIAL[3:]),
    case("torch.amax(x0, [0, 1])", FLAGS), case("torch.equal(x0, x0 + 0)", A), case("torch.trapezoid(x0)", A),
    case("torch.sum(x0)", DOUBLE), case("torch.mean(x0, 1)", HALF), case("torch.argmax(x0)", INTS),
    case("torch.prod(x0, 1)", INTS), case("torch.gradient(x0)[0]", A),
]  # fmt: skip

VIEW = [
    case("x0.view(2, 6)", A), case("x0.view(-1, 2)", A, x0=[0]),
    case("x0.reshape(x0.size(0), -1)", (2, 3, 4), x0=[0, 2]), case("x0.flatten(1)", (2, 3, 4), x0=[0]),
    case("x0.unflatten(1, [2, 2])", A, x0=[0]), case("x0.unsqueeze(-1).squeeze(-1).unsqueeze(0)", A),
    case("x0.squeeze()", (1, 3, 1)), case("x0.permute(2, 0, 1)", (2, 3, 4)), case("x0.transpose(0, -1)", (2, 3, 4)),
    case("x0.t()", A), case("torch.movedim(x0, 0, 2)", (2, 3, 4)), case("x0.expand(2, -1, 4)", (3, 1)),
    case("x0.expand_as(x1)", (1, 4), A), case("x0.repeat(2, 1, 3)", A, x0=[0]), case("torch.tile(x0, [2])", A),
    case("x0[0]", A), case("x0[:, 1]", A, x0=[0]), case("x0[1:, ::2]", A), case("x0[..., -2:]", A, x0=[1]),
    case("x0[:, None]", A), case("x0.narrow(1, 1, 2)", A), case("torch.cat([x0, x1], 1)", A, B, x0=[1], x1=[1]),
    case("torch.stack([x0, x1], -1)", A, B), case("torch.hstack([x0, x1])", A, B), case("torch.vstack([x0, x0])", V),
    case("torch.chunk(x0, 2, 1)", A), case("torch.split(x0, 2)", (5, 2)), case("torch.split(x0, [1, 3], 1)", A),
    case("torch.unbind(x0, 1)", A), case("torch.chunk(x0, 2)", (4, 2), x0=[0]),
    case("torch.tensor_split(x0, 3)", (5, 2)), case("torch.flip(x0, [0, 1])", A),
    case("torch.roll(x0, [1, -1], [0, 1])", A, x0=[0]), case("torch.roll(x0, 2)", A), case("torch.rot90(x0)", A),
    case("torch.tril(x0, -1)", (4, 4)), case("torch.triu(x0)", A, x0=[0]), case("torch.tril(x0)", FLAGS),
    case("x0.diagonal()", A), case("torch.diag(x0)", V), case("torch.diag_embed(x0, 1)", A),
    case("x0.unfold(1, 2, 1)", A, x0=[0, 1]), case("torch.meshgrid([x0, x1], indexing='ij')", V, (3,)),
    case("torch.repeat_interleave(x0, 2, 1)", A),
    case("torch.repeat_interleave(x0, x1, 0)", A, np.asarray([1, 0, 3])),
    case("torch.broadcast_tensors([x0, x1])", (3, 1), (1, 4)),
    *each(
        "torch.nn.functional.pad(x0, [1, 2, 2, 1], mode='{}')",
        "constant reflect replicate circular",
        (2, 3, 4, 5), x0=[0],
    ),
    case("torch.nn.functional.pad(x0, [-1, 2], value=3.5)", A), case("x0.as_strided([2, 2], [1, 2], 1)", A),
    case("x0.contiguous().to(torch.double).cpu().detach().clone()", A), case("torch.atleast_3d(x0)", A),
    case("x0.reshape(x1.shape)", (2, 6), A, x1=[0]), case("torch.cat([x0, x1])", INTS, (2, 4)),
]  # fmt: skip

PLACES = np.asarray([[2, 0, 1, 1], [0, 0, 2, 1]])
INDEXING = [
    case("x0[x1]", A, Whole((2, 2), 3)), case("x0[:, x1]", A, Whole((3,), 4)),
    case("x0[x1, x2]", A, Whole((2, 3), 3), Whole((3,), 4)),
    case("x0[x1, :, x2]", (3, 4, 5), Whole((2,), 3), Whole((2,), 5)),
    case("x0[:, x1, x2]", (3, 4, 5), Whole((2,), 4), Whole((2,), 5)), case("x0[x0 > 0]", A, x0=[0]),
    case("x0[x1]", A, np.asarray([True, False, True])), case("x0[:, x1]", A, FLAGS[0]),
    case("x0[x1]", (3, 4, 2), FLAGS), case("torch.gather(x0, 0, x1)", A, PLACES),
    case("torch.gather(x0, 1, x1)", A, PLACES), case("torch.take_along_dim(x0, x1, 0)", A, PLACES),
    case("torch.take(x0, x1)", A, Whole((2, 2), 12)), case("torch.index_select(x0, 1, x1)", A, Whole((3,), 4)),
    case("torch.scatter(x0, 0, x1, x2)", A, PLACES, (2, 4)),
    case("torch.scatter(x0, 1, x1, 9.0)", A, np.asarray([[3], [1], [0]])),
    case("torch.scatter_add(x0, 0, x1, x2)", A, PLACES, A),
    *each("torch.scatter_reduce(x0, 0, x1, x2, '{}')", "sum prod amax amin mean", A, PLACES, A),
    *each("torch.scatter_reduce(x0, 0, x1, x2, '{}', include_self=False)", "sum prod amax amin mean", A, PLACES, A),
    case("torch.index_add(x0, 1, x1, x2, alpha=2)", A, np.asarray([0, 0, 2]), (3, 3)),
    case("torch.index_copy(x0, 0, x1, x2)", A, np.asarray([2, 0]), (2, 4)),
    case("torch.index_fill(x0, 1, x1, 5.0)", A, np.asarray([1, 3])),
    case("torch.masked_fill(x0, x1, -1.0)", A, FLAGS), case("torch.masked_select(x0, x1)", A, FLAGS, x0=[0], x1=[0]),
    case("torch.masked_scatter(x0, x1, x2)", A, FLAGS, (12,)), case("torch.nonzero(x0 > 0)", A, x0=[0]),
    case("torch.where(x0 > 0)", A),
    case("torch.index_put(x0, [x1, x2], x3)", A, np.asarray([0, 2]), np.asarray([1, 1]), (2,)),
    case("torch.index_put(x0, [x1, x1], x2, accumulate=True)", (4, 4), np.asarray([1, 1]), (2,)),
    case("torch.select_scatter(x0, x1, 0, 1)", A, (4,)), case("torch.slice_scatter(x0, x1, 1, 1, 3)", A, (3, 2)),
    case("torch.slice_scatter(x0, x1, 1, 0, 4, 2)", A, (3, 2)), case("torch.combinations(x0)", V),
]  # fmt: skip

FACTORY = [
    case("torch.zeros(x0.size(0), 2) + x0[:, :2]", A, x0=[0]), case("torch.ones_like(x0)", A, x0=[0]),
    case("torch.full([x0.size(0)], 2.5) * x0[:, 0]", A, x0=[0]), case("torch.full_like(x0, 3)", INTS),
    case("x0.new_zeros([2, x0.size(0)])", A, x0=[0]), case("torch.arange(x0.size(0)) * 2", A, x0=[0]),
    case("torch.arange(1, x0.size(0), 2)", (7, 1), x0=[0]), case("torch.arange(0, 1, 0.25) + x0", (4,)),
    case("torch.linspace(0, 1, x0.size(0)) + x0", V, x0=[0]), case("torch.eye(x0.size(0)) @ x0", A, x0=[0]),
    case("x0.to(torch.long)", A), case("x0.to(torch.uint8)", positive(4)), case("x0.bool()", A), case("x0.half()", A),
    case("x0.type_as(x1)", A, INTS), case("torch.tensor([x0.size(0), 2, 3])", A, x0=[0]),
    case("torch.tensor(1.5) * x0", A), case("torch.block_diag(x0, x1)", A, (2, 2)),
    case("torch.empty_like(x0).copy_(x1)", A, (4,)),
]  # fmt: skip

SORTING = [
    case("torch.topk(x0, 2)", A, x0=[0]), case("torch.topk(x0, 2, 0, largest=False)", A),
    case("torch.sort(x0, 1, True)", A), case("torch.sort(x0, 0)", INTS, x0=[0]), case("torch.argsort(x0, -1)", A),
    case("torch.sort(x0, 1)", FLAGS), case("torch.kthvalue(x0, 2, 1)", A), case("torch.median(x0)", V),
    case("torch.median(x0, 1, True)", A), case("torch.quantile(x0, 0.3)", V),
    case("torch.quantile(x0, x1, dim=1, keepdim=True)", A, np.asarray([0.1, 0.9], np.float32)),
    case("torch.searchsorted(x0, x1)", np.sort(positive(6)), (4,)),
    case("torch.bucketize(x0, x1, right=True)", (4,), np.asarray([-1, 0, 0.5], np.float32)),
    case("torch.unique(x0)", INTS), case("torch.bincount(x0, minlength=7)", Whole((6,), 5)),
    case("torch.unique_consecutive(x0)", np.asarray([1, 1, 2, 2, 3, 1])),
    case("torch.isin(x0, x1)", INTS, np.asarray([5, 8])), case("torch.histc(x0, 4, -2, 2)", (9,)),
    case("torch.msort(x0)", A),
]  # fmt: skip

R = "torch.view_as_real({})"
SPECTRA = [
    *each(
        R.format("torch.fft.{}"),
        "rfft(x0); fft(x0, 11); rfft(x0, 6, 0, 'ortho'); ifft(x0, norm='forward'); fft2(x0); rfftn(x0); "
        "ihfft(x0); fftshift(torch.fft.fft(x0))",
        (3, 8),
    ),
    *each(
        "torch.fft.{}",
        "irfft(torch.fft.rfft(x0), 8); irfft2(torch.fft.rfft2(x0)); hfft(torch.fft.fft(x0)); fftshift(x0)",
        (3, 8),
    ),
    case("torch.abs(torch.fft.fft(x0))", (3, 8), x0=[0, 1]),
    case("torch.abs(torch.stft(x0, 16, 4, 16, x1, return_complex=True))", (2, 64), positive(16), x0=[0, 1]),
    case(R.format("torch.stft(x0, 16, 5, 12, normalized=True, return_complex=True)"), (64,)),
    case("torch.istft(torch.stft(x0, 16, 4, 16, x1, return_complex=True), 16, 4, 16, x1)", (2, 64), positive(16), x0=[0, 1]),
    case("c = torch.view_as_complex(x0)\nreturn torch.view_as_real(c * c + c / (c + 2) - torch.exp(c))", (3, 4, 2)),
    case("torch.angle(torch.view_as_complex(x0))", (4, 2)),
    case("c = torch.complex(x0, x1)\nreturn torch.real(c @ c.t()), torch.imag(c.conj()[1:].sum(0)), c.abs()", A, B),
    case(R.format("torch.polar(x0, x1).reshape(4, 3).unsqueeze(0)"), positive(3, 4), A),
]  # fmt: skip

FUNCTIONS = [
    *each(
        "torch.special.{}(x0)",
        "gammaln digamma i0 i0e i1 i1e ndtr entr expit log1p",
        np.linspace(0.1, 9.9, 23, dtype=np.float32),
    ),
    *each("torch.special.{}(x0)", "bessel_j0 bessel_j1 bessel_y0 bessel_y1", np.linspace(0.1, 30, 23, dtype=np.float32)),
    *each("torch.special.{}(x0)", "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k1 erfcx log_ndtr", positive(9) * 9),
    case("torch.special.zeta(x0, x1)", positive(4) + 1.5, positive(4) * 5),
    case("torch.polygamma(3, x0)", positive(5) * 4),
    case("torch.special.log_ndtr(x0)", np.asarray([-12, -3, -0.9, 0, 4], np.float32)),
    case("torch.erfinv(x0)", np.asarray([-1, -0.999, -0.5, 0, 0.25, 0.9, 0.99999], np.float32)),
    case("torch.lgamma(x0)", np.asarray([-2.5, -0.3, 0.2, 1, 2, 30], np.float32)),
    case("torch.digamma(x0)", np.asarray([-2.5, -0.3, 0.2, 1, 30], np.float32)),
    case("torch.special.chebyshev_polynomial_t(x0, 4)", V), case("torch.special.hermite_polynomial_he(x0, 3)", V),
    case("torch.special.ndtri(x0)", positive(7)), case("torch.mvlgamma(x0, 2)", positive(4) + 1),
    case("torch.special.xlog1py(x0, x1)", V, positive(5)), case("torch.polygamma(1, x0)", positive(4)),
]  # fmt: skip

MATRIX = np.asarray([[4.0, 1, -2], [1, 0.1, 3], [-2, 3, 5]], np.float32)
PAIR = np.stack([MATRIX, MATRIX[::-1] + 1])
POSITIVE = np.stack([MATRIX @ MATRIX + np.eye(3, dtype=np.float32), 2 * np.eye(3, dtype=np.float32)])
SOLVING = [
    *each("torch.linalg.{}(x0)", "inv qr lu lu_factor matrix_exp det slogdet", PAIR, x0=[0]),
    *each("torch.linalg.{}(x0)", "inv cholesky", POSITIVE, x0=[0, 1, 2]),
    case("torch.linalg.cholesky(x0, upper=True)", POSITIVE), case("torch.linalg.solve(x0, x1)", PAIR, (2, 3, 2)),
    case("torch.linalg.solve(x0, x1)", MATRIX, (3,)), case("torch.linalg.solve(x0, x1, left=False)", PAIR, (2, 4, 3)),
    case("torch.linalg.qr(x0, 'complete')", (4, 3)),
    case("torch.linalg.solve_triangular(x0, x1, upper=False)", MATRIX, (3, 2)),
    case("torch.linalg.matrix_power(x0, -2)", MATRIX), case("torch.cholesky_solve(x1, x0)", MATRIX, (3, 2)),
    case("torch.linalg.lu_factor(x0)", (4, 3)),
]  # fmt: skip

CASES = [*SOLVING, *POINTWISE, *REDUCTION, *VIEW, *INDEXING, *FACTORY, *SORTING, *SPECTRA, *FUNCTIONS]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("c", CASES, ids=lambda c: c.text.replace("\n", "; ").replace("torch.", "")[:70])
def test_onnx_runtime_gives_the_same(c: Case) -> None:
    check(c)


NEWER = [
    case("torch.nn.functional.gelu(x0)", A), case("torch.abs(torch.fft.rfft(x0))", A),
    case("torch.nn.functional.elu(x0)", DOUBLE), case("torch.max(x0, 1)", INTS),
    case("torch.sum(x0, 1).reshape(-1)", A, x0=[0]), case("torch.nn.functional.rms_norm(x0, [4], x1)", A, (4,)),
    case("torch.relu(x0)", INTS),
]  # fmt: skip


@pytest.mark.parametrize("opset", [20, 23])
@pytest.mark.parametrize("c", NEWER, ids=lambda c: c.text)
def test_newer_opsets(c: Case, opset: int) -> None:
    check(Case(c.text, c.inputs, c.dynamic, opset))


# -- the graph ---------------------------------------------------------------------------------------------------------
def exported(text: str, *inputs: Any, **options: Any) -> Any:
    function = ls.jit.CompilationUnit(text).f
    arguments = tuple(ls.from_numpy(i) if isinstance(i, np.ndarray) else i for i in inputs)
    return linstock.onnx.export(function, arguments, verify=True, **options)


def kinds(model: Any) -> Counter[str]:
    return Counter(n.op_type for n in model.graph.node)


class Net(ls.nn.Module):
    """Some layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = ls.nn.Linear(4, 8)
        self.rest = ls.nn.Sequential(ls.nn.ReLU(), ls.nn.Dropout(0.5), ls.nn.Linear(8, 3))

    def forward(self, x: ls.Tensor) -> ls.Tensor:
        y = self.rest(self.first(x))
        return y.view(x.size(0), 3, 1).squeeze(2).float() * 1 + 0


def test_graphs_hold_no_more_than_is_computed() -> None:
    x = ls.randn(2, 4)
    model = linstock.onnx.export(ls.jit.script(Net().eval()), (x,), dynamic_axes={"x": {0: "batch"}}, verify=True)
    found = kinds(model)
    assert found["Gemm"] == 2 and found["Relu"] == 1
    assert not {"Identity", "Cast", "Dropout", "Transpose"} & set(found)
    names = {i.name for i in model.graph.initializer}
    assert {"first.weight", "first.bias", "rest.2.weight", "rest.2.bias"} <= names
    assert [d.dim_param or d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == ["batch", 4]
    assert [d.dim_param or d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim] == ["batch", 3]
    assert model.graph.node[0].doc_string


def test_constants_are_computed_and_equal_nodes_are_one() -> None:
    text = "def f(x):\n    w = torch.arange(4.0).reshape(2, 2).t() * 2\n    return (x @ w).exp() + (x @ w).exp()"
    assert kinds(exported(text, np.ones((3, 2), np.float32))) == {"MatMul": 1, "Exp": 1, "Add": 1}


def test_shapes_of_dynamic_inputs_are_followed() -> None:
    text = "def f(x):\n    y = x.transpose(1, 2).reshape(x.size(0), x.size(2), 2, -1)\n"
    text += "    return y.permute(0, 2, 1, 3).reshape(x.size(0), 2, -1)"
    model = exported(text, np.ones((2, 6, 5), np.float32), dynamic_axes={"x": {0: "n", 2: "t"}})
    shape = [d.dim_param or d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim]
    assert shape[:2] == ["n", 2]


@pytest.mark.parametrize("size", [1, 5])
def test_dynamic_batches_run_at_other_sizes(size: int) -> None:
    net = ls.jit.script(Net().eval())
    model = linstock.onnx.export(net, (ls.randn(2, 4),), dynamic_axes={"x": [0]}, verify=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x = ls.randn(size, 4)
    np.testing.assert_allclose(session.run(None, {"x": x.numpy()})[0], net(x).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_names_of_inputs_and_outputs() -> None:
    text = "def f(a, b):\n    return {'sum': a + b, 'parts': (a, b * 2)}"
    x = np.ones(3, np.float32)
    model = exported("from typing import Dict, Tuple\n" + text.replace("(a, b * 2)", "a * b"), x, x)
    assert [i.name for i in model.graph.input] == ["a", "b"]
    assert [o.name for o in model.graph.output] == ["sum", "parts"]
    model = exported("def f(a, b):\n    return a, b * 2", x, x, input_names=["p", "q"], output_names=["r", "s"])
    assert [i.name for i in model.graph.input] == ["p", "q"] and [o.name for o in model.graph.output] == ["r", "s"]


def test_files_and_streams() -> None:
    stream = io.BytesIO()
    model = linstock.onnx.export(ls.jit.script(Net().eval()), (ls.randn(2, 4),), stream)
    assert stream.getvalue() == model.SerializeToString()


def test_numbers_among_the_inputs_are_fixed() -> None:
    model = exported("def f(x, n: int, flag: bool = True):\n    return x * n if flag else x", np.ones(3, np.float32), 3)
    assert [i.name for i in model.graph.input] == ["x"] and kinds(model) == {"Mul": 1}


def test_complex_inputs_and_outputs_have_a_last_dimension_of_two() -> None:
    model = exported("def f(x):\n    return x * (1 + 2j) + x.conj()", np.asarray([1 + 2j, 3 - 1j], np.complex64))
    assert [d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim] == [2, 2]


def test_bfloat16_is_computed_in_float32() -> None:
    function = ls.jit.CompilationUnit("def f(x, y):\n    return torch.softmax(x @ y, 1)").f
    model = linstock.onnx.export(function, (ls.randn(3, 4).bfloat16(), ls.randn(4, 5).bfloat16()), verify=True)
    assert kinds(model)["MatMul"] == 1


def test_quantised_tensors_are_integers() -> None:
    text = "def f(x):\n    q = torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)\n"
    text += "    return q.reshape(4, 3).relu().dequantize(), q.int_repr()"
    model = exported(text, np.linspace(-4, 4, 12, dtype=np.float32).reshape(3, 4))
    assert kinds(model)["QuantizeLinear"] == 1 and kinds(model)["DequantizeLinear"] == 1


def test_random_numbers_are_drawn_at_every_run() -> None:
    text = "def f(x):\n    return torch.rand(1000) + 0 * x[0], torch.randn_like(x), torch.dropout(x, 0.5, True)"
    function = ls.jit.CompilationUnit(text).f
    model = linstock.onnx.export(function, (ls.ones(1000),))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    first, second = (session.run(None, {"x": np.ones(1000, np.float32)}) for _ in range(2))
    assert not np.array_equal(first[0], second[0])
    assert abs(first[0].mean() - 0.5) < 0.05 and abs(first[1].std() - 1) < 0.1 and set(np.unique(first[2])) == {0.0, 2.0}


# -- the table ---------------------------------------------------------------------------------------------------------
def test_forms_belong_to_known_operators() -> None:
    for name in (*registry.registered(), *complex_forms._FORMS, *quantized._FORMS):
        assert operators.has_schema(name), name


def test_every_operator_has_a_form_or_a_reason() -> None:
    for name in operators.full_names():
        assert registry.support(name)
    assert registry.support("aten::add_.Tensor") == registry.support("aten::zeros.out") == registry.support("aten::clip") == "yes"
    assert "singular values" in registry.support("aten::linalg_svd")
