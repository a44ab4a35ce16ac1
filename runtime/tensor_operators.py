"""Operators that work on Tensors rather than arrays: history, gradients, the identity of the result."""

from __future__ import annotations

import enum
from typing import Any

from linstock.backends.array import text, text_tensor
from linstock.runtime import modes
from linstock.runtime.dispatch import override, wrap
from linstock.runtime.objects import ScriptObject
from linstock.runtime.tensor import Tensor


def value_text(value: Any) -> str:
    """Text of a value inside a program, where it is no number, string or container."""
    if isinstance(value, Tensor):
        return text_tensor.tensor_text(value._array, value.device.type.upper())
    if isinstance(value, enum.Enum):
        return f"Enum<{type(value).__name__}.{value.name}>"
    if isinstance(value, ScriptObject):
        return f"<{value.type.name} object at {id(value):#x}>"
    return text.default_text(value)


text.format_value = value_text


@override("aten::detach", "aten::data", "prim::data")
def detach(self: Tensor) -> Tensor:
    """A tensor over the same memory without history."""
    return wrap(self._array if not hasattr(self._array, "view") else self._array[...])


@override("aten::sort.Tensor")
def sort_tensors(values: list[Tensor], reverse: bool = False) -> None:
    """Sort a list of one-element tensors in place."""
    values.sort(key=lambda t: t.item(), reverse=reverse)


@override("aten::detach_")
def detach_(self: Tensor) -> Tensor:
    """Forget how the tensor was computed."""
    if self._meta is not None:
        if self._meta.parent is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        grad = self._meta.grad
        self._meta = None
        if grad is not None:
            self.grad = grad
    return self


@override("aten::requires_grad_")
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Switch gradients on or off."""
    return self.requires_grad_(requires_grad)


@override("prim::requires_grad")
def requires_grad(a: Tensor) -> bool:
    """Whether gradients flow to the tensor."""
    return a.requires_grad


@override("prim::grad")
def grad_of(a: Tensor) -> Tensor | None:
    """The accumulated gradient."""
    return a.grad


@override("aten::is_leaf")
def is_leaf(self: Tensor) -> bool:
    """Whether no recorded operator computed the tensor."""
    return self.is_leaf


@override("aten::output_nr")
def output_nr(self: Tensor) -> int:
    """Which output of its step the tensor is."""
    return self.output_nr  # type: ignore[no-any-return]


@override("aten::retain_grad")
def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a computed tensor."""
    self.retain_grad()


@override("aten::retains_grad")
def retains_grad(self: Tensor) -> bool:
    """Whether the gradient of the computed tensor is kept."""
    return self.retains_grad  # type: ignore[no-any-return]


@override("aten::set_data")
def set_data(self: Tensor, new_data: Tensor) -> None:
    """Give the tensor another's memory."""
    self.data = new_data


@override("aten::is_grad_enabled")
def is_grad_enabled() -> bool:
    """Whether operators are recorded for gradients."""
    return modes.is_grad_enabled()


@override("aten::set_grad_enabled")
def set_grad_enabled(val: bool) -> None:
    """Switch the recording of operators for gradients."""
    modes.set_grad_enabled(val)


@override("aten::is_inference")
def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made under inference mode."""
    return self.is_inference()


def _without_grad(name: str, target: str) -> None:
    def run(*args: Any) -> Any:
        from linstock.runtime.dispatch import operator

        with modes.no_grad():
            return operator(target)(*args)

    override(name)(run)


for _name, _target in (
    ("aten::_no_grad_fill_", "aten::fill_.Scalar"),
    ("aten::_no_grad_zero_", "aten::zero_"),
    ("aten::_no_grad_uniform_", "aten::uniform_"),
    ("aten::_no_grad_normal_", "aten::normal_"),
):
    _without_grad(_name, _target)


@override("aten::backward")
def backward(self: Tensor, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False) -> None:
    """Accumulate gradients into the leaves."""
    self.backward(gradient, retain_graph, create_graph)


@override("aten::grad")
def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None, create_graph: bool = False,
    allow_unused: bool = False,
) -> list[Any]:  # fmt: skip
    """Gradients of outputs with respect to inputs."""
    from linstock.runtime.autograd import grad as gradients

    return list(gradients(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused=allow_unused))
