"""The tape: what tensors remember of how they were computed, so that gradients can be taken.

A tensor's `_meta` is None until gradients or views matter to it. A recorded operator is a `Node` whose edges lead to
the
nodes (or leaf tensors) that its arguments came from. Versions of memory that a node saved are watched, so that a later
in-place change is noticed where it matters: when a derivative rule uses the changed tensor.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.array.memory import storage

if TYPE_CHECKING:
    from linstock.runtime.tensor import Tensor

Target = Any  # (Node, output index), or a leaf Tensor
_sequence = itertools.count()


class Meta:
    """What a tensor knows about gradients and about the tensor it is a view of. Instances set only what differs."""

    requires_grad: bool = False
    node: Node | None = None
    index: int = 0
    grad: Tensor | None = None
    hooks: dict[int, Callable[..., Any]] | None = None
    retains: bool = False
    parent: Tensor | None = None
    view: tuple[Callable[..., Any], tuple[Any, ...], int | None] | None = None
    epoch: int = 0
    accumulated: dict[int, Callable[..., Any]] | None = None


# versions -----------------------------------------------------------------------------------------------------------


class Version:
    """How often a storage was written to since it is watched."""

    __slots__ = ("count", "owner")

    def __init__(self) -> None:
        self.count = 0
        self.owner: Any = None


WATCHED: dict[int, Version] = {}


def watch(array: Any) -> Version:
    """The version of an array's storage, counted from now on if it was not before."""
    root = storage(array) if isinstance(array, np.ndarray) else array
    key = id(root)
    version = WATCHED.get(key)
    if version is None:
        version = WATCHED[key] = Version()
        version.owner = weakref.ref(root, lambda _: WATCHED.pop(key, None))
    return version


def shares_memory(a: Any, b: Any) -> bool:
    """Whether two arrays lie in the same storage."""
    return (storage(a) if isinstance(a, np.ndarray) else a) is (storage(b) if isinstance(b, np.ndarray) else b)


def bump(array: Any) -> None:
    """Note that an array's storage was written to."""
    version = WATCHED.get(id(storage(array) if isinstance(array, np.ndarray) else array))
    if version is not None:
        version.count += 1


# nodes --------------------------------------------------------------------------------------------------------------


class Edge:
    """Where the gradient of one input of a node goes, and the shape and type that it must have there."""

    __slots__ = ("dtype", "path", "shape", "target")

    def __init__(self, path: tuple[int, int | None], tensor: Tensor) -> None:
        self.path = path
        self.target: Target = target_of(tensor)
        self.shape = tensor._array.shape
        self.dtype = tensor._array.dtype


