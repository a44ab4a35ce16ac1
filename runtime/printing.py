"""Tensors as text, laid out as PyTorch does: precision, scientific notation, summarised middles, trailing facts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.array import promotion
from linstock.ir import dtypes
from linstock.runtime.modes import MODE, Mode

if TYPE_CHECKING:
    from linstock.runtime.tensor import Tensor


@dataclass
class PrintOptions:
    """How tensors are printed."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = PrintOptions()
_PROFILES = {
    "default": PrintOptions(), "short": PrintOptions(2, 1000, 2, 80), "full": PrintOptions(4, math.inf, 3, 80),
}  # fmt: skip


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed, as `torch.set_printoptions`. Raises KeyError for an unknown profile."""
    if profile is not None:
        chosen = _PROFILES[profile]
        _options.precision, _options.threshold = chosen.precision, chosen.threshold
        _options.edgeitems, _options.linewidth = chosen.edgeitems, chosen.linewidth
    for name, value in (
        ("precision", precision),
        ("threshold", threshold),
        ("edgeitems", edgeitems),
        ("linewidth", linewidth),
    ):
        if value is not None:
            setattr(_options, name, value)
    _options.sci_mode = sci_mode


class _Format:
    """The common format of the elements of a (summarised) real array."""

    def __init__(self, values: Any) -> None:
        self.floating = promotion.is_inexact(values.dtype)
        self.integers, self.scientific, self.width = True, False, 1
        flat = values.reshape(-1)
        if not self.floating:
            self.width = max([1, *[len(str(v)) for v in flat.tolist()]])
            return
        flat = flat.astype(np.float64) if flat.dtype.isbuiltin != 1 or flat.dtype.itemsize < 4 else flat
        finite = flat[np.isfinite(flat) & (flat != 0)]
        if finite.size == 0:
            return
        magnitude = np.abs(finite.astype(np.float64))
        largest, smallest = float(magnitude.max()), float(magnitude.min())
        self.integers = not bool((finite != np.ceil(finite)).any())
        if self.integers:
            self.scientific = largest / smallest > 1000.0 or largest > 1.0e8
        else:
            self.scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        if _options.sci_mode is not None:
            self.scientific = _options.sci_mode
        self.width = max([1, *[len(self._bare(v)) for v in finite.tolist()]])

    def _bare(self, v: Any) -> str:
        if self.scientific:
            return f"{v:.{_options.precision}e}"
        if self.integers:
            text = f"{v:.0f}"
            return text if math.isinf(v) or math.isnan(v) else text + "."
        return f"{v:.{_options.precision}f}"

    def text(self, v: Any) -> str:
        """One element, padded to the common width."""
        return (self._bare(v) if self.floating else str(v)).rjust(self.width)


def _format_of(array: Any) -> Any:
    if array.dtype.kind == "c":
        real, imag = _Format(array.real), _Format(array.imag)

        def text(v: Any) -> str:
            left, right = real.text(v.real), imag.text(v.imag).lstrip()
            return left + (right if right.startswith("-") else "+" + right) + "j"

        return text
    return _Format(array).text


def _summarised(a: Any) -> Any:
    """The edges of an array that is too long to print."""
    e = _options.edgeitems
    for d in range(a.ndim):
        if a.shape[d] > 2 * e:
            index = (slice(None),) * d
            a = np.concatenate([a[(*index, slice(None, e))], a[(*index, slice(-e, None))]], axis=d)
    return a


def _vector(a: Any, indent: int, summarise: bool, text: Any, width: int) -> str:
    per_line = max(1, math.floor((_options.linewidth - indent) / (width + 2)))
    e = _options.edgeitems
    if summarise and not _options.edgeitems:
        return "[ ...]"
    if summarise and a.shape[0] > 2 * e:
        items = [text(v) for v in a[:e].tolist()] + [" ..."] + [text(v) for v in a[-e:].tolist()]
    else:
        items = [text(v) for v in a.tolist()]
    lines = [items[i : i + per_line] for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join([", ".join(line) for line in lines]) + "]"


def _nested(a: Any, indent: int, summarise: bool, text: Any, width: int) -> str:
    if a.ndim == 0:
        return text(a.item())  # type: ignore[no-any-return]
    if a.ndim == 1:
        return _vector(a, indent, summarise, text, width)
    e = _options.edgeitems
    if summarise and a.shape[0] > 2 * e:
        parts = [_nested(a[i], indent + 1, summarise, text, width) for i in range(e)]
        parts.append("...")
        parts += [_nested(a[i], indent + 1, summarise, text, width) for i in range(a.shape[0] - e, a.shape[0])]
    else:
        parts = [_nested(a[i], indent + 1, summarise, text, width) for i in range(a.shape[0])]
    between: str = "," + "\n" * (a.ndim - 1) + " " * (indent + 1)
    return "[" + between.join(parts) + "]"


def array_text(array: Any, indent: int = 0) -> str:
    """The elements of a NumPy array as PyTorch prints a tensor's."""
    summarise = array.size > _options.threshold
    shown = _summarised(array) if summarise else array
    text: Callable[[Any], str] = _format_of(shown)
    width = max([1, *[len(text(v)) for v in shown.reshape(-1)[:1].tolist()]])
    plain = array if array.dtype.isbuiltin == 1 else array.astype(np.float32)
    return _nested(plain, indent, summarise, text, width)


