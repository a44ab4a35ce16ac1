"""Discrete Fourier transforms, and the short-time transform and its inverse."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from linstock.ir.device import Device

from . import promotion as P
from .constructors import type_name, unsupported
from .factory import check_device, dtype_of
from .linalg import promoted_product
from .memory import wrap, wrap_all
from .promotion import Array, array
from .registry import kernel

_NORMS = (None, "backward", "forward", "ortho")
_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _check_norm(norm: str | None) -> str | None:
    if norm not in _NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return norm


def _floating(a: Array, to_complex: bool = False) -> Array:
    """The input in a type that is transformed: integers as the default floating type."""
    if P.is_low(a.dtype):
        raise RuntimeError(f"Unsupported dtype {type_name(a.dtype)}")
    dtype = P.floating(a.dtype)
    if to_complex and dtype.kind != "c":
        dtype = P.COMPLEX128 if dtype.itemsize == 8 else P.COMPLEX64
    return a.astype(dtype, copy=False)


def _real(what: str, a: Array) -> Array:
    if a.dtype.kind == "c":
        raise RuntimeError(f"{what} expects a real input tensor, but got {type_name(a.dtype)}")
    return _floating(a)


def _check_size(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _one(transform: Callable[..., Any], a: Array, n: int, axis: int, norm: str | None) -> Array:
    return array(transform(a, n, axis, norm))


def _single(a: Array, n: int | None, dim: int, half_input: bool = False) -> tuple[int, int]:
    """The dimension and the length of a transform; a half spectrum's is that of its whole."""
    if a.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = wrap(dim, a.ndim)
    length = n if n is not None else 2 * (a.shape[axis] - 1) if half_input else a.shape[axis]
    _check_size(length)
    return axis, length


@kernel("aten::fft_fft")
def fft_fft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Transform along a dimension."""
    a = _floating(self, True)
    axis, length = _single(a, n, dim)
    return _one(np.fft.fft, a, length, axis, _check_norm(norm))


@kernel("aten::fft_ifft")
def fft_ifft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Inverse transform along a dimension."""
    a = _floating(self, True)
    axis, length = _single(a, n, dim)
    return _one(np.fft.ifft, a, length, axis, _check_norm(norm))


@kernel("aten::fft_rfft")
def fft_rfft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Transform of real input along a dimension: the half of the spectrum that tells it all."""
    a = _real("rfft", self)
    axis, length = _single(a, n, dim)
    return _one(np.fft.rfft, a, length, axis, _check_norm(norm))


@kernel("aten::fft_irfft")
def fft_irfft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Inverse of `fft_rfft`; the length `n` is even unless given."""
    a = _floating(self, True)
    axis, length = _single(a, n, dim, True)
    return _one(np.fft.irfft, a, length, axis, _check_norm(norm))


