"""ONNX forms of the pooling family: interpolation and sampling on grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.linalg import matmul
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError


def resize(
    b: Builder,
    x: Sym,
    size: Sequence[Any] | None,
    scales: Sequence[float | None] | None,
    kind: str,
    align_corners: bool = False,
) -> Sym:
    """Interpolation of the spatial dimensions to a size, or by factors (which then also place the samples)."""
    rank = b.rank(x) - 2
    axes = list(range(2, 2 + rank))
    options: dict[str, Any] = {
        "mode": "linear",
        "coordinate_transformation_mode": "align_corners" if align_corners else "half_pixel",
    }
    if kind == "nearest":
        options = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    elif kind == "nearest_exact":
        options = {
            "mode": "nearest",
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_ceil",
        }
    elif kind.startswith("cubic"):
        options |= {"mode": "cubic", "cubic_coeff_a": -0.75 if kind == "cubic" else -0.5}
    if kind.endswith("_aa") and align_corners:
        raise ExportError("antialiased interpolation with aligned corners has no ONNX form", b.span)
    if kind.endswith("_aa"):
        options |= {"antialias": 1, "exclude_outside": 1}
    known = None if scales is None or any(s is None for s in scales) else [float(s) for s in scales if s is not None]
    if known is not None and _agree(b, x, size, known) and not align_corners:
        factors = b.constant(np.asarray([1.0, 1.0, *known], np.float32))
        made = b.op("Resize", x, None, factors, **options)
        shape = [
            *(x.shape or ())[:2],
            *[
                int(b.size(x, a) * s) if isinstance(b.size(x, a), int) else b.unknown()
                for a, s in zip(axes, known, strict=True)
            ],
        ]
        return b.shaped(made, shape)
    if size is None:
        assert known is not None
        size = [_scaled(b, b.size(x, a), s) for a, s in zip(axes, known, strict=True)]
    sizes = b.sym([*b.sizes(x)[:2], *size])
    made = b.op("Resize", x, None, None, sizes, **options)
    return b.shaped(made, [*(x.shape or ())[:2], *b.dims(size)])


def _scaled(b: Builder, size: Any, factor: float) -> Any:
    if not isinstance(size, Sym):
        return int(size * factor)
    return b.cast(b.op("Floor", b.op("Mul", b.cast(size, 7), factor)), 4)


def _agree(b: Builder, x: Sym, size: Sequence[Any] | None, scales: Sequence[float]) -> bool:
    """Whether the size is what ONNX computes from the factors."""
    if size is None:
        return True
    for i, (want, factor) in enumerate(zip(size, scales, strict=True)):
        have = b.size(x, 2 + i)
        if isinstance(want, Sym) or isinstance(have, Sym):
            continue
        if int(np.float32(have) * np.float32(factor)) != want:
            return False
    return True


_KINDS = {
    "upsample_nearest1d": ("nearest", 1), "upsample_nearest2d": ("nearest", 2), "upsample_nearest3d": ("nearest", 3),
    "_upsample_nearest_exact1d": ("nearest_exact", 1), "_upsample_nearest_exact2d": ("nearest_exact", 2),
    "_upsample_nearest_exact3d": ("nearest_exact", 3), "upsample_linear1d": ("linear", 1), "upsample_bilinear2d": ("linear", 2),
    "upsample_trilinear3d": ("linear", 3), "upsample_bicubic2d": ("cubic", 2), "_upsample_bilinear2d_aa": ("linear_aa", 2),
    "_upsample_bicubic2d_aa": ("cubic_aa", 2),
}  # fmt: skip


def _register(name: str, kind: str, rank: int) -> None:
    aligned = not kind.startswith("nearest")

    @converter(name)
    def sized(b: Builder, x: Sym, output_size: Any, *args: Any) -> Sym:
        align = args[0] if aligned else False
        scales = args[1:] if aligned else args
        return resize(b, x, output_size, scales if len(scales) == rank else None, kind, align)

    @converter(f"{name}.vec")
    def by_factors(b: Builder, x: Sym, output_size: Any, *args: Any) -> Sym:
        return resize(b, x, output_size, args[-1], kind, args[0] if aligned else False)


for _name, (_kind, _rank) in _KINDS.items():
    _register(_name, _kind, _rank)
no_form("_upsample_lanczos2d_aa", reason="ONNX has no Lanczos interpolation")


def _listed(value: Any, rank: int) -> list[Any] | None:
    return None if value is None else list(value) if isinstance(value, (list, tuple)) else [value] * rank


def _old(mode: str | None) -> Any:
    def convert(
        b: Builder,
        x: Sym,
        size: Any = None,
        scale_factor: Any = None,
        given: str = "nearest",
        align_corners: bool | None = None,
    ) -> Sym:
        kind = {"nearest": "nearest", "bicubic": "cubic"}.get(mode or given, "linear")
        rank = b.rank(x) - 2
        return resize(
            b, x, _listed(size, rank), _listed(scale_factor, rank), kind, bool(align_corners) or mode == "bilinear"
        )

    return convert


converter("__upsample.|size_list")(_old(None))
converter("__upsample_bilinear.|size_list|scale_list|size_list_scale_list")(_old("bilinear"))
converter("__upsample_nearest.|size_list")(_old("nearest"))


# -- grids -------------------------------------------------------------------------------------------------------------
@converter("grid_sampler", "grid_sampler_2d", "_grid_sampler_2d_cpu_fallback", "grid_sampler_3d")
def _grid_sampler(b: Builder, x: Sym, grid: Sym, mode: int, padding: int, align_corners: bool) -> Sym:
    if b.rank(x) == 5 and b.opset < 20:
        raise ExportError("grid_sample in three dimensions needs opset_version 20 or newer", b.span)
    names = ("linear", "nearest", "cubic") if b.opset >= 20 else ("bilinear", "nearest", "bicubic")
    borders = ("zeros", "border", "reflection")
    return b.op(
        "GridSample", x, grid, mode=names[mode], padding_mode=borders[padding], align_corners=int(align_corners)
    )


@converter("affine_grid_generator")
def _affine_grid(b: Builder, theta: Sym, size: list[Any], align_corners: bool) -> Sym:
    spatial = size[2:]
    if any(isinstance(s, Sym) for s in spatial):
        raise ExportError("affine_grid with a size that depends on the inputs", b.span)
    lines = []
    for n in spatial:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners or n <= 1 else line * (n - 1) / n)
    mesh = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*[m.reshape(-1) for m in mesh[::-1]], np.ones(mesh[0].size)], -1)
    made = matmul(b, b.constant(base, theta.dtype), b.transpose(theta, [0, 2, 1]))
    return b.reshape(made, [size[0], *spatial, len(spatial)])
