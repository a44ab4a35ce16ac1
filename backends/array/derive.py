"""Kernels that follow from others: in-place and `out=` variants, copies of views, second names of one operator.

`kernel_of(full_name)` is how every engine gets an operator's kernel. A derived in-place kernel computes the functional
result, checks that it may be cast, and copies it into the argument's memory. A derived `out=` kernel does the same with
the `out` arguments and returns new arrays for those that had to be resized.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import MissingKernelError
from linstock.ir.schema import Argument, Schema

from . import promotion as P
from . import quantized_forms
from .casting import convert
from .constructors import _TYPE_NAMES
from .registry import Kernel, registered

Array = np.ndarray[Any, Any]

#: second names, tried when an operator has no kernel of its own
SECOND_NAMES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "clip": "clamp", "concat": "cat", "concatenate": "cat", "divide": "div",
    "fix": "trunc", "ger": "outer", "greater": "gt", "greater_equal": "ge", "inverse": "linalg_inv",
    "det": "linalg_det",
    "less": "lt", "less_equal": "le", "moveaxis": "movedim", "multiply": "mul", "negative": "neg", "not_equal": "ne",
    "row_stack": "vstack", "subtract": "sub", "swapaxes": "transpose", "swapdims": "transpose", "true_divide": "div",
    "matrix_power": "linalg_matrix_power", "orgqr": "linalg_householder_product", "slogdet": "linalg_slogdet",
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift",
    "__rshift__": "bitwise_right_shift", "__iand__": "bitwise_and_", "__ior__": "bitwise_or_",
    "__ixor__": "bitwise_xor_",
    "__ilshift__": "bitwise_left_shift_", "__irshift__": "bitwise_right_shift_", "conj_physical_": "conj_",
    "batch_norm_elemt": "batch_norm", "index_put_impl_": "index_put_", "_unsafe_index": "index",
}  # fmt: skip
_FACTORY_ARGUMENTS = ("dtype", "layout", "device", "pin_memory", "memory_format")
_found: dict[str, Kernel | None] = {}
_deriving: set[str] = set()
_lock = threading.RLock()


def kernel_of(full_name: str) -> Kernel:
    """The kernel of an operator, written or derived. Raises MissingKernelError, or UnknownOperatorError-like
    KeyError."""
    kernel = find(full_name)
    if kernel is None:
        name = full_name.partition(".")[0]
        near = [n for n in operators.nearest(name, 4) if n != name and _has_any(n)][:3]
        hint = f" Kernels exist for: {', '.join(near)}." if near else ""
        raise MissingKernelError(
            f"{full_name} has no kernel here: `linstock ops` lists the operators that run.{hint} Rewrite this call "
            "with other "
            f"operators, or add a kernel with @kernel({full_name!r}) in backends/array/{operators.family(full_name)}.py"
        )
    return kernel


def has_kernel(full_name: str) -> bool:
    """Whether an operator can be computed, with a written or a derived kernel."""
    return find(full_name) is not None


def _has_any(name: str) -> bool:
    return any(find(s.full_name) is not None for s in operators.schemas(name))


def find(full_name: str) -> Kernel | None:
    """The kernel of an operator, written or derived, or None. Raises KeyError for an unknown operator."""
    try:
        return _found[full_name]
    except KeyError:
        pass
    with _lock:
        if full_name in _found or full_name in _deriving:  # in the latter case a circle of second names
            return _found.get(full_name)
        _deriving.add(full_name)
        try:
            kernel = registered(full_name, operators.family(full_name)) or _derive(operators.schema(full_name))
        finally:
            _deriving.discard(full_name)
        if kernel is not None:
            kernel = quantized_forms.choose(full_name, kernel)
        _found[full_name] = kernel
        return kernel


def _derive(schema: Schema) -> Kernel | None:
    namespace, _, name = schema.name.partition("::")
    if schema.out_arguments:
        made = _out_variant(schema)
        if made is not None:
            return made
    if name.endswith("_") and not name.endswith("__") and schema.arguments and schema.arguments[0].writes:
        made = _in_place_variant(schema, f"{namespace}::{name[:-1]}")
        if made is not None:
            return made
    if name.startswith("__i") and schema.arguments and schema.arguments[0].writes:
        made = _in_place_variant(schema, f"{namespace}::__{name[3:]}")
        if made is not None:
            return made
    if name.endswith("_copy") and operators.is_known(f"{namespace}::{name[:-5]}"):
        made = _same_arguments(schema, f"{namespace}::{name[:-5]}", schema.arguments)
        if made is not None:
            return _copied(made)
    second = SECOND_NAMES.get(name)
    return _same_arguments(schema, f"{namespace}::{second}", schema.arguments) if second else None


def _alike(a: Argument, b: Argument) -> bool:
    return a.type == b.type and a.kind == b.kind


def _candidates(name: str, arguments: tuple[Argument, ...]) -> Iterator[tuple[Schema, Kernel]]:
    """Overloads of an operator that have a kernel and take these arguments."""
    for other in operators.schemas(name):
        if len(other.arguments) == len(arguments) and all(map(_alike, other.arguments, arguments)):
            kernel = find(other.full_name)
            if kernel is not None:
                yield other, kernel


def _same_arguments(schema: Schema, name: str, arguments: tuple[Argument, ...]) -> Kernel | None:
    found = list(_candidates(name, arguments))
    exact = [k for s, k in found if s.overload == schema.overload]
    return next(iter(exact or [k for _, k in found]), None)


def _copied(view: Kernel) -> Kernel:
    def run(*args: Any) -> Any:
        result = view(*args)
        return [r.copy() for r in result] if isinstance(result, (list, tuple)) else result.copy()

    return run


# in place -----------------------------------------------------------------------------------------------------------


def can_cast(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether a result of one type may be stored in another: not complex as real, floating as integer, number as
    bool."""
    if source == target or source.kind == "b":
        return True
    if target.kind == "b" or (source.kind == "c" and target.kind != "c"):
        return False
    return not (P.is_inexact(source) and target.kind in "iu")


