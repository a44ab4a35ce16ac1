"""Fourier transforms: known spectra and identities; then PyTorch over a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of
from linstock.ir import dtypes

from .oracle import compare, sample

Array = np.ndarray[Any, Any]
NORMS = (None, "backward", "forward", "ortho")


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(f"aten::{name}")(*arguments)


def signal(*shape: int) -> Array:
    return np.random.default_rng(0).normal(size=shape)


# ---- values


def test_spectrum_of_an_impulse_is_flat() -> None:
    impulse = np.zeros(8)
    impulse[1] = 1
    np.testing.assert_allclose(call("fft_fft", impulse), np.exp(-2j * np.pi * np.arange(8) / 8), atol=1e-15)
    np.testing.assert_allclose(call("fft_rfft", impulse), np.exp(-2j * np.pi * np.arange(5) / 8), atol=1e-15)


def test_cosine_has_two_lines() -> None:
    wave = np.cos(2 * np.pi * 3 * np.arange(16) / 16)
    want = np.zeros(16)
    want[[3, 13]] = 8
    np.testing.assert_allclose(call("fft_fft", wave), want, atol=1e-13)
    # a real even signal's half is the Hermitian transform's input
    np.testing.assert_allclose(call("fft_hfft", wave[:9].astype(complex)), want, atol=1e-13)


@pytest.mark.parametrize("norm", NORMS)
def test_inverses(norm: str | None) -> None:
    x = signal(4, 6)
    z = x + 1j * signal(4, 6)[::-1]
    np.testing.assert_allclose(call("fft_ifft", call("fft_fft", z, None, 0, norm), None, 0, norm), z)
    np.testing.assert_allclose(call("fft_irfft", call("fft_rfft", x, None, 0, norm), 4, 0, norm), x)
    np.testing.assert_allclose(call("fft_hfft", call("fft_ihfft", x, None, -1, norm), 6, -1, norm), x)
    np.testing.assert_allclose(call("fft_ifftn", call("fft_fftn", z, None, None, norm), None, None, norm), z)
    np.testing.assert_allclose(
        call("fft_irfft2", call("fft_rfft2", x, None, [-2, -1], norm), [4, 6], [-2, -1], norm), x
    )
    np.testing.assert_allclose(call("fft_hfftn", call("fft_ihfftn", x, None, None, norm), [4, 6], None, norm), x)


def test_orthonormal_transform_keeps_the_energy() -> None:
    x = signal(3, 5)
    spectrum = call("fft_fftn", x, None, None, "ortho")
    np.testing.assert_allclose((np.abs(spectrum) ** 2).sum(), (x**2).sum())


def test_length_pads_and_cuts() -> None:
    x = signal(5)
    np.testing.assert_allclose(call("fft_fft", x, 8), call("fft_fft", np.append(x, [0, 0, 0])))
    np.testing.assert_allclose(call("fft_rfft", x, 3), call("fft_rfft", x[:3]))


@pytest.mark.parametrize(
    ("kind", "want"),
    [("float32", "complex64"), ("float64", "complex128"), ("int64", "complex64"), ("bool", "complex64")],
)
def test_types(kind: str, want: str) -> None:
    for name in ("fft_fft", "fft_rfft", "fft_fftn", "fft_ihfft"):
        assert call(name, np.ones(12).astype(dtypes.by_name(kind).numpy)).dtype == want


def test_frequencies_and_shifts() -> None:
    np.testing.assert_array_equal(call("fft_fftfreq", 5, 0.5, 7), np.array([0, 1, 2, -2, -1]) / 2.5)
    np.testing.assert_array_equal(call("fft_rfftfreq", 5, 0.5, 7), np.array([0, 1, 2]) / 2.5)
    x = np.arange(10).reshape(2, 5)
    assert call("fft_fftshift", np.arange(5)).tolist() == [3, 4, 0, 1, 2]
    assert (call("fft_ifftshift", call("fft_fftshift", x)) == x).all()


def test_short_time_spectra_of_a_wave() -> None:
    wave = np.cos(2 * np.pi * 2 * np.arange(64) / 16)
    spectra = call("stft", wave, 16, 4, None, None, False, None, True)
    assert spectra.shape == (9, 13)
    np.testing.assert_allclose(np.abs(spectra[2]), 8, atol=1e-12)
    np.testing.assert_allclose(np.delete(np.abs(spectra), 2, 0), 0, atol=1e-12)
    as_real = call("stft", wave, 16, 4, None, None, False, None, False)
    np.testing.assert_array_equal(as_real[..., 0] + 1j * as_real[..., 1], spectra)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("onesided", [True, False])
def test_inverse_of_the_short_time_transform(normalized: bool, onesided: bool) -> None:
    x, window = signal(2, 100), np.hanning(18)[1:-1]
    spectra = call("stft.center", x, 20, 5, 16, window, True, "reflect", normalized, onesided, True)
    back = call("istft", spectra, 20, 5, 16, window, True, normalized, onesided, 100)
    np.testing.assert_allclose(back, x, atol=1e-12)


# ---- what is refused


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("fft_fft", (signal(4), 0), r"Invalid number of data points \(0\)"),
        ("fft_fft", (signal(4), None, 1), "Dimension out of range"),
        ("fft_fft", (signal(4), None, -1, "none"), "Invalid normalization mode"),
        ("fft_fft", (np.array(1.0),), "no dimensions"),
        ("fft_fft", (signal(4).astype(np.float16),), "Unsupported dtype Half"),
        ("fft_rfft", (signal(4) + 0j,), "expects a real input"),
        ("fft_ihfftn", (signal(4) + 0j,), "expects a real input"),
        ("fft_fftn", (signal(4, 4), None, [0, -2]), "unique"),
        ("fft_fftn", (signal(4, 4), [4], [0, 1]), "same length"),
        ("fft_fftn", (signal(4), [4, 4]), "only has 1 dimensions"),
        ("fft_rfftn", (signal(4), None, []), "at least one axis"),
        ("stft", (signal(8), 16, 4, None, None, False, None, True), "n_fft"),
        ("stft", (signal(80), 16, 0, None, None, False, None, True), "hop_length"),
        ("stft", (signal(80), 16, 4, 12, signal(16), False, None, True), "window"),
        ("stft", (signal(80), 16), "return_complex"),
        ("stft", (signal(80) + 0j, 16, 4, None, None, False, True), "onesided"),
        ("istft", (signal(9, 4), 16), "complex-valued"),
        ("istft", (signal(7, 4) + 0j, 16, 4, None, None, True, False, True), "frequency dimension"),
        ("istft", (signal(9, 4) + 0j, 16, 4, None, np.zeros(16)), "overlap add"),
    ],
)
def test_refused(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=message):
        call(name, *arguments)


# ---- PyTorch


INPUTS = ("float32", "float64", "complex64", "int64", "bool", "float16")


@pytest.mark.interop
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_dimension_as_pytorch(name: str) -> None:
    for kind in INPUTS:
        x = sample(kind, (3, 4, 5))
        if x.dtype.kind in "fc":
            x = np.nan_to_num(x, posinf=1, neginf=2)
        for n in (None, 1, 3, 8, 0):
            for dim in (-1, 0, 1, 5):
                compare(f"aten::fft_{name}", x, n, dim, NORMS[dim % 4])
        compare(f"aten::fft_{name}", x.T, None, 1, "ortho")


@pytest.mark.interop
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_several_dimensions_as_pytorch(name: str) -> None:
    for kind in ("float32", "complex128", "int64"):
        x = np.nan_to_num(sample(kind, (3, 4, 5)), posinf=1, neginf=2)
        for s, dim in (
            (None, None), ([4], None), ([3, -1], None), (None, [0, 1]), ([2, 6], [2, 0]), ([2, 6], [0]), (None, [0, 0]),
            ([1, 1, 1, 1], None), (None, []), ([0], [1]), (None, [7]), ([-1, -1], [0, 1]),
        ):  # fmt: skip
            for norm in (None, "ortho", "forward"):
                compare(f"aten::fft_{name}n", x, s, dim, norm)
        compare(f"aten::fft_{name}2", x, [4, 4], [0, 2], None)


@pytest.mark.interop
@pytest.mark.filterwarnings("ignore")
def test_short_time_transforms_as_pytorch() -> None:
    for x in (signal(100), signal(2, 100).astype(np.float32), signal(100) + 1j):
        for n_fft, hop, length in ((16, None, None), (16, 4, 10), (15, 5, 15), (200, 4, 16), (16, 3, 17)):
            for window in (None, np.hanning(length or n_fft).astype(x.real.dtype), np.ones(5, x.real.dtype)):
                for mode in ("reflect", "constant", "replicate", "circular"):
                    compare("aten::stft.center", x, n_fft, hop, length, window, True, mode, False, None, True)
                compare("aten::stft", x, n_fft, hop, length, window, True, None, True)
                compare("aten::stft", x, n_fft, hop, length, window, False, False, False)
    for shape in ((9, 5), (2, 9, 7), (16, 5)):
        z = signal(*shape) + 1j * signal(*shape)[..., ::-1]
        for window in (None, np.hanning(18)[1:-1]):
            for center, length in ((True, None), (False, None), (True, 20), (True, 300)):
                compare("aten::istft", z, 16, 4, None, window, center, False, None, length)
        compare("aten::istft", z, 16, 4, None, None, True, True, None, None, True)
