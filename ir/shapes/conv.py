"""Type rules of convolutions."""

from __future__ import annotations

from linstock.ir.shapes.arithmetic import window
from linstock.ir.shapes.registry import Call, Result, Size, known, rule


@rule(
    "aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::conv_transpose1d", "aten::conv_transpose2d",
    "aten::conv_transpose3d", "aten::_convolution", "aten::convolution", "aten::_convolution_mode",
)  # fmt: skip
def _convolution(call: Call) -> Result:
    x, weight = call.tensor("input"), call.tensor("weight")
    dtype = x.dtype if x.dtype == weight.dtype else None
    rank = weight.rank
    transposed = "transpose" in call.node.kind or call.const("transposed", False)
    if rank is None or weight.sizes is None or x.sizes is None or not isinstance(transposed, bool):
        return known(dtype, None if x.rank is None else call.fresh(x.rank))
    if len(x.sizes) not in (rank, rank - 1):
        return known(dtype, None)
    spatial = x.sizes[len(x.sizes) - rank + 2 :]
    groups = call.number("groups")
    channels: Size = weight.sizes[0]
    if transposed:
        per_group = weight.sizes[1]
        channels = per_group * groups if isinstance(per_group, int) and groups is not None else call.facts.fresh()
    places = _transposed(call, spatial, weight.sizes[2:]) if transposed else _windows(call, spatial, weight.sizes[2:])
    return known(dtype, (*x.sizes[: len(x.sizes) - rank + 1], channels, *places))


def _windows(call: Call, spatial: tuple[Size, ...], kernel: tuple[Size, ...]) -> list[Size]:
    n = len(spatial)
    stride, dilation = call.known_ints("stride", n), call.known_ints("dilation", n)
    padding = call.known_ints("padding", n)
    mode = call.const("padding", None)
    if mode == "same":
        return list(spatial)
    if mode == "valid":
        padding = [0] * n
    if stride is None or dilation is None or padding is None:
        return list(call.fresh(n))
    return [
        window(call, size, k, s, p, d) if isinstance(k, int) else call.facts.fresh()
        for size, k, s, p, d in zip(spatial, kernel, stride, padding, dilation, strict=True)
    ]


def _transposed(call: Call, spatial: tuple[Size, ...], kernel: tuple[Size, ...]) -> list[Size]:
    n = len(spatial)
    options = [call.known_ints(name, n) for name in ("stride", "padding", "output_padding", "dilation")]
    if any(o is None for o in options):
        return list(call.fresh(n))
    result: list[Size] = []
    for i, (size, k) in enumerate(zip(spatial, kernel, strict=True)):
        stride, padding, extra, dilation = (o[i] for o in options if o is not None)
        whole = isinstance(size, int) and isinstance(k, int)
        result.append(
            (int(size) - 1) * stride - 2 * padding + dilation * (int(k) - 1) + extra + 1
            if whole
            else call.facts.fresh()
        )
    return result