def tensor_text(tensor: Tensor, contents: str | None = None) -> str:
    """What `repr` of a tensor is."""
    token = MODE.set(Mode(False))
    try:
        return _tensor_text(tensor, contents)
    finally:
        MODE.reset(token)


def _tensor_text(tensor: Tensor, contents: str | None) -> str:
    prefix = "tensor("
    facts: list[str] = []
    d = tensor.dtype
    if tensor.device.type != "cpu":
        facts.append(f"device='{tensor.device}'")
    default = dtypes.by_code(promotion.default_code())
    usual = d in (default, dtypes.int64, dtypes.bool_) or (
        d.is_complex and d is (dtypes.complex128 if default is dtypes.float64 else dtypes.complex64)
    )
    if tensor.is_quantized:
        facts.append(f"size={tuple(tensor.shape)}")
        facts.append(f"dtype={d!r}")
        facts += _quantizer_facts(tensor)
        body = array_text(tensor.dequantize().numpy(), len(prefix))
    elif tensor.layout.code != 0:
        facts = [f"size={tuple(tensor.shape)}", *([] if usual else [f"dtype={d!r}"]), f"layout={tensor.layout!r}"]
        body = array_text(tensor.to_dense().numpy(), len(prefix))
    else:
        array = tensor.detach().numpy()
        if array.size == 0:
            body = "[]"
            if array.ndim != 1:
                facts.append(f"size={tuple(array.shape)}")
            if d is not default:
                facts.append(f"dtype={d!r}")
        else:
            if not usual:
                facts.append(f"dtype={d!r}")
            body = array_text(array, len(prefix))
    if contents is not None:
        body = contents
    node = tensor.grad_fn
    if node is not None:
        facts.append(f"grad_fn=<{node.name()}>")
    elif tensor.requires_grad:
        facts.append("requires_grad=True")
    return _with_facts(prefix + body, facts, len(prefix))


def _quantizer_facts(tensor: Any) -> list[str]:
    from linstock.runtime.types import qscheme

    scheme = tensor.qscheme()
    scheme = qscheme.of(scheme) if isinstance(scheme, int) else scheme
    facts = [f"quantization_scheme={scheme!r}"]
    if "channel" in scheme.name:
        return [
            *facts, f"scale={tensor.q_per_channel_scales()}", f"zero_point={tensor.q_per_channel_zero_points()}",
            f"axis={tensor.q_per_channel_axis()}",
        ]  # fmt: skip
    return [*facts, f"scale={tensor.q_scale()}", f"zero_point={tensor.q_zero_point()}"]


def _with_facts(text: str, facts: list[str], indent: int) -> str:
    out = text
    last = len(out) - out.rfind("\n") + 1
    for fact in facts:
        if last + len(fact) + 2 > _options.linewidth:
            out += ",\n" + " " * indent + fact
            last = indent + len(fact)
        else:
            out += ", " + fact
            last += len(fact) + 2
    return out + ")"
