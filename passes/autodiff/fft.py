"""Derivatives of the fft family.

A discrete Fourier transform is a product with a matrix, whose conjugate transpose is that of the opposite transform
with the same factor. Transforms of real signals drop one half of a symmetric spectrum, and so do their derivatives.
The others follow from the one-dimensional transforms.
"""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.registry import decomposed, derivative

#: which norm of the opposite transform has the same factor
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _resized(ops: Any, t: Any, dim: int, size: int) -> Any:
    """A dimension cut, or filled up with zeros, at its end."""
    have = t.shape[dim]
    if have == size:
        return t
    if have > size:
        return ops.narrow(t, dim, 0, size)
    return ops.constant_pad_nd(t, [0, 0] * (t.dim() - 1 - dim % t.dim()) + [0, size - have], 0)


def _complex(name: str, opposite: str) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        x, _, dim, norm = args
        g = grads[0]

        def own() -> Any:
            return _resized(ops, ops.call(f"aten::{opposite}", g, None, dim, _OPPOSITE[norm]), dim, x.shape[dim])

        return (own,)

    derivative(f"aten::{name}", reads_self=False)(rule)


_complex("fft_fft", "fft_ifft")
_complex("fft_ifft", "fft_fft")


@derivative("aten::fft_rfft", reads_self=False)
def _rfft(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, n, dim, norm = args

    def own() -> Any:
        size = x.shape[dim] if n is None else n
        full = _resized(ops, grads[0], dim, size)
        back = ops.call("aten::fft_ifft", full, None, dim, _OPPOSITE[norm])
        return _resized(ops, ops.real(back), dim, x.shape[dim])

    return (own,)


@derivative("aten::fft_irfft", reads_self=False)
def _irfft(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, _, dim, norm = args
    g = grads[0]

    def own() -> Any:
        size = g.shape[dim]
        back = ops.call("aten::fft_rfft", g, None, dim, _OPPOSITE[norm])
        place = ops.arange(back.shape[dim])
        twice = ops.logical_and(place > 0, place < size - size // 2)  # those that stand for two
        weight = ops.reshape(1 + twice.to(g.dtype), [-1] + [1] * (g.dim() - 1 - dim % g.dim()))
        return _resized(ops, back * weight, dim, x.shape[dim])

    return (own,)


@decomposed("aten::fft_hfft")
def _hfft(ops: Any, x: Any, n: Any, dim: int, norm: Any) -> Any:
    return ops.call("aten::fft_irfft", ops.conj(x), n, dim, _OPPOSITE[norm])


@decomposed("aten::fft_ihfft")
def _ihfft(ops: Any, x: Any, n: Any, dim: int, norm: Any) -> Any:
    return ops.conj(ops.call("aten::fft_rfft", x, n, dim, _OPPOSITE[norm]))


# several dimensions -------------------------------------------------------------------------------------------------


def _plan(x: Any, sizes: Any, dim: Any) -> list[tuple[int, Any]]:
    """(dimension, size or None) of every transform."""
    sizes = [sizes] if isinstance(sizes, int) else sizes
    if dim is None:
        dims = list(range(x.dim()))[-len(sizes) :] if sizes else list(range(x.dim())) if sizes is None else []
    else:
        dims = [dim] if isinstance(dim, int) else list(dim)
    sizes = [None] * len(dims) if sizes is None else [None if s == -1 else s for s in sizes]
    return [(d % x.dim() if x.dim() else d, s) for d, s in zip(dims, sizes)]


def _several(name: str, last: str, others: str, last_first: bool) -> None:
    """A transform over several dimensions: the last of them by one transform, the others by another."""

    def function(ops: Any, x: Any, sizes: Any, dim: Any, norm: Any) -> Any:
        *rest, (d, n) = _plan(x, sizes, dim)
        if last_first:
            x = ops.call(f"aten::{last}", x, n, d, norm)
        for e, m in rest:
            x = ops.call(f"aten::{others}", x, m, e, norm)
        return x if last_first else ops.call(f"aten::{last}", x, n, d, norm)

    decomposed(f"aten::{name}n", f"aten::{name}2")(function)


_several("fft_fft", "fft_fft", "fft_fft", True)
_several("fft_ifft", "fft_ifft", "fft_ifft", True)
_several("fft_rfft", "fft_rfft", "fft_fft", True)
_several("fft_irfft", "fft_irfft", "fft_ifft", False)
_several("fft_hfft", "fft_hfft", "fft_fft", False)
_several("fft_ihfft", "fft_ihfft", "fft_ifft", True)


def _shift_dims(x: Any, dim: Any) -> list[int]:
    return list(range(len(x.shape))) if dim is None else [dim] if isinstance(dim, int) else list(dim)


@derivative("aten::fft_fftshift", reads_self=False)
def _fftshift(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.fft_ifftshift(grads[0], _shift_dims(*args)),)


@derivative("aten::fft_ifftshift", reads_self=False)
def _ifftshift(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.fft_fftshift(grads[0], _shift_dims(*args)),)


# short-time transforms ----------------------------------------------------------------------------------------------


def _window(ops: Any, x: Any, window: Any, length: int, size: int) -> Any:
    """The window in the middle of a frame."""
    if window is None:
        kind = x.real.dtype if x.dtype.is_complex else x.dtype
        window = ops.ones([length], dtype=kind)
    left = (size - length) // 2
    return ops.constant_pad_nd(window, [left, size - length - left], 0) if length != size else window


@decomposed("aten::stft.center")
def _stft(
    ops: Any, x: Any, size: int, hop: Any, length: Any, window: Any, center: bool, mode: str, normalized: bool,
    onesided: Any, as_complex: Any, aligned: Any = None,
) -> Any:  # fmt: skip
    hop = size // 4 if hop is None else hop
    length = size if length is None else length
    alone = x.dim() == 1
    x = x.unsqueeze(0) if alone else x
    if center:
        half = size // 2
        x = ops.pad(x.unsqueeze(1), [half, half], mode).squeeze(1)
    complex_given = x.dtype.is_complex or (window is not None and window.dtype.is_complex)
    onesided = not complex_given if onesided is None else onesided
    frames = x.unfold(-1, size, hop) * _window(ops, x, window, length, size)
    transform = "aten::fft_rfft" if onesided else "aten::fft_fft"
    y = ops.call(transform, frames, None, -1, "ortho" if normalized else None).transpose(1, 2)
    y = y.squeeze(0) if alone else y
    return y if as_complex or (as_complex is None and complex_given) else ops.view_as_real(y)


@decomposed("aten::stft")
def _plain_stft(
    ops: Any, x: Any, size: int, hop: Any, length: Any, window: Any, normalized: bool, onesided: Any, as_complex: Any,
    aligned: Any = None,
) -> Any:  # fmt: skip
    return _stft(ops, x, size, hop, length, window, False, "reflect", normalized, onesided, as_complex, aligned)


@decomposed("aten::istft")
def _istft(
    ops: Any, x: Any, size: int, hop: Any, length: Any, window: Any, center: bool, normalized: bool, onesided: Any,
    wanted: Any, as_complex: bool,
) -> Any:  # fmt: skip
    hop = size // 4 if hop is None else hop
    length = size if length is None else length
    alone = x.dim() == 2
    x = x.unsqueeze(0) if alone else x
    if onesided is None:
        onesided = x.shape[1] != size
    norm = "ortho" if normalized else None
    x = x.transpose(1, 2)
    if as_complex:
        frames = ops.call("aten::fft_ifft", x, None, -1, norm)
    else:
        frames = ops.call("aten::fft_irfft", x if onesided else x[..., : size // 2 + 1], size, -1, norm)
    shape = _window(ops, x, window, length, size)
    count = frames.shape[1]
    total = size + hop * (count - 1)
    place = ops.reshape(ops.reshape(ops.arange(count) * hop, [-1, 1]) + ops.arange(size), [-1])

    def added(t: Any) -> Any:
        lined = ops.flatten(t, 1, 2)
        return ops.index_add(ops.new_zeros(lined, [lined.shape[0], total]), 1, place, lined)

    signal = added(frames * shape)
    weight = added(ops.expand(shape * shape, [1, count, size]))
    start = size // 2 if center else 0
    end = start + wanted if wanted is not None else total - size // 2 if center else total
    stop = min(end, total)
    y = signal[:, start:stop] / weight[:, start:stop]
    y = ops.constant_pad_nd(y, [0, end - stop], 0) if end > stop else y
    return y.squeeze(0) if alone else y
