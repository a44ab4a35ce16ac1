"""Random numbers: the same numbers from the same seed as PyTorch on the CPU.

Words come from `generator.py`; here is how each distribution is made of them. A tensor is filled in the order in which
its elements lie in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device

from . import promotion as P
from .constructors import type_name, unsupported
from .factory import check_device, dtype_of
from .generator import Generator, chosen, default_generator
from .memory import empty_as, preserved_order
from .promotion import FLOAT32, FLOAT64, Array, DType, array
from .registry import kernel

_DIGITS = {5: 11, 15: 8, 6: 24, 7: 53}  # significant bits of each floating type
_MANY = 1 << 28  # ranges from here on take 64 bits a number


# ---- filling arrays


def _in_memory_order(a: Array) -> Array:
    return a if a.flags.c_contiguous else a.transpose(preserved_order(a))


def fill(a: Array, values: Array) -> Array:
    """Write flat values into the array, one after the other as its elements lie in memory, and return it."""
    target = _in_memory_order(a)
    target[...] = values.reshape(target.shape)
    return a


def is_real_float(dtype: DType) -> bool:
    """Whether the dtype is floating point and not complex."""
    return P.is_inexact(dtype) and dtype.kind != "c"


def _real_parts(a: Array) -> Array | None:
    """A complex array's parts as a contiguous float array that shares its memory, None if it is not contiguous."""
    return a.view(P.real_of(a.dtype)) if a.flags.c_contiguous and a.ndim else None


def _uniform_words(g: Generator, n: int, dtype: DType) -> Array:
    """Numbers in [0, 1): of 53 bits for float64, of 24 bits for the narrower types."""
    if dtype == FLOAT64:
        return g.uniform64(n)
    return (g.random32(n) & np.uint32(0xFFFFFF)).astype(np.float32) * np.float32(2.0**-24)


def _fill_uniform(a: Array, low: float, high: float, g: Generator) -> Array:
    if a.dtype.kind == "c":
        parts = np.empty((*a.shape, 2), P.real_of(a.dtype))
        _fill_uniform(parts, low, high, g)
        a.real, a.imag = parts[..., 0], parts[..., 1]
        return a
    if not is_real_float(a.dtype):
        unsupported("check_uniform_bounds", a.dtype)
    if not low <= high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    with g.lock:
        u = _uniform_words(g, a.size, a.dtype)
    if low == 0.0 and high == 1.0 and a.dtype.itemsize > 2:
        return fill(a, u)
    kind = FLOAT64 if a.dtype == FLOAT64 else FLOAT32
    start, end = np.array([low, high]).astype(a.dtype)
    width = kind.type(end) - kind.type(start)
    values = (u.astype(np.float64) * np.float64(width) + np.float64(start)).astype(kind).astype(a.dtype, copy=False)
    values[values == end] = start  # rounding may reach the end, which is excluded
    return fill(a, values)


def _box_muller(u: Array) -> Array:
    """Standard normals from uniform numbers in blocks of 16: the first 8 give radii, the last 8 angles."""
    blocks = u.reshape(-1, 16)
    one = u.dtype.type(1)
    radius = np.sqrt(u.dtype.type(-2) * np.log(one - blocks[:, :8]))
    theta = u.dtype.type(2 * math.pi) * blocks[:, 8:]
    return np.concatenate([radius * np.cos(theta), radius * np.sin(theta)], 1).reshape(-1)


def _block_normals(g: Generator, n: int, dtype: DType) -> Array:
    """`n` >= 16 standard normals; a rest that does not fill a block is the end of one more block, drawn afresh."""
    whole = n - n % 16
    low = P.is_low(dtype)
    u = _uniform_words(g, whole if low else n, dtype)
    out = np.empty(n, u.dtype)
    out[:whole] = _box_muller(u[:whole])
    if whole != n:
        out[n - 16 :] = _box_muller(_uniform_words(g, 16, dtype))
    return out