def check_cast(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Raise RuntimeError, as PyTorch does, where a result cannot be stored in the type of its destination."""
    if not can_cast(source, target):
        raise RuntimeError(
            f"result type {_TYPE_NAMES[P.code_of(source)]} can't be cast to the desired output type "
            f"{_TYPE_NAMES[P.code_of(target)]}"
        )


def _store(target: Any, result: Any) -> None:
    if isinstance(result, np.ndarray) and isinstance(target, np.ndarray):
        target[...] = result if result.dtype == target.dtype else convert(result, target.dtype)
    elif hasattr(target, "assign"):
        target.assign(result)
    else:
        target[...] = result


def _in_place_variant(schema: Schema, name: str) -> Kernel | None:
    functional = _same_arguments(schema, name, schema.arguments)
    if functional is None:
        return None
    what = schema.name.partition("::")[2]

    def run(self: Any, *rest: Any) -> Any:
        result = functional(self, *rest)
        if type(result) is tuple:
            result = result[0]
        if result is self:
            return self
        same = result.dtype is self.dtype or result.dtype == self.dtype
        if not same:
            check_cast(result.dtype, self.dtype)
        if result.shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}: "
                f"{what} cannot change its argument's shape"
            )
        if 0 in self.strides:
            _refuse_overlap(self)
        if same and type(self) is np.ndarray:
            self[...] = result
        else:
            _store(self, result)
        return self

    return run


def _refuse_overlap(a: Any) -> None:
    if any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


# out= ---------------------------------------------------------------------------------------------------------------


def _out_variant(schema: Schema) -> Kernel | None:
    outs = schema.out_arguments
    inputs = tuple(a for a in schema.arguments if a not in outs)
    where = [i for i, a in enumerate(schema.arguments) if a in outs]
    passed = [i for i, a in enumerate(schema.arguments) if a not in outs]
    functional, extra = _functional_of(schema, inputs)
    if functional is None:
        return None
    lists = [isinstance(a.type, T.ListType) for a in outs]

    def run(*args: Any) -> Any:
        targets = [args[i] for i in where]
        given = [args[i] for i in passed]
        if extra is not None:
            given = extra(given, targets[0])
        result = functional(*given)
        if lists[0]:
            stored = [_into(t, r) for t, r in zip(targets[0], result)]
            return stored
        if len(targets) == 1:
            return _into(targets[0], result[0] if isinstance(result, tuple) else result)
        return tuple([_into(t, r) for t, r in zip(targets, result)])

    return run


def _into(target: Any, result: Any) -> Any:
    """Store a result in an `out` array: the array itself, or a new one where its shape had to change."""
    if result is target:
        return target
    check_cast(result.dtype, target.dtype)
    if result.shape != target.shape:
        return result.astype(target.dtype) if result.dtype == target.dtype else convert(result, target.dtype)
    _refuse_overlap(target)
    _store(target, result)
    return target


Adapter = Callable[[list[Any], Any], list[Any]]


def _functional_of(schema: Schema, inputs: tuple[Argument, ...]) -> tuple[Kernel | None, Adapter | None]:
    """The kernel that computes what an `out=` overload stores, and how its arguments follow from the overload's."""
    for _, kernel in _candidates(schema.name, inputs):
        return kernel, None
    for other in operators.schemas(schema.name):  # factories: the element type is that of `out`
        if other.out_arguments or len(other.arguments) <= len(inputs):
            continue
        plan: list[tuple[str, int]] = []
        used = 0
        for a in other.arguments:
            if used < len(inputs) and inputs[used].name == a.name and _alike(inputs[used], a):
                plan.append(("given", used))
                used += 1
            elif a.name in _FACTORY_ARGUMENTS:
                plan.append((a.name, 0))
            else:
                break
        found = find(other.full_name) if used == len(inputs) and len(plan) == len(other.arguments) else None
        if found is not None:

            def adapt(given: list[Any], out: Any, plan: list[tuple[str, int]] = plan) -> list[Any]:
                code = P.code_of(out.dtype)
                return [given[i] if k == "given" else code if k == "dtype" else None for k, i in plan]

            return found, adapt
    return None, None
