"""Operators around a program: type queries, devices, warnings, printing, enums, and the plumbing of optional values."""

from __future__ import annotations

import time
import warnings
from typing import Any

from linstock.ir import dtypes
from linstock.ir.device import Device

from . import promotion as P
from .promotion import Array
from .registry import kernel
from .text import to_text


def _constant(name: str, value: Any) -> None:
    def run(*_: Any) -> Any:
        return value

    kernel(name)(run)


_constant("aten::_get_cpu_capability", "DEFAULT")
_constant("aten::_get_tracing_state", False)
_constant("aten::_nnpack_available", False)
_constant("aten::has_torch_function", False)
_constant("aten::is_autocast_enabled", False)
_constant("aten::is_autocast_cpu_enabled", False)
_constant("aten::is_scripting", True)
_constant("aten::is_vulkan_available", False)
_constant("prim::AddStatValue", None)
_constant("prim::Uninitialized", None)


# --- types ------------------------------------------------------------------------------------------------------------


@kernel("aten::promote_types")
def promote_types(type1: int, type2: int) -> int:
    """ScalarType code that two codes promote to."""
    return dtypes.promote_codes(type1, type2)


@kernel("aten::result_type.Tensor", "aten::result_type.Scalar", "aten::result_type.Scalar_Tensor")
@kernel("aten::result_type.Scalar_Scalar")
def result_type(a: Array | Any, b: Array | Any) -> int:
    """ScalarType code of an operation over two tensors or numbers."""
    return P.code_of(P.result_type(a, b))


@kernel("aten::can_cast")
def can_cast(from_: int, to: int) -> bool:
    """Whether a cast keeps the category: not complex to real, floating to integer, or anything to bool."""
    source, target = dtypes.by_code(from_), dtypes.by_code(to)
    if source.is_complex and not target.is_complex:
        return False
    if source.is_floating_point and not (target.is_floating_point or target.is_complex):
        return False
    return source is dtypes.bool_ or target is not dtypes.bool_


@kernel("aten::get_autocast_dtype")
def get_autocast_dtype(device_type: str) -> int:
    """ScalarType code that autocasting would use on a kind of device: bfloat16 on the CPU, else float16."""
    return 15 if device_type == "cpu" else 5


@kernel("aten::_size_if_not_equal")
def size_if_not_equal(self_size: list[int], other_size: list[int]) -> list[int] | None:
    """The first sizes where they differ from the second, else None."""
    return None if self_size == other_size else list(self_size)


@kernel("aten::device")
def device(a: str) -> Device:
    """The device that a string names."""
    return Device(a)


@kernel("aten::device.with_index")
def device_with_index(type: str, index: int) -> Device:
    """A device by kind and number."""
    return Device(type, index)


# --- values -----------------------------------------------------------------------------------------------------------


@kernel("aten::_unwrap_optional", "prim::unchecked_unwrap_optional")
def unwrap_optional(optional: Any) -> Any:
    """The value. Raises RuntimeError for None."""
    if optional is None:
        raise RuntimeError("Unwrapping null optional")
    return optional


@kernel("prim::unchecked_cast")
def unchecked_cast(x: Any) -> Any:
    """The value itself."""
    return x


@kernel("prim::IfThenElse")
def if_then_else(cond: bool, x: Any, y: Any) -> Any:
    """One of two values."""
    return x if cond else y


@kernel("prim::EnumName")
def enum_name(enum: Any) -> str:
    """The name of a member."""
    return str(enum.name)


@kernel("prim::EnumValue.int", "prim::EnumValue.float", "prim::EnumValue.str")
def enum_value(enum: Any) -> Any:
    """The value of a member."""
    return enum.value


@kernel("prim::id")
def id_(x: Any) -> int:
    """A number that is the same for the same object, 0 for None."""
    return 0 if x is None else id(x)


@kernel("aten::wait")
def wait(self: Any) -> Any:
    """The value of a future, once it is there."""
    return self.wait()


@kernel("prim::TimePoint")
def time_point() -> int:
    """A clock's reading in nanoseconds."""
    return time.perf_counter_ns()


# --- effects ----------------------------------------------------------------------------------------------------------


@kernel("aten::warn")
def warn(message: str, stacklevel: int = 2) -> None:
    """Issue a UserWarning."""
    warnings.warn(to_text(message), UserWarning, stacklevel=max(stacklevel, 1) + 1)


@kernel("prim::Print")
def print_(*values: Any) -> None:
    """Write the values to standard output, blanks between them and a line feed after."""
    print(" ".join(map(to_text, values)))