def _fill_normal(a: Array, mean: float, std: float, g: Generator) -> Array:
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    if a.dtype.kind == "c":
        parts = _real_parts(a)
        if parts is not None:
            _fill_normal(parts, mean, std / math.sqrt(2), g)
            return a
        values = np.empty((*a.shape, 2), P.real_of(a.dtype))
        target = _in_memory_order(a)
        parts = values.reshape(-1)
        with g.lock:
            parts[...] = (g.normal64(parts.size) * (std / math.sqrt(2)) + mean).astype(parts.dtype)
        target[...] = parts.view(a.dtype).reshape(target.shape)
        return a
    if not is_real_float(a.dtype):
        unsupported("normal_kernel_cpu", a.dtype)
    with g.lock:
        if a.size >= 16 and a.flags.c_contiguous:
            z = _block_normals(g, a.size, a.dtype)
            if mean != 0.0 or std != 1.0:
                z = (z * z.dtype.type(std) + z.dtype.type(mean)).astype(z.dtype, copy=False)
        else:
            z = g.normal64(a.size) * std + mean
    return fill(a, z)


def _fill_integers(a: Array, base: int, count: int, g: Generator) -> Array:
    """Whole numbers from `base` on, `count` of them equally likely."""
    with g.lock:
        if count >= 1 << 64:
            words = g.random64(a.size)
        elif count >= _MANY:
            words = g.random64(a.size) % np.uint64(count)
        else:
            words = g.random32(a.size).astype(np.uint64) % np.uint64(count)
    numbers = (words + np.uint64(base % (1 << 64))).view(np.int64)
    return fill(a, numbers.astype(a.dtype) if a.dtype.kind != "b" else numbers != 0)


def _largest(dtype: DType) -> int:
    """The largest whole number that `random_` gives in a type."""
    digits = _DIGITS.get(P.code_of(dtype))
    return 1 << digits if digits else 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def _least(dtype: DType) -> int:
    digits = _DIGITS.get(P.code_of(dtype))
    return -(1 << digits) if digits else 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _bounded(dtype: DType, low: int, high: int) -> tuple[int, int]:
    """The bounds, moved inwards where a floating type would round beyond them. Raises RuntimeError for bad ones."""
    if not low < high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.kind == "c":
        unsupported("check_random_bounds", dtype)
    digits = _DIGITS.get(P.code_of(dtype))
    least, largest = _least(dtype), _largest(dtype)
    if dtype == np.float16:
        least, largest = -65504, 65504
    if digits is None or dtype == np.float16:
        for name, value in (("from", low), ("to - 1", high - 1)):
            if not least <= value <= largest:
                raise RuntimeError(f"{name} is out of bounds for {dtypes.from_numpy(dtype).name}")
    if digits is not None:
        after, before = (int(np.array(x, np.float64).astype(dtype)) for x in (low + 1, high - 1))
        if after < low:
            low = after + (1 << (abs(low + 1).bit_length() - digits))
        if before >= high:
            high = before - (1 << ((high - 1).bit_length() - digits))
        if not low < high:
            raise RuntimeError(f"random_ expects 'from' casted to dtype to be less than 'to', but got {low} >= {high}")
    return low, high


def _probability(p: float, what: str = "bernoulli_") -> float:
    if not 0 <= p <= 1:
        raise RuntimeError(f"{what} expects p to be in [0, 1], but got p={p}")
    return p


def _fill_bernoulli(a: Array, p: float, g: Generator) -> Array:
    _probability(p)
    with g.lock:
        return fill(a, g.uniform64(a.size) < p)


# ---- uniform and normal


