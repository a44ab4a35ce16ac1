"""Operators whose meaning changed between versions of the format: old files get the old meaning.

Each upgrader is a small program in archive code; the table says for which operator, up to which version and for which
types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from linstock.ir import types as T
from linstock.ir.graph import Value
from linstock.ir.program import Function
from linstock.ir.source import Source, Span
from linstock.tracer import matching

if TYPE_CHECKING:
    from linstock.tracer.archive import ArchiveProgram
    from linstock.tracer.expressions import ExpressionEmitter as Emitter

_CODE = """
def div_tensor(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_floating_point(self):
    result = torch.true_divide(self, other)
  else:
    if torch.is_floating_point(other):
      result = torch.true_divide(self, other)
    else:
      result = torch.divide(self, other, rounding_mode="trunc")
  return result
def div_tensor_in_place(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_floating_point(self):
    result = torch.true_divide_(self, other)
  else:
    if torch.is_floating_point(other):
      result = torch.true_divide_(self, other)
    else:
      result = torch.divide_(self, other, rounding_mode="trunc")
  return result
def div_number(self: Tensor, other: number) -> Tensor:
  if torch.is_floating_point(self):
    result = torch.true_divide(self, other)
  else:
    if isinstance(other, [float]):
      result = torch.true_divide(self, other)
    else:
      result = torch.divide(self, other, rounding_mode="trunc")
  return result
def div_number_in_place(self: Tensor, other: number) -> Tensor:
  if torch.is_floating_point(self):
    result = torch.true_divide_(self, other)
  else:
    if isinstance(other, [float]):
      result = torch.true_divide_(self, other)
    else:
      result = torch.divide_(self, other, rounding_mode="trunc")
  return result
def div_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
  if torch.is_floating_point(self):
    floating = True
  else:
    if torch.is_floating_point(other):
      floating = True
    else:
      floating = torch.is_floating_point(out)
  if floating:
    result = torch.true_divide(self, other, out=out)
  else:
    result = torch.divide(self, other, rounding_mode="trunc", out=out)
  return result
"""


@cache
def _program() -> ArchiveProgram:
    from linstock.tracer.archive import ArchiveProgram

    source = Source(_CODE, "<upgraders>")
    return ArchiveProgram(lambda path: source if path == "upgraders" else None)


def _function(name: str) -> Function:
    found = _program().function(f"upgraders.{name}")
    assert found is not None
    return found


def apply(
    e: Emitter, span: Span, program: ArchiveProgram, name: str, args: Sequence[Value], kwargs: dict[str, Value]
) -> Value | None:
    """The call with the meaning it had in the archive's version, or None where that has not changed."""
    version = program.version
    if version < 4 and name in ("aten::div", "aten::div_") and len(args) == 2:
        if isinstance(args[0].type, T.TensorType) and "rounding_mode" not in kwargs:
            return _divide(e, span, name, args, kwargs)
    if (
        version < 5
        and name == "aten::full"
        and "dtype" not in kwargs
        and len(args) == 2
        and args[1].type in (T.INT, T.BOOL)
    ):
        number = matching.emit_builtin(e, span, "aten::Float", [args[1]], {})
        return matching.emit_builtin(e, span, name, [args[0], number], kwargs)
    if version < 5 and name == "aten::full" and len(args) == 2 and args[1].type in (T.INT, T.BOOL):
        dtype = kwargs["dtype"]
        if dtype.type == T.NONE and "out" not in kwargs:
            number = matching.emit_builtin(e, span, "aten::Float", [args[1]], {})
            return matching.emit_builtin(e, span, name, [args[0], number], kwargs)
    if version < 9 and name in ("aten::linspace", "aten::logspace") and (name == "aten::logspace" or version < 8):
        given = list(args)
        if len(given) > 2 and given[2].type == T.NONE:
            given[2] = e.builder.constant(100)
        elif len(given) == 2 and "steps" not in kwargs:
            given.append(e.builder.constant(100))
        elif "steps" in kwargs and kwargs["steps"].type == T.NONE:
            kwargs = {**kwargs, "steps": e.builder.constant(100)}
        else:
            return None
        return matching.emit_builtin(e, span, name, given, kwargs)
    return None


def _divide(e: Emitter, span: Span, name: str, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    if "out" in kwargs:
        return e.call_function(span, _function("div_out"), [*args, kwargs["out"]])
    kind = "tensor" if isinstance(args[1].type, T.TensorType) else "number"
    return e.call_function(span, _function(f"div_{kind}{'_in_place' if name.endswith('_') else ''}"), args)