@kernel("aten::fft_hfft")
def fft_hfft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Transform of half a Hermitian-symmetric signal: a real spectrum."""
    a = _floating(self, True)
    axis, length = _single(a, n, dim, True)
    return _one(np.fft.irfft, np.conj(a), length, axis, _OPPOSITE[_check_norm(norm)])


@kernel("aten::fft_ihfft")
def fft_ihfft(self: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
    """Inverse of `fft_hfft`."""
    a = _real("ihfft", self)
    axis, length = _single(a, n, dim)
    return np.conj(_one(np.fft.rfft, a, length, axis, _OPPOSITE[_check_norm(norm)]))


# ---- several dimensions


def _several(
    a: Array, s: Sequence[int] | int | None, dim: Sequence[int] | int | None, half_input: bool = False
) -> tuple[tuple[int, ...], list[int]]:
    """The dimensions and lengths of a transform over several. Raises RuntimeError where they do not fit."""
    s = [s] if isinstance(s, int) else s
    dim = [dim] if isinstance(dim, int) else dim
    if dim is not None:
        try:
            axes = wrap_all(dim, a.ndim)
        except RuntimeError:
            raise RuntimeError("FFT dims must be unique") from None
        if s is not None and len(s) != len(axes):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif s is not None:
        if len(s) > a.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {a.ndim} dimensions.")
        axes = tuple(range(a.ndim - len(s), a.ndim))
    else:
        axes = tuple(range(a.ndim))
    sizes = [a.shape[d] for d in axes] if s is None else [a.shape[d] if n == -1 else n for n, d in zip(s, axes)]
    if half_input and axes and (s is None or s[-1] == -1):
        sizes[-1] = 2 * (sizes[-1] - 1)
    for n in sizes:
        _check_size(n)
    return axes, sizes


def _needs_axes(what: str, axes: tuple[int, ...]) -> None:
    if not axes:
        raise RuntimeError(f"{what} must transform at least one axis")


def _complex_over(a: Array, axes: Sequence[int], sizes: Sequence[int], norm: str | None, inverse: bool) -> Array:
    transform: Callable[..., Any] = np.fft.ifft if inverse else np.fft.fft
    for axis, n in zip(reversed(axes), reversed(sizes)):
        a = _one(transform, a, n, axis, norm)
    return a


def _fftn(a: Array, s: Any, dim: Any, norm: str | None, inverse: bool) -> Array:
    x = _floating(a, True)
    axes, sizes = _several(x, s, dim)
    out = _complex_over(x, axes, sizes, _check_norm(norm), inverse)
    return out.copy() if out is a else out


def _rfftn(what: str, a: Array, s: Any, dim: Any, norm: str | None) -> Array:
    x = _real(what, a)
    axes, sizes = _several(x, s, dim)
    _needs_axes(what, axes)
    half = _one(np.fft.rfft, x, sizes[-1], axes[-1], norm)
    return _complex_over(half, axes[:-1], sizes[:-1], norm, False)


def _irfftn(what: str, a: Array, s: Any, dim: Any, norm: str | None) -> Array:
    axes, sizes = _several(a, s, dim, True)
    _needs_axes(what, axes)
    whole = _complex_over(a, axes[:-1], sizes[:-1], norm, True)
    return _one(np.fft.irfft, whole, sizes[-1], axes[-1], norm)


@kernel("aten::fft_fftn")
def fft_fftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Transform over several dimensions (all by default)."""
    return _fftn(self, s, dim, norm, False)


@kernel("aten::fft_ifftn")
def fft_ifftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Inverse transform over several dimensions (all by default)."""
    return _fftn(self, s, dim, norm, True)


@kernel("aten::fft_rfftn")
def fft_rfftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Transform of real input over several dimensions: half the spectrum along the last."""
    return _rfftn("rfftn", self, s, dim, _check_norm(norm))


@kernel("aten::fft_irfftn")
def fft_irfftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Inverse of `fft_rfftn`; the last length is even unless given."""
    return _irfftn("irfftn", _floating(self, True), s, dim, _check_norm(norm))


@kernel("aten::fft_hfftn")
def fft_hfftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Transform over several dimensions of half a Hermitian-symmetric signal: a real spectrum."""
    return _irfftn("hfftn", np.conj(_floating(self, True)), s, dim, _OPPOSITE[_check_norm(norm)])