@kernel("aten::uniform_", "aten::_no_grad_uniform_")
def uniform_(self: Array, low: float = 0.0, high: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with numbers spread evenly over [low, high)."""
    return _fill_uniform(self, low, high, chosen(generator))


@kernel("aten::uniform")
def uniform(self: Array, low: float = 0.0, high: float = 1.0, generator: Generator | None = None) -> Array:
    """A tensor like `self` of numbers spread evenly over [low, high)."""
    return uniform_(empty_as(self, self.dtype), low, high, generator)


@kernel("aten::normal_", "aten::_no_grad_normal_")
def normal_(self: Array, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with normally distributed numbers."""
    return _fill_normal(self, mean, std, chosen(generator))


@kernel("aten::normal_functional", "aten::normal.out")
def normal_functional(
    self: Array, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None, out: Array | None = None
) -> Array:
    """A tensor like `self` of normally distributed numbers."""
    if out is not None:
        if out.shape != self.shape:
            out = np.empty(self.shape, out.dtype)
        return normal_(out, mean, std, generator)
    return normal_(empty_as(self, self.dtype), mean, std, generator)


def _check_std(std: Array) -> None:
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not np.all(std >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")


@kernel("aten::normal.Tensor_float")
def normal_tensor_float(mean: Array, std: float = 1.0, generator: Generator | None = None) -> Array:
    """Normally distributed numbers around the elements of `mean`."""
    out = normal_(np.empty(mean.shape, mean.dtype), 0.0, std, generator)
    return array(P.wide(out) + P.wide(mean)).astype(out.dtype, copy=False)


@kernel("aten::normal.float_Tensor")
def normal_float_tensor(mean: float, std: Array, generator: Generator | None = None) -> Array:
    """Normally distributed numbers whose deviations are the elements of `std`."""
    _check_std(std)
    out = normal_(np.empty(std.shape, std.dtype), 0.0, 1.0, generator)
    return array(P.wide(out) * P.wide(std) + mean).astype(out.dtype, copy=False)


@kernel("aten::normal.Tensor_Tensor")
def normal_tensor_tensor(mean: Array, std: Array, generator: Generator | None = None) -> Array:
    """Normally distributed numbers with means and deviations by element, broadcast."""
    _check_std(std)
    try:
        shape = np.broadcast_shapes(mean.shape, std.shape)
    except ValueError:
        raise RuntimeError(f"the shapes {mean.shape} and {std.shape} cannot be broadcast together") from None
    out = normal_(np.empty(shape, mean.dtype), 0.0, 1.0, generator)
    return array(P.wide(out) * P.wide(std) + P.wide(mean)).astype(out.dtype, copy=False)


@kernel("aten::normal.float_float")
def normal_float_float(
    mean: float, std: float, size: Sequence[int], generator: Generator | None = None, dtype: int | None = None,
    layout: int | None = None, device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A new tensor of normally distributed numbers."""
    return normal_(_new(size, dtype, layout, device), mean, std, generator)


# ---- factories


def _new(size: Sequence[int], dtype: int | None, layout: int | None, device: Device | None) -> Array:
    check_device(device, layout)
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return np.empty(tuple(size), dtype_of(dtype))


def _new_like(
    a: Array, dtype: int | None, layout: int | None, device: Device | None, memory_format: int | None
) -> Array:
    check_device(device, layout)
    return empty_as(a, a.dtype if dtype is None else dtypes.numpy_of(dtype), memory_format)


@kernel("aten::rand.generator")
def rand(
    size: Sequence[int], generator: Generator | None = None, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A new tensor of numbers spread evenly over [0, 1)."""
    return uniform_(_new(size, dtype, layout, device), generator=generator)


@kernel("aten::randn.generator")
def randn(
    size: Sequence[int], generator: Generator | None = None, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A new tensor of standard normal numbers."""
    return normal_(_new(size, dtype, layout, device), generator=generator)


@kernel("aten::randint.low_generator")
def randint(
    low: int, high: int, size: Sequence[int], generator: Generator | None = None, dtype: int | None = 4,
    layout: int | None = None, device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A new tensor of whole numbers from `low` to `high - 1`."""
    return random_from(_new(size, 4 if dtype is None else dtype, layout, device), low, high, generator)


@kernel("aten::randperm.generator")
def randperm(
    n: int, generator: Generator | None = None, dtype: int | None = 4, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """The numbers from 0 to n - 1 in random order."""
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    check_device(device, layout)
    kind = dtypes.numpy_of(4 if dtype is None else dtype)
    if kind.kind in "bc":
        unsupported("randperm", kind)
    if n > 1 and n - 1 > _largest(kind) and P.code_of(kind) != 15:
        raise RuntimeError(f"n is too large for result tensor type: '{type_name(kind)}'")
    g = chosen(generator)
    with g.lock:
        words = g.random32(max(n - 1, 0))
    order = list(range(n))
    places = np.arange(max(n - 1, 0))
    others = (words.astype(np.int64) % (n - places) + places).tolist()
    for i, j in enumerate(others):  # each exchange depends on those before it
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64).astype(kind)


@kernel("aten::rand_like.generator")
def rand_like(
    self: Array, generator: Generator | None = None, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """A tensor like `self` of numbers spread evenly over [0, 1)."""
    return uniform_(_new_like(self, dtype, layout, device, memory_format), generator=generator)


@kernel("aten::randn_like.generator")
def randn_like(
    self: Array, generator: Generator | None = None, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """A tensor like `self` of standard normal numbers."""
    return normal_(_new_like(self, dtype, layout, device, memory_format), generator=generator)


@kernel("aten::randint_like.low_generator_dtype")
def randint_like(
    self: Array, low: int, high: int, generator: Generator | None = None, dtype: int | None = None,
    layout: int | None = None, device: Device | None = None, pin_memory: bool | None = None,
    memory_format: int | None = None,
) -> Array:  # fmt: skip
    """A tensor like `self` of whole numbers from `low` to `high - 1`."""
    return random_from(_new_like(self, dtype, layout, device, memory_format), low, high, generator)


@kernel("aten::randint_like.generator")
def randint_like_high(self: Array, high: int, generator: Generator | None = None, *options: Any) -> Array:
    """A tensor like `self` of whole numbers from 0 to `high - 1`."""
    return randint_like(self, 0, high, generator, *options)


def _integer_of(high: Array) -> int:
    if high.size != 1:
        raise RuntimeError("high must be a scalar tensor and on CPU")
    return int(high.reshape(())[()])


@kernel("aten::rand")
def rand_default(size: Sequence[int], *options: Any) -> Array:
    """`rand` from the default generator."""
    return rand(size, None, *options)


@kernel("aten::randn")
def randn_default(size: Sequence[int], *options: Any) -> Array:
    """`randn` from the default generator."""
    return randn(size, None, *options)


@kernel("aten::randint")
def randint_high(high: int, size: Sequence[int], *options: Any) -> Array:
    """`randint` from 0, from the default generator."""
    return randint(0, high, size, None, *options)


@kernel("aten::randint.generator")
def randint_high_generator(high: int, size: Sequence[int], generator: Generator | None, *options: Any) -> Array:
    """`randint` from 0."""
    return randint(0, high, size, generator, *options)


@kernel("aten::randint.low")
def randint_low(low: int, high: int, size: Sequence[int], *options: Any) -> Array:
    """`randint` from the default generator."""
    return randint(low, high, size, None, *options)


@kernel("aten::randperm")
def randperm_default(n: int, *options: Any) -> Array:
    """`randperm` from the default generator."""
    return randperm(n, None, *options)


@kernel("aten::rand_like")
def rand_like_default(self: Array, *options: Any) -> Array:
    """`rand_like` from the default generator."""
    return rand_like(self, None, *options)


@kernel("aten::randn_like")
def randn_like_default(self: Array, *options: Any) -> Array:
    """`randn_like` from the default generator."""
    return randn_like(self, None, *options)


@kernel("aten::randint_like")
def randint_like_default(self: Array, high: int, *options: Any) -> Array:
    """`randint_like` from 0, from the default generator."""
    return randint_like(self, 0, high, None, *options)


@kernel("aten::randint_like.low_dtype")
def randint_like_low(self: Array, low: int, high: int, *options: Any) -> Array:
    """`randint_like` from the default generator."""
    return randint_like(self, low, high, None, *options)


@kernel("aten::randint_like.Tensor")
def randint_like_tensor(self: Array, high: Array, *options: Any) -> Array:
    """`randint_like` from 0 to a bound held by a tensor, from the default generator."""
    return randint_like(self, 0, _integer_of(high), None, *options)


@kernel("aten::randint_like.Tensor_generator")
def randint_like_tensor_generator(self: Array, high: Array, generator: Generator | None, *options: Any) -> Array:
    """`randint_like` from 0 to a bound held by a tensor."""
    return randint_like(self, 0, _integer_of(high), generator, *options)


# ---- whole numbers


@kernel("aten::random_")
def random_(self: Array, generator: Generator | None = None) -> Array:
    """Fill with whole numbers from 0 to the largest that the type holds (floats: to 2 to the number of its digits)."""
    if self.dtype.kind == "c":
        unsupported("random_kernel_cpu", self.dtype)
    g, count = chosen(generator), _largest(self.dtype) + 1
    with g.lock:
        if self.dtype.itemsize == 8:
            words = g.random64(self.size) % np.uint64(count) if count < 1 << 64 else g.random64(self.size)
        else:
            words = (g.random32(self.size) % np.uint64(count)).astype(np.uint64)
    return fill(self, words.astype(self.dtype))


@kernel("aten::random_.from")
def random_from(self: Array, low: int, high: int | None, generator: Generator | None = None) -> Array:
    """Fill with whole numbers from `low` to `high - 1`, or to the largest that the type holds."""
    if high is None:
        if low == -(1 << 63):
            if self.dtype.itemsize < 8 and self.dtype != FLOAT32 and P.code_of(self.dtype) != 15:
                unsupported("random_full_64_bits_range_kernel_cpu", self.dtype)
            return _fill_integers(self, 0, 1 << 64, chosen(generator))
        high = _largest(self.dtype) + 1
        if not _least(self.dtype) <= low < high:
            raise RuntimeError(f"from is out of bounds for {dtypes.from_numpy(self.dtype).name}")
    else:
        low, high = _bounded(self.dtype, low, high)
    return _fill_integers(self, low, high - low, chosen(generator))


@kernel("aten::random_.to")
def random_to(self: Array, high: int, generator: Generator | None = None) -> Array:
    """Fill with whole numbers from 0 to `high - 1`."""
    return random_from(self, 0, high, generator)


@kernel("aten::random")
def random(self: Array, generator: Generator | None = None) -> Array:
    """A tensor like `self` of whole numbers, as `random_` gives."""
    return random_(empty_as(self, self.dtype), generator)


@kernel("aten::random.from")
def random_from_new(self: Array, low: int, high: int | None, generator: Generator | None = None) -> Array:
    """A tensor like `self` of whole numbers from `low` to `high - 1`."""
    return random_from(empty_as(self, self.dtype), low, high, generator)


@kernel("aten::random.to")
def random_to_new(self: Array, high: int, generator: Generator | None = None) -> Array:
    """A tensor like `self` of whole numbers from 0 to `high - 1`."""
    return random_from(empty_as(self, self.dtype), 0, high, generator)


# ---- other distributions of independent numbers


@kernel("aten::bernoulli_.float")
def bernoulli_(self: Array, p: float = 0.5, generator: Generator | None = None) -> Array:
    """Fill with ones of probability `p` and zeros."""
    return _fill_bernoulli(self, p, chosen(generator))


@kernel("aten::bernoulli_.Tensor")
def bernoulli_tensor_(self: Array, p: Array, generator: Generator | None = None) -> Array:
    """Fill with ones, of the probabilities in `p`, and zeros."""
    if not is_real_float(p.dtype):
        unsupported("bernoulli_tensor_cpu_p_", p.dtype)
    try:
        chances = np.broadcast_to(p, self.shape)
    except ValueError:
        raise RuntimeError(f"probabilities of shape {p.shape} do not fit a tensor of shape {self.shape}") from None
    if p.size and not bool(np.all((p >= 0) & (p <= 1))):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    g, target = chosen(generator), _in_memory_order(self)
    order = range(self.ndim) if target is self else preserved_order(self)
    with g.lock:
        u = _uniform_words(g, self.size, p.dtype)
    return fill(self, u.reshape(target.shape) < P.wide(chances.transpose(list(order))))


@kernel("aten::bernoulli")
def bernoulli(self: Array, generator: Generator | None = None) -> Array:
    """Ones, of the probabilities in `self`, and zeros."""
    return bernoulli_tensor_(np.empty(self.shape, self.dtype), self, generator)


@kernel("aten::bernoulli.p")
def bernoulli_p(self: Array, p: float, generator: Generator | None = None) -> Array:
    """A tensor like `self` of ones of probability `p` and zeros."""
    return bernoulli_(np.empty(self.shape, self.dtype), p, generator)


@kernel("aten::bernoulli.Tensor")
def bernoulli_tensor(self: Array, p: Array, generator: Generator | None = None) -> Array:
    """A tensor like `self` of ones, of the probabilities in `p`, and zeros."""
    return bernoulli_tensor_(empty_as(self, self.dtype), p, generator)


def _fill_doubles(self: Array, generator: Generator | None, what: str, f: Any, integers: bool = False) -> Array:
    """Fill with a function of evenly spread doubles."""
    if not (is_real_float(self.dtype) or (integers and self.dtype.kind in "iu")):
        unsupported(what, self.dtype)
    g = chosen(generator)
    with g.lock:
        u = g.uniform64(self.size)
    with np.errstate(all="ignore"):
        return fill(self, f(u).astype(self.dtype))


@kernel("aten::exponential_")
def exponential_(self: Array, lambd: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with exponentially distributed numbers of rate `lambd`."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _fill_doubles(self, generator, "exponential_cpu", lambda u: (-1.0 / lambd) * np.log1p(-u))


@kernel("aten::geometric_")
def geometric_(self: Array, p: float, generator: Generator | None = None) -> Array:
    """Fill with the numbers of trials until the first success of probability `p`."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return _fill_doubles(self, generator, "geometric_cpu", lambda u: np.ceil(np.log(u) / math.log1p(-p)), True)


@kernel("aten::cauchy_")
def cauchy_(self: Array, median: float = 0.0, sigma: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with numbers of a Cauchy distribution."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    eps = float(np.finfo(np.float64).eps)
    return _fill_doubles(
        self, generator, "cauchy_cpu",
        lambda u: median + sigma * np.tan(math.pi * (np.clip(u, eps, 1 - eps) - 0.5)),
    )  # fmt: skip


@kernel("aten::log_normal_")
def log_normal_(self: Array, mean: float = 1.0, std: float = 2.0, generator: Generator | None = None) -> Array:
    """Fill with numbers whose logarithms are normally distributed."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    if not is_real_float(self.dtype):
        unsupported("log_normal_cpu", self.dtype)
    g = chosen(generator)
    with g.lock:
        z = g.normal64(self.size)
    with np.errstate(all="ignore"):
        return fill(self, np.exp(z * std + mean).astype(self.dtype))


@kernel("aten::exponential")
def exponential(self: Array, lambd: float = 1.0, generator: Generator | None = None) -> Array:
    """A tensor like `self` of exponentially distributed numbers."""
    return exponential_(empty_as(self, self.dtype), lambd, generator)


@kernel("aten::geometric")
def geometric(self: Array, p: float, generator: Generator | None = None) -> Array:
    """A tensor like `self` of geometrically distributed numbers."""
    return geometric_(empty_as(self, self.dtype), p, generator)


@kernel("aten::cauchy")
def cauchy(self: Array, median: float = 0.0, sigma: float = 1.0, generator: Generator | None = None) -> Array:
    """A tensor like `self` of numbers of a Cauchy distribution."""
    return cauchy_(empty_as(self, self.dtype), median, sigma, generator)


@kernel("aten::log_normal")
def log_normal(self: Array, mean: float = 1.0, std: float = 2.0, generator: Generator | None = None) -> Array:
    """A tensor like `self` of numbers whose logarithms are normally distributed."""
    return log_normal_(empty_as(self, self.dtype), mean, std, generator)


# ---- the generator itself


@kernel("aten::Generator")
def new_generator(device: Device | None = None, seed: int | None = None) -> Generator:
    """A generator of its own."""
    check_device(device)
    return Generator() if seed is None else Generator(seed)


@kernel("aten::manual_seed")
def manual_seed(seed: int) -> None:
    """Seed the default generator."""
    default_generator.manual_seed(seed)


@kernel("aten::manual_seed.generator")
def manual_seed_generator(self: Generator, seed: int) -> Generator:
    """Seed a generator."""
    return self.manual_seed(seed)


@kernel("aten::initial_seed")
def initial_seed(self: Generator) -> int:
    """The seed that a generator started from, as a signed number."""
    seed = self.initial_seed()
    return seed - (1 << 64) if seed >> 63 else seed


@kernel("aten::seed")
def seed(self: Generator) -> int:
    """Seed a generator from entropy and give that seed, as a signed number."""
    self.seed()
    return initial_seed(self)


from . import random_draws, random_dropout  # noqa: E402, F401  (they register the rest of the family)
