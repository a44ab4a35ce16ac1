"""ONNX forms of the fft family: spectra are pairs of a real and an imaginary part, transforms are ONNX's DFT and STFT."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx import complex_forms
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.registry import converter, no_form
from linstock.backends.onnx.values import Pair
from linstock.backends.onnx.view import flip, pad
from linstock.ir.errors import ExportError

Signal = Sym | Pair


def both(*names: str) -> Any:
    """Register a form for real and for complex tensors."""

    def register(function: Any) -> Any:
        complex_forms.form(*names)(function)
        return converter(*names)(function)

    return register


def _real_part(x: Signal) -> Sym:
    return x.real if isinstance(x, Pair) else x


def _each_part(x: Signal, f: Any) -> Any:
    return Pair(f(x.real), f(x.imag), x.dtype) if isinstance(x, Pair) else f(x)


def _fitted(b: Builder, x: Any, axis: int, n: int) -> Any:
    """Cut or padded with zeros to a length."""
    size = b.size(_real_part(x), axis)
    if isinstance(size, Sym):
        raise ExportError(
            "a transform of another length than the dimension's, whose size depends on the inputs", b.span
        )
    if size >= n:
        return _each_part(x, lambda v: b.slice(v, axis, 0, n))
    amounts = [0] * (2 * (b.rank(_real_part(x)) - axis - 1)) + [0, n - size]
    return _each_part(x, lambda v: pad(b, v, amounts))


def _transform(b: Builder, x: Signal, axis: int, inverse: bool, half: bool = False) -> Pair:
    """DFT along a dimension (the inverse one divides by the length); `half` keeps the frequencies of a real signal."""
    real = b.floating(_real_part(x))
    rank = b.rank(real)
    parts = [b.unsqueeze(real, rank)]
    if isinstance(x, Pair):
        parts.append(b.unsqueeze(b.expand_to(x.imag, x.real), rank))
    data = b.op("Concat", *parts, axis=rank)
    options: dict[str, Any] = {"inverse": int(inverse) or None, "onesided": int(half) or None}
    if b.opset >= 20:
        made = b.op("DFT", data, None, b.constant(np.asarray(axis)), **options)
    else:
        made = b.op("DFT", data, axis=axis, **options)
    shape = list(real.shape or ())
    if half and isinstance(shape[axis], int):
        shape[axis] = shape[axis] // 2 + 1  # type: ignore[operator]
    elif half:
        shape[axis] = b.unknown()
    made = b.shaped(made, [*shape, 2])
    code = 10 if real.dtype == 7 else 9
    return Pair(b.gather(made, 0, rank), b.gather(made, 1, rank), code)


def _scaled(b: Builder, x: Any, factor: Any) -> Any:
    if not isinstance(factor, Sym) and factor == 1:
        return x
    return _each_part(x, lambda v: b.op("Mul", v, factor if not isinstance(factor, Sym) else b.cast(factor, v.dtype)))


def _norm_factor(b: Builder, size: Any, norm: str | None, inverse: bool) -> Any:
    """What a transform is multiplied by beyond ONNX's own division by the length in the inverse one."""
    if norm in (None, "backward"):
        return 1
    known = not isinstance(size, Sym)
    if norm == "ortho":
        root: Any = math.sqrt(size) if known else b.op("Sqrt", b.cast(size, 7))
        return (root if inverse else 1 / root) if known else (root if inverse else b.op("Reciprocal", root))
    if known:
        return size if inverse else 1 / size
    return size if inverse else b.op("Reciprocal", b.cast(size, 7))


def transform(
    b: Builder, x: Signal, n: int | None, dim: int, norm: str | None, inverse: bool, half: bool = False
) -> Pair:
    """A one-dimensional transform."""
    axis = b.axis(_real_part(x), dim)
    x = x if n is None else _fitted(b, x, axis, n)
    made = _transform(b, x, axis, inverse, half)
    return _scaled(b, made, _norm_factor(b, b.size(_real_part(x), axis), norm, inverse))  # type: ignore[no-any-return]