@kernel("aten::fft_ihfftn")
def fft_ihfftn(self: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
    """Inverse of `fft_hfftn`."""
    return np.conj(_rfftn("ihfftn", self, s, dim, _OPPOSITE[_check_norm(norm)]))


@kernel("aten::fft_fft2")
def fft_fft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Transform over two dimensions."""
    return fft_fftn(self, s, dim, norm)


@kernel("aten::fft_ifft2")
def fft_ifft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Inverse transform over two dimensions."""
    return fft_ifftn(self, s, dim, norm)


@kernel("aten::fft_rfft2")
def fft_rfft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Transform of real input over two dimensions: half the spectrum along the last."""
    return fft_rfftn(self, s, dim, norm)


@kernel("aten::fft_irfft2")
def fft_irfft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Inverse of `fft_rfft2`; the last length is even unless given."""
    return fft_irfftn(self, s, dim, norm)


@kernel("aten::fft_hfft2")
def fft_hfft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Transform over two dimensions of half a Hermitian-symmetric signal: a real spectrum."""
    return fft_hfftn(self, s, dim, norm)


@kernel("aten::fft_ihfft2")
def fft_ihfft2(self: Array, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Array:
    """Inverse of `fft_hfft2`."""
    return fft_ihfftn(self, s, dim, norm)


# ---- helpers of spectra


def _frequencies(order: Array, n: int, d: float, dtype: int | None, layout: int | None, device: Device | None) -> Array:
    check_device(device, layout)
    kind = dtype_of(dtype)
    if not P.is_inexact(kind):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(kind)}")
    if kind.kind == "c":
        unsupported("arange_cpu", kind)
    wide = P.wide_dtype(kind)
    with np.errstate(all="ignore"):
        step = np.float64(1.0) / (np.float64(n) * d)
        return array(order.astype(wide) * wide.type(step)).astype(kind, copy=False)


@kernel("aten::fft_fftfreq")
def fft_fftfreq(
    n: int, d: float = 1.0, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Frequencies of the spectrum of `n` samples that are `d` apart: first the positive, then the negative ones."""
    order = np.arange(n)
    order[(n + 1) // 2 :] -= n
    return _frequencies(order, n, d, dtype, layout, device)


@kernel("aten::fft_rfftfreq")
def fft_rfftfreq(
    n: int, d: float = 1.0, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Frequencies of the half spectrum of `n` samples that are `d` apart."""
    return _frequencies(np.arange(n // 2 + 1), n, d, dtype, layout, device)


def _shifted(a: Array, dim: Any, back: bool) -> Array:
    axes = list(range(a.ndim)) if dim is None else [wrap(d, a.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
    if a.ndim == 0:
        return a.copy()
    return array(np.roll(a, [(a.shape[d] + back) // 2 for d in axes], axes))


@kernel("aten::fft_fftshift")
def fft_fftshift(self: Array, dim: Any = None) -> Array:
    """Move the zero frequency to the middle of the given dimensions (all by default)."""
    return _shifted(self, dim, False)


@kernel("aten::fft_ifftshift")
def fft_ifftshift(self: Array, dim: Any = None) -> Array:
    """Undo `fft_fftshift`."""
    return _shifted(self, dim, True)


# ---- short-time transforms


_PAD_MODES = {"reflect": "reflect", "constant": "constant", "replicate": "edge", "circular": "wrap"}


def _window_of(what: str, window: Array | None, win_length: int, n_fft: int) -> None:
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{what}: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and window.shape != (win_length,):
        raise RuntimeError(
            f"{what}: expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
            f"{list(window.shape)}"
        )


def _centred(window: Array, n_fft: int) -> Array:
    """The window with zeros around it up to the transform's length."""
    left = (n_fft - window.size) // 2
    return np.pad(window, (left, n_fft - window.size - left)) if window.size < n_fft else window


@kernel("aten::stft.center")
def stft(
    self: Array, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Array | None = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Array:  # fmt: skip
    """Spectra of overlapping windowed frames: frequencies by frames."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    what = f"stft(input {list(self.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={length})"
    if align_to_window is not None and center:
        raise RuntimeError("stft: align_to_window should only be set when center = false")
    if return_complex is None:
        if not (P.is_complex(self.dtype) or (window is not None and P.is_complex(window.dtype))):
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return_complex = True
    if not P.is_inexact(self.dtype):
        raise RuntimeError(f"{what}: expected a tensor of floating point or complex values")
    if self.ndim not in (1, 2):
        raise RuntimeError(f"{what}: expected a 1D or 2D tensor")
    a = self if self.ndim == 2 else self[None]
    if center:
        if pad_mode not in _PAD_MODES:
            raise NotImplementedError(f"Unrecognised padding mode {pad_mode}")
        side = n_fft // 2
        if pad_mode in ("reflect", "circular") and side >= a.shape[-1] + (pad_mode == "circular"):
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({side}, {side}) at dimension 1 of input {list(a.shape)}"
            )
        a = np.pad(a, [(0, 0), (side, side)], mode=_PAD_MODES[pad_mode])  # type: ignore[call-overload]
    if not 0 < n_fft <= a.shape[-1]:
        raise RuntimeError(f"{what}: expected 0 < n_fft <= {a.shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"{what}: expected hop_length > 0, but got hop_length={hop}")
    _window_of(what, window, length, n_fft)
    if align_to_window and not center:
        frames = 1 + (a.shape[-1] - length) // hop
        left = (n_fft - length) // 2
        a = np.pad(a, [(0, 0), (left, n_fft - length)])
    else:
        frames = 1 + (a.shape[-1] - n_fft) // hop
    step = a.strides[-1]
    pieces = np.lib.stride_tricks.as_strided(a, (a.shape[0], frames, n_fft), (a.strides[0], hop * step, step))
    if window is not None:
        pieces = promoted_product(pieces, _centred(window, n_fft))
    elif length < n_fft:
        pieces = pieces * _centred(np.ones(length, a.dtype), n_fft)
    is_complex = P.is_complex(pieces.dtype)
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    norm: Literal["ortho"] | None = "ortho" if normalized else None
    pieces = _floating(pieces)
    half = not is_complex if onesided is None else onesided
    spectra = array(np.fft.rfft(pieces, norm=norm)) if half else array(np.fft.fft(pieces, norm=norm))
    out = np.swapaxes(spectra, 1, 2)
    if self.ndim == 1:
        out = out[0]
    return out if return_complex else _as_real(out)


@kernel("aten::stft")
def stft_plain(
    self: Array, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Array | None = None,
    normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Array:  # fmt: skip
    """`stft` without padding: the first frame starts with the signal."""
    return stft(
        self, n_fft, hop_length, win_length, window, False, "constant", normalized, onesided, return_complex,
        align_to_window,
    )  # fmt: skip


def _as_real(a: Array) -> Array:
    return np.ascontiguousarray(a).view(P.real_of(a.dtype)).reshape(*a.shape, 2)


def _overlap_add(pieces: Array, hop: int) -> Array:
    """Sum of frames that start `hop` apart: (batch, frames, length) to (batch, length + hop * (frames - 1))."""
    batch, frames, length = pieces.shape
    parts = -(-length // hop)
    out = np.zeros((batch, frames + parts - 1, hop), pieces.dtype)
    for k in range(parts):
        part = pieces[:, :, k * hop : (k + 1) * hop]
        out[:, k : k + frames, : part.shape[2]] += part
    return out.reshape(batch, -1)[:, : length + hop * (frames - 1)]


@kernel("aten::istft")
def istft(
    self: Array, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Array | None = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Array:  # fmt: skip
    """The signal whose short-time spectra come closest to the given ones."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    what = f"istft(input {list(self.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width})"
    if not P.is_complex(self.dtype):
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if self.size == 0:
        raise RuntimeError(f"{what}: input tensor cannot be empty.")
    if self.ndim not in (2, 3):
        raise RuntimeError(f"{what}: expected a tensor with 3 or 4 dimensions, but got {self.ndim + 1}")
    half = self.shape[-2] != n_fft if onesided is None else onesided
    bins = n_fft // 2 + 1 if half else n_fft
    if self.shape[-2] != bins:
        raise RuntimeError(
            f"{what}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft "
            f"{'/ 2 + 1 ' if half else ''}when onesided={half}, but got {self.shape[-2]}"
        )
    if not 0 < hop <= width:
        raise RuntimeError(f"{what}: expected 0 < hop_length <= win_length")
    _window_of(what, window, width, n_fft)
    real = P.real_of(self.dtype)
    if window is not None and not P.is_inexact(window.dtype):
        window = window.astype(real)
    shape = _centred(np.ones(width, real) if window is None else window, n_fft)
    spectra = np.swapaxes(self if self.ndim == 3 else self[None], 1, 2)
    frames = spectra.shape[1]
    norm: Literal["ortho"] | None = "ortho" if normalized else None
    if return_complex:
        if half:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        pieces = array(np.fft.ifft(spectra, norm=norm))
    else:
        if P.is_complex(shape.dtype):
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        pieces = array(np.fft.irfft(spectra[..., : n_fft // 2 + 1], n_fft, norm=norm))
    signal = _overlap_add(promoted_product(pieces, shape), hop)
    envelope = _overlap_add(np.broadcast_to(shape * shape, (1, frames, n_fft)), hop)
    total = n_fft + hop * (frames - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - (n_fft // 2 if center else 0)
    signal, envelope = signal[:, start:end], envelope[:, start:end]
    if envelope.size == 0:
        raise RuntimeError(f"{what}: no sample is left of the signal")
    lowest = float(np.min(np.abs(envelope)))
    if lowest < 1e-11:
        raise RuntimeError(f"{what}window overlap add min: {lowest}")
    out = array(signal / envelope)
    if end > total:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings.",
            stacklevel=2,
        )
        out = np.pad(out, [(0, 0), (0, end - total)])
    return out[0] if self.ndim == 2 else out
