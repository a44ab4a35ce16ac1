"""`Function`: differentiable functions with a derivative of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.runtime import tape
from linstock.runtime.dispatch import wrap
from linstock.runtime.modes import MODE, Mode, get_mode
from linstock.runtime.tape import Edge, Node
from linstock.runtime.tensor import Tensor


class FunctionCtx:
    """What `forward` and `backward` of a `Function` share."""

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self._saved: tuple[Any, ...] = ()
        self._not_differentiable: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for `backward`."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept."""
        return self._saved

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that outputs have no gradient."""
        self._not_differentiable = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that inputs were changed in place."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether gradients of unused outputs come as zeros (else as None)."""
        self._materialize = value


class _FunctionNode(Node):
    def __init__(self, cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...]) -> None:
        edges = [Edge((i, None), a) for i, a in enumerate(args) if isinstance(a, Tensor) and a.requires_grad]
        super().__init__(cls.__name__, edges)
        self.cls, self.ctx = cls, ctx

    def name(self) -> str:
        return f"{self.what}Backward"

    def gradients(self, grads: list[Any], needed: list[bool]) -> list[Any]:
        if self.ctx._materialize:
            grads = [
                wrap(np.zeros(s, d)) if g is None and promotion.is_inexact(d) else g
                for g, (s, d) in zip(grads, self.output_shapes)
            ]
        result = self.cls.backward(self.ctx, *grads)
        result = result if isinstance(result, tuple) else (result,)
        return [result[e.path[0]] if e.path[0] < len(result) else None for e in self.edges]


class Function:
    """A differentiable function with its own derivative: static methods `forward(ctx, ...)` and `backward(ctx,
    *grads)`."""

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError(
            "You must implement the backward for your custom autograd.Function to use it in backward."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function, recording it for `backward`."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        record = get_mode().grad and any(ctx.needs_input_grad)
        node = _FunctionNode(cls, ctx, args) if record else None
        mode = get_mode()
        token = MODE.set(Mode(False, mode.recorder, mode.inference))
        try:
            separate = getattr(cls, "setup_context", None)
            if separate is not None:
                result = cls.forward(*args, **kwargs)
                separate(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        finally:
            MODE.reset(token)
        if node is None:
            return result
        outputs = [r for r in (result if isinstance(result, tuple) else (result,)) if isinstance(r, Tensor)]
        renamed: dict[int, Tensor] = {}
        for index, t in enumerate(outputs):
            node.output_shapes.append((t._array.shape, t._array.dtype))
            if any(t is x for x in ctx._not_differentiable) or not promotion.is_inexact(t._array.dtype):
                continue
            if any(t is a for a in args) and not any(t is x for x in ctx._dirty):
                renamed[id(t)] = wrap(t._array)
            own = renamed.get(id(t), t)
            meta = tape.meta_of(own)
            meta.requires_grad, meta.node, meta.index = True, node, index
        if isinstance(result, tuple):
            return tuple(renamed.get(id(r), r) for r in result)
        return renamed.get(id(result), result)
