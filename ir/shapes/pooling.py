"""Type rules of pooling and resampling."""

from __future__ import annotations

from linstock.ir.shapes.arithmetic import LONG, window
from linstock.ir.shapes.registry import Call, Result, Size, Sizes, known, rule


def _spatial(name: str) -> int:
    """The number of spatial dimensions, from the operator's name ("aten::max_pool2d")."""
    return int(next(c for c in name if c.isdigit()))


def _pooled(call: Call) -> Sizes | None:
    t, n = call.tensor(0), _spatial(call.node.kind)
    if t.sizes is None or len(t.sizes) not in (n + 1, n + 2):
        return None
    kernel, padding = call.known_ints("kernel_size", n), call.known_ints("padding", n)
    stride = call.known_ints("stride", n) or kernel
    dilation = call.known_ints("dilation", n) if call.argument("dilation") is not None else [1] * n
    ceil = call.const("ceil_mode", False)
    if kernel is None or padding is None or stride is None or dilation is None or not isinstance(ceil, bool):
        return (*t.sizes[:-n], *call.fresh(n))
    places = [window(call, *row, ceil) for row in zip(t.sizes[-n:], kernel, stride, padding, dilation, strict=True)]
    return (*t.sizes[:-n], *places)


@rule(
    "aten::max_pool1d",
    "aten::max_pool2d",
    "aten::max_pool3d",
    "aten::avg_pool1d",
    "aten::avg_pool2d",
    "aten::avg_pool3d",
)
def _pool(call: Call) -> Result:
    return known(call.tensor(0).dtype, _pooled(call))


@rule("aten::max_pool1d_with_indices", "aten::max_pool2d_with_indices", "aten::max_pool3d_with_indices")
def _pool_with_indices(call: Call) -> Result:
    sizes = _pooled(call)
    return known(call.tensor(0).dtype, sizes), known(LONG, sizes)


@rule("aten::adaptive_avg_pool1d", "aten::adaptive_avg_pool2d", "aten::adaptive_avg_pool3d")
def _adaptive(call: Call) -> Result:
    return known(call.tensor(0).dtype, _resized(call))


@rule("aten::adaptive_max_pool1d", "aten::adaptive_max_pool2d", "aten::adaptive_max_pool3d")
def _adaptive_max(call: Call) -> Result:
    sizes = _resized(call)
    return known(call.tensor(0).dtype, sizes), known(LONG, sizes)


def _resized(call: Call) -> Sizes | None:
    """The last dimensions become `output_size`."""
    t, n = call.tensor(0), _spatial(call.node.kind)
    if t.sizes is None or len(t.sizes) <= n:
        return None
    wanted = call.ints("output_size", n) if call.has("output_size") else None
    sizes: list[Size] = list(call.fresh(n)) if wanted is None or len(wanted) != n else wanted
    return (*t.sizes[:-n], *sizes)


@rule(
    "aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d", "aten::upsample_linear1d",
    "aten::upsample_bilinear2d", "aten::upsample_bicubic2d", "aten::upsample_trilinear3d",
)  # fmt: skip
def _upsample(call: Call) -> Result:
    return known(call.tensor(0).dtype, _resized(call))


@rule("aten::pixel_shuffle")
def _pixel_shuffle(call: Call) -> Result:
    t, r = call.tensor(0), call.number("upscale_factor")
    if t.sizes is None or len(t.sizes) < 3 or r is None or r <= 0:
        return known(t.dtype, None if t.rank is None else call.fresh(t.rank))
    c, h, w = (n if isinstance(n, int) else None for n in t.sizes[-3:])
    return known(
        t.dtype,
        (
            *t.sizes[:-3],
            call.facts.fresh() if c is None else c // (r * r),
            call.facts.fresh() if h is None else h * r,
            call.facts.fresh() if w is None else w * r,
        ),
    )