class Node:
    """A step of the tape. `next_functions` and `name()` look as in PyTorch."""

    #: hooks on outputs, outputs that keep their gradient, hooks on the node: made when there is one
    tensor_hooks: dict[int, dict[int, Callable[..., Any]]] | None = None
    retained: dict[int, weakref.ref[Tensor]] | None = None
    pre_hooks: dict[int, Callable[..., Any]] | None = None
    post_hooks: dict[int, Callable[..., Any]] | None = None
    released = False

    def __init__(self, what: str, edges: list[Edge]) -> None:
        self.what = what
        self.edges = edges
        self.order = next(_sequence)
        self.output_shapes: list[tuple[Any, Any]] = []

    def gradients(self, grads: list[Any], needed: list[bool]) -> list[Any]:
        """The gradient for each edge (None for none), from those of the outputs."""
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was saved: the node cannot run again."""
        self.released = True

    def name(self) -> str:
        """A name like PyTorch's: "MulBackward0"."""
        return backward_name(self.what)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that this one passes gradients to, with their output numbers."""
        return tuple(e.target if isinstance(e.target, tuple) else (AccumulateGrad(e.target), 0) for e in self.edges)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; what it returns replaces the gradients."""
        if self.post_hooks is None:
            self.post_hooks = {}
        return RemovableHandle.add(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces the gradients."""
        if self.pre_hooks is None:
            self.pre_hooks = {}
        return RemovableHandle.add(self.pre_hooks, hook)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class AccumulateGrad:
    """Stands for a leaf tensor among `next_functions`."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        """PyTorch's name of the step that adds to a leaf's `grad`."""
        return "torch::autograd::AccumulateGrad"

    next_functions = ()


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away; it is also a context manager."""

    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.id = next(RemovableHandle._ids)
        self._hooks: Callable[[], Any] = weakref.ref(hooks) if type(hooks) is not dict else lambda: hooks
        self._extra = (
            extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict] if extra_dict is not None else []
        )

    @classmethod
    def add(cls, hooks: dict[int, Any], hook: Any) -> RemovableHandle:
        """Register a hook in a dict of hooks."""
        handle = cls(hooks)
        hooks[handle.id] = hook
        return handle

    def remove(self) -> None:
        """Take the hook away; does nothing the second time."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)
        for extra in self._extra:
            extra.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def backward_name(what: str) -> str:
    """ "aten::mul.Tensor" -> "MulBackward0"."""
    base = what.rpartition("::")[2].partition(".")[0].strip("_")
    return "".join(part[:1].upper() + part[1:] for part in base.split("_")) + "Backward0"


# what tensors say ---------------------------------------------------------------------------------------------------


def target_of(tensor: Tensor) -> Target:
    """Where a tensor's gradient goes: the node that computed it with the output's number, or the leaf itself."""
    meta = tensor._meta
    if meta is not None and meta.node is not None:
        return meta.node, meta.index
    return tensor


def root_of(tensor: Tensor) -> Tensor:
    """The tensor of which `tensor` is a view, at the end of the chain; itself where it is none."""
    while (meta := tensor._meta) is not None and meta.parent is not None:
        tensor = meta.parent
    return tensor


def meta_of(tensor: Tensor) -> Meta:
    """A tensor's `_meta`, made now if there was none."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = Meta()
    return meta


def requires_grad(tensor: Tensor) -> bool:
    """Whether gradients flow to a tensor. A view whose base was since written to learns of it here."""
    meta = tensor._meta
    if meta is None:
        return False
    if meta.parent is not None:
        refresh(tensor, meta)
    return meta.requires_grad


def refresh(tensor: Tensor, meta: Meta) -> None:
    """Give a view the history of its base, when the base's was rewritten by an in-place operator."""
    base = root_of(tensor)._meta
    if base is None or base.epoch == meta.epoch or meta.parent is None or meta.view is None:
        return
    from linstock.runtime.modes import MODE, Mode

    parent = meta.parent
    if parent._meta is not None and parent._meta.parent is not None:
        refresh(parent, parent._meta)
    call, rest, index = meta.view
    token = MODE.set(Mode(True))
    try:
        again = call(parent, *rest)
    finally:
        MODE.reset(token)
    fresh = (again if index is None else again[index])._meta
    if fresh is not None:
        meta.node, meta.index, meta.requires_grad = fresh.node, fresh.index, fresh.requires_grad
    meta.epoch = base.epoch


def views_to(tensor: Tensor) -> list[tuple[Callable[..., Any], tuple[Any, ...], int | None]]:
    """The view operators that lead from a tensor's root to it."""
    chain = []
    while (meta := tensor._meta) is not None and meta.parent is not None:
        assert meta.view is not None
        chain.append(meta.view)
        tensor = meta.parent
    return chain[::-1]


def replay(chain: list[tuple[Callable[..., Any], tuple[Any, ...], int | None]], tensor: Tensor) -> Tensor:
    """Apply a chain of view operators to another tensor."""
    for call, rest, index in chain:
        result = call(tensor, *rest)
        tensor = result if index is None else result[index]
    return tensor


def tensors_in(value: Any) -> Iterator[tuple[int | None, Any]]:
    """The tensors of an argument: itself, or the members of a list with their positions."""
    if type(value) in (list, tuple):
        yield from enumerate(value)
    else:
        yield None, value
