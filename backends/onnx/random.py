"""ONNX forms of the random family: the distributions that ONNX Runtime draws from. The numbers differ from PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.backends.onnx.builder import Builder, Sym, element_type
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError

Rest = Any  # generator, layout, device, pin_memory, memory_format


def uniform(b: Builder, sizes: list[Any], code: int, low: float = 0.0, high: float = 1.0) -> Sym:
    """Evenly distributed numbers."""
    work = code if code in (6, 7) else 6
    if not sizes:
        return b.reshape(uniform(b, [1], code, low, high), [])
    if not any(isinstance(s, Sym) for s in sizes):
        made = b.op(
            "RandomUniform", dtype=element_type(work), shape=[int(s) for s in sizes], low=float(low), high=float(high)
        )
    else:
        made = b.op("RandomUniformLike", b.filled(sizes, 0, work), low=float(low), high=float(high))
    return b.cast(made, code)


def normal(b: Builder, sizes: list[Any], code: int, mean: float = 0.0, scale: float = 1.0) -> Sym:
    """Normally distributed numbers."""
    work = code if code in (6, 7) else 6
    if not sizes:
        return b.reshape(normal(b, [1], code, mean, scale), [])
    if not any(isinstance(s, Sym) for s in sizes):
        made = b.op(
            "RandomNormal",
            dtype=element_type(work),
            shape=[int(s) for s in sizes],
            mean=float(mean),
            scale=float(scale),
        )
    else:
        made = b.op("RandomNormalLike", b.filled(sizes, 0, work), mean=float(mean), scale=float(scale))
    return b.cast(made, code)


def _code(dtype: int | None) -> int:
    return promotion.default_code() if dtype is None else dtype


converter("rand")(lambda b, size, dtype=None, *rest: uniform(b, size, _code(dtype)))
converter("randn")(lambda b, size, dtype=None, *rest: normal(b, size, _code(dtype)))
converter("rand.generator")(lambda b, size, generator, dtype=None, *rest: uniform(b, size, _code(dtype)))
converter("randn.generator")(lambda b, size, generator, dtype=None, *rest: normal(b, size, _code(dtype)))
converter("rand_like")(lambda b, x, dtype=None, *rest: uniform(b, b.sizes(x), x.dtype if dtype is None else dtype))
converter("randn_like")(lambda b, x, dtype=None, *rest: normal(b, b.sizes(x), x.dtype if dtype is None else dtype))


def _integers(b: Builder, sizes: list[Any], low: Any, high: Any, code: int) -> Sym:
    if isinstance(low, Sym) or isinstance(high, Sym):
        raise ExportError("random integers with bounds that depend on the inputs", b.span)
    drawn = b.op("Floor", uniform(b, sizes, 7, low, high))
    return b.cast(b.op("Min", drawn, float(high - 1)), code)


converter("randint")(lambda b, high, size, dtype=4, *rest: _integers(b, size, 0, high, 4 if dtype is None else dtype))
converter("randint.low")(
    lambda b, low, high, size, dtype=4, *rest: _integers(b, size, low, high, 4 if dtype is None else dtype)
)
converter("randint_like")(
    lambda b, x, high, dtype=None, *rest: _integers(b, b.sizes(x), 0, high, x.dtype if dtype is None else dtype)
)
converter("randint_like.low_dtype")(
    lambda b, x, low, high, dtype=None, *rest: _integers(b, b.sizes(x), low, high, x.dtype if dtype is None else dtype)
)


@converter("randperm")
def _randperm(b: Builder, n: Any, dtype: int | None = 4, *rest: Rest) -> Sym:
    places = b.ops("TopK", uniform(b, [n], 6), b.single(n), outputs=2, axis=0)[1]
    return b.cast(places, 4 if dtype is None else dtype)


@converter("normal.float_float")
def _normal(
    b: Builder, mean: float, std: float, size: list[Any], generator: Any = None, dtype: int | None = None, *rest: Rest
) -> Sym:
    return normal(b, size, _code(dtype), mean, std)


@converter("normal.Tensor_float|float_Tensor|Tensor_Tensor")
def _normal_each(b: Builder, mean: Any, std: Any, generator: Any = None) -> Sym:
    like = mean if isinstance(mean, Sym) else std
    drawn = normal(b, b.sizes(like), like.dtype)
    return b.op("Add", b.op("Mul", drawn, b.cast(std, like.dtype)), b.cast(mean, like.dtype))


converter("normal_", "normal_functional")(
    lambda b, x, mean=0.0, std=1.0, *rest: normal(b, b.sizes(x), x.dtype, mean, std)
)
converter("_no_grad_normal_")(lambda b, x, mean, std, *rest: normal(b, b.sizes(x), x.dtype, mean, std))
converter("uniform", "uniform_", "_no_grad_uniform_")(
    lambda b, x, low=0.0, high=1.0, *rest: uniform(b, b.sizes(x), x.dtype, low, high)
)
converter("log_normal", "log_normal_")(
    lambda b, x, mean=1.0, std=2.0, *rest: b.op("Exp", normal(b, b.sizes(x), x.dtype, mean, std))
)


@converter("exponential", "exponential_")
def _exponential(b: Builder, x: Sym, rate: float = 1.0, *rest: Rest) -> Sym:
    return b.op("Div", b.op("Neg", b.op("Log", uniform(b, b.sizes(x), x.dtype, 1e-20, 1.0))), float(rate))


def _chance(b: Builder, x: Sym, p: Any) -> Sym:
    """True with a probability, which may differ from element to element."""
    drawn = uniform(b, b.sizes(x), 6)
    return b.op("Less", drawn, b.cast(p, 6))


converter("bernoulli")(lambda b, p, *rest: b.cast(_chance(b, p, p), p.dtype))
converter("bernoulli.p|Tensor", "bernoulli_.float|Tensor")(lambda b, x, p, *rest: b.cast(_chance(b, x, p), x.dtype))


@converter("multinomial")
def _multinomial(b: Builder, p: Sym, count: Any, replacement: bool = False, *rest: Rest) -> Sym:
    scores = b.op("Log", p)
    if replacement and isinstance(count, int):
        batch = scores if b.rank(scores) == 2 else b.unsqueeze(scores, 0)
        made = b.op("Multinomial", batch, dtype=element_type(4), sample_size=count)
        return made if b.rank(scores) == 2 else b.squeeze(made, 0)
    noise = b.op("Neg", b.op("Log", b.op("Neg", b.op("Log", uniform(b, b.sizes(p), p.dtype, 1e-20, 1.0)))))
    return b.ops("TopK", b.op("Add", scores, noise), b.single(count), outputs=2, axis=b.rank(p) - 1)[1]


# -- dropout -----------------------------------------------------------------------------------------------------------
def _dropped(b: Builder, x: Sym, p: float, sizes: list[Any]) -> tuple[Sym, Sym]:
    b.note("dropout stays random: call model.eval() before the export to leave it out")
    kept = b.op("GreaterOrEqual", uniform(b, sizes, 6), float(p))
    return b.op("Where", kept, b.op("Mul", x, 1 / (1 - p) if p < 1 else 0.0), 0.0), kept


@converter("dropout")
def _dropout(b: Builder, x: Sym, p: float, train: bool) -> Sym:
    return _dropped(b, x, p, b.sizes(x))[0] if train and p > 0 else x


@converter("feature_dropout")
def _feature_dropout(b: Builder, x: Sym, p: float, train: bool) -> Sym:
    sizes = b.sizes(x)
    return _dropped(b, x, p, [*sizes[:2], *[1] * (len(sizes) - 2)])[0] if train and p > 0 else x


@converter("native_dropout")
def _native_dropout(b: Builder, x: Sym, p: float, train: bool | None) -> tuple[Sym, Sym]:
    if train is False:
        return x, b.expand_to(b.constant(np.asarray(True)), x)
    return _dropped(b, x, p, b.sizes(x))


@converter("alpha_dropout", "feature_alpha_dropout")
def _alpha_dropout(b: Builder, x: Sym, p: float, train: bool) -> Sym:
    if train and p > 0:
        raise ExportError("alpha dropout in training: export the model in evaluation mode (model.eval())", b.span)
    return x


no_form(
    "binomial", "cauchy", "cauchy_", "geometric", "geometric_", "poisson", "random", "random_", "rrelu_with_noise", "rrelu_with_noise_functional",
    "_fill_mem_eff_dropout_mask_", reason="ONNX has no operator that draws from this distribution",
)  # fmt: skip