def _whole(b: Builder, x: Pair, axis: int, n: int) -> Pair:
    """The whole spectrum of a real signal from its half."""
    x = _fitted(b, x, axis, n // 2 + 1)
    count = (n - 1) // 2
    rest = _each_part(x, lambda v: flip(b, b.slice(v, axis, 1, 1 + count), [axis]))
    real = b.op("Concat", x.real, rest.real, axis=axis) if count else x.real
    imag = b.op("Concat", x.imag, b.op("Neg", rest.imag), axis=axis) if count else x.imag
    first = np.zeros(n)
    first[0] = 1
    if n % 2 == 0:
        first[n // 2] = 1
    keep = (1 - first).reshape(
        [n if i == axis else 1 for i in range(b.rank(real))]
    )  # the imaginary parts of the ends count as zero
    return Pair(real, b.op("Mul", imag, b.constant(keep, imag.dtype)), x.dtype)


def real_inverse(b: Builder, x: Signal, n: int | None, dim: int, norm: str | None) -> Sym:
    """The real signal of a half spectrum."""
    pair = x if isinstance(x, Pair) else complex_forms.as_pair(b, b.floating(x), 10 if x.dtype == 7 else 9)
    pair = Pair(pair.real, b.expand_to(pair.imag, pair.real), pair.dtype)
    axis = b.axis(pair.real, dim)
    size = b.size(pair.real, axis)
    if n is None:
        if isinstance(size, Sym):
            raise ExportError("an inverse real transform of a dimension whose size depends on the inputs", b.span)
        n = 2 * (size - 1)
    return transform(b, _whole(b, pair, axis, n), None, axis, norm, True).real


both("fft_fft")(lambda b, x, n=None, dim=-1, norm=None: transform(b, x, n, dim, norm, False))
both("fft_ifft")(lambda b, x, n=None, dim=-1, norm=None: transform(b, x, n, dim, norm, True))
converter("fft_rfft")(lambda b, x, n=None, dim=-1, norm=None: transform(b, x, n, dim, norm, False, True))
both("fft_irfft")(lambda b, x, n=None, dim=-1, norm=None: real_inverse(b, x, n, dim, norm))
_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


@both("fft_hfft")  # type: ignore[untyped-decorator]
def _hfft(b: Builder, x: Signal, n: int | None = None, dim: int = -1, norm: str | None = None) -> Sym:
    mirrored = complex_forms.conj(b, x) if isinstance(x, Pair) else x
    return real_inverse(b, mirrored, n, dim, _OPPOSITE[norm])


@converter("fft_ihfft")
def _ihfft(b: Builder, x: Sym, n: int | None = None, dim: int = -1, norm: str | None = None) -> Pair:
    return complex_forms.conj(b, transform(b, x, n, dim, _OPPOSITE[norm], False, True))


def _axes(
    b: Builder, x: Signal, s: Sequence[int] | None, dim: Sequence[int] | None
) -> tuple[list[int], list[int | None]]:
    real = _real_part(x)
    if dim is None:
        count = b.rank(real) if s is None else len(s)
        axes = list(range(b.rank(real) - count, b.rank(real)))
    else:
        axes = [b.axis(real, d) for d in dim]
    sizes = [None if s is None or n == -1 else n for n in (s if s is not None else axes)]
    return axes, sizes


def _many(inverse: bool) -> Any:
    def convert(b: Builder, x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
        axes, sizes = _axes(b, x, s, dim)
        for axis, n in zip(axes, sizes, strict=True):
            x = transform(b, x, n, axis, norm, inverse)
        return x

    return convert


both("fft_fftn", "fft_fft2")(_many(False))
both("fft_ifftn", "fft_ifft2")(_many(True))


@converter("fft_rfftn", "fft_rfft2")
def _rfftn(b: Builder, x: Sym, s: Any = None, dim: Any = None, norm: str | None = None) -> Pair:
    axes, sizes = _axes(b, x, s, dim)
    made = transform(b, x, sizes[-1], axes[-1], norm, False, True)
    for axis, n in zip(axes[:-1], sizes[:-1], strict=True):
        made = transform(b, made, n, axis, norm, False)
    return made


@both("fft_irfftn", "fft_irfft2")  # type: ignore[untyped-decorator]
def _irfftn(b: Builder, x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Sym:
    axes, sizes = _axes(b, x, s, dim)
    for axis, n in zip(axes[:-1], sizes[:-1], strict=True):
        x = transform(b, x, n, axis, norm, True)
    return real_inverse(b, x, sizes[-1], axes[-1], norm)


@both("fft_hfftn", "fft_hfft2")  # type: ignore[untyped-decorator]
def _hfftn(b: Builder, x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Sym:
    axes, sizes = _axes(b, x, s, dim)
    for axis, n in zip(axes[:-1], sizes[:-1], strict=True):
        x = transform(b, x, n, axis, norm, False)
    return _hfft(b, x, sizes[-1], axes[-1], norm)  # type: ignore[no-any-return]


@converter("fft_ihfftn", "fft_ihfft2")
def _ihfftn(b: Builder, x: Sym, s: Any = None, dim: Any = None, norm: str | None = None) -> Pair:
    axes, sizes = _axes(b, x, s, dim)
    made = _ihfft(b, x, sizes[-1], axes[-1], norm)
    for axis, n in zip(axes[:-1], sizes[:-1], strict=True):
        made = transform(b, made, n, axis, norm, True)
    return made


def _shift(back: bool) -> Any:
    def convert(b: Builder, x: Any, dim: Any = None) -> Any:
        real = _real_part(x)
        for axis in range(b.rank(real)) if dim is None else [b.axis(real, d) for d in dim]:
            size = b.size(real, axis)
            if isinstance(size, Sym):
                raise ExportError("a shift of a dimension whose size depends on the inputs", b.span)
            cut = size // 2 if back else size - size // 2
            if cut:
                x = _each_part(
                    x, lambda v, a=axis, c=cut: b.op("Concat", b.slice(v, a, c), b.slice(v, a, 0, c), axis=a)
                )
        return x

    return convert


both("fft_fftshift")(_shift(False))
both("fft_ifftshift")(_shift(True))


# -- short-time transforms ---------------------------------------------------------------------------------------------
def _window(b: Builder, window: Sym | None, width: int, n_fft: int, code: int) -> Sym:
    """The window in the middle of a frame."""
    made = b.constant(np.ones(width), code) if window is None else b.cast(window, code)
    left = (n_fft - width) // 2
    return made if width == n_fft else pad(b, made, [left, n_fft - width - left])


@converter("stft.center")
def stft(
    b: Builder, x: Sym, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Sym | None = None, center: bool = True,
    pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None, align: Any = None,
) -> Any:  # fmt: skip
    """Spectra of overlapping frames: frequencies by frames."""
    hop = n_fft // 4 if hop_length is None else hop_length
    single = b.rank(x) == 1
    x = b.unsqueeze(x, 0) if single else x
    if center:
        side = n_fft // 2
        x = b.squeeze(pad(b, b.unsqueeze(x, 1), [side, side], pad_mode), 1)
    shape = _window(b, window, n_fft if win_length is None else win_length, n_fft, x.dtype)
    half = onesided is not False
    made = b.op("STFT", b.unsqueeze(x, 2), np.asarray(hop), shape, np.asarray(n_fft), onesided=int(half))
    length = b.size(x, 1)
    frames: Any = b.unknown() if isinstance(length, Sym) else 1 + (length - n_fft) // hop
    made = b.shaped(made, [*(x.shape or ())[:1], frames, n_fft // 2 + 1 if half else n_fft, 2])
    made = b.op("Mul", made, 1 / math.sqrt(n_fft)) if normalized else made
    turned = b.transpose(made, [0, 2, 1, 3])
    turned = b.squeeze(turned, 0) if single else turned
    if return_complex is False:
        return turned
    last = b.rank(turned) - 1
    return Pair(b.gather(turned, 0, last), b.gather(turned, 1, last), 10 if x.dtype == 7 else 9)


@converter("stft")
def _stft_plain(
    b: Builder,
    x: Sym,
    n_fft: int,
    hop: Any = None,
    width: Any = None,
    window: Any = None,
    normalized: bool = False,
    *rest: Any,
) -> Any:
    return stft(b, x, n_fft, hop, width, window, False, "reflect", normalized, *rest)


@complex_forms.form("istft")
def _istft(
    b: Builder, x: Pair, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Sym | None = None, center: bool = True,
    normalized: bool = False, onesided: bool | None = None, length: int | None = None, return_complex: bool = False,
) -> Sym:  # fmt: skip
    """The inverse: one transposed convolution transforms, windows and adds the frames, another gives what they are
    divided by.
    """
    if return_complex:
        raise ExportError("istft with a complex result has no ONNX form", b.span)
    hop = n_fft // 4 if hop_length is None else hop_length
    single = b.rank(x.real) == 2
    real, imag = (b.unsqueeze(v, 0) if single else v for v in (x.real, x.imag))
    bins = n_fft // 2 + 1
    real, imag = (b.slice(v, 1, 0, bins) for v in (real, imag))
    angle = 2 * np.pi * (np.arange(bins)[:, None] * np.arange(n_fft)[None] % n_fft) / n_fft
    weight = np.where((np.arange(bins) == 0) | (2 * np.arange(bins) == n_fft), 1.0, 2.0)[:, None]
    scale = 1 / math.sqrt(n_fft) if normalized else 1 / n_fft
    basis = np.concatenate([np.cos(angle) * weight, -np.sin(angle) * weight]) * scale
    shape = _window(b, window, n_fft if win_length is None else win_length, n_fft, real.dtype)
    kernel = b.unsqueeze(b.op("Mul", b.constant(basis, real.dtype), shape), 1)
    signal = b.op("ConvTranspose", b.op("Concat", real, imag, axis=1), kernel, strides=[hop], kernel_shape=[n_fft])
    square = b.unsqueeze(b.op("Mul", shape, shape), 0, 1)
    frames = b.size(real, 2)
    envelope = b.op(
        "ConvTranspose", b.filled([1, 1, frames], 1, real.dtype), square, strides=[hop], kernel_shape=[n_fft]
    )
    start = n_fft // 2 if center else 0
    end: Any = None if not center else -(n_fft // 2)
    if length is not None:
        end = start + length if not isinstance(length, Sym) else b.op("Add", length, np.asarray(start))
    signal, envelope = (b.slice(v, 2, start, end) for v in (signal, envelope))
    made = b.squeeze(b.op("Div", signal, envelope), 1)
    return b.squeeze(made, 0) if single else made


no_form("fft_fftfreq", "fft_rfftfreq", reason="the number of frequencies must not depend on the inputs")
