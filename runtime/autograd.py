"""Reverse-mode differentiation over recorded operators: recording, the backward engine, `grad`, hooks on tensors."""

from __future__ import annotations

import heapq
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.passes.autodiff.registry import Expanded, NotDifferentiable, WithoutRule
from linstock.runtime import tape
from linstock.runtime.dispatch import LIST, Bound, operator, wrap
from linstock.runtime.modes import MODE, Mode, get_mode
from linstock.runtime.tape import Edge, Meta, Node, RemovableHandle, Version
from linstock.runtime.tensor import Tensor
from linstock.runtime.types import Size

# operators as derivative rules call them ----------------------------------------------------------------------------


class Ops:
    """`ops.mul(a, b)`: operators by name for derivative rules."""

    def __getattr__(self, name: str) -> Any:
        from linstock.runtime.resolve import function

        found = function(name)
        if found is None:
            raise AttributeError(f"no operator aten::{name}")
        setattr(self, name, found)
        return found

    def call(self, full_name: str, *args: Any) -> Any:
        """One overload, arguments in schema order."""
        return operator(full_name)(*args)

    @property
    def recording(self) -> bool:
        """Whether what a rule computes is itself differentiated later."""
        return get_mode().grad

    def vjp(self, function: Callable[..., Any], args: Any, grads: Any) -> list[Any]:
        """The gradients of `function(*args)` for the tensors among `args`, from those of its results."""
        return _vjp(function, args, grads)


OPS = Ops()


class _Overwritten(Tensor):
    """Stands for a saved tensor that was overwritten since: its shape and type can be read, computing with it
    raises."""

    __slots__ = ("_expected", "_found", "_needed_by", "_true")
    _true: Any
    _needed_by: str
    _expected: int
    _found: int

    @property
    def _array(self) -> Any:
        raise RuntimeError(
            f"one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{wrap(self._true).type()} {list(self._true.shape)}], needed by {self._needed_by}, is at version "
            f"{self._found}; "
            f"expected version {self._expected} instead. Hint: use the out-of-place form of the operator that "
            "changed it, or "
            "change a clone()."
        )

    shape = property(lambda self: Size(self._true.shape))
    dtype = property(lambda self: wrap(self._true).dtype)
    ndim = property(lambda self: self._true.ndim)

    def dim(self) -> int:
        """Number of dimensions."""
        return self._true.ndim  # type: ignore[no-any-return]


def _overwritten(array: Any, node: Node, expected: int, found: int) -> Tensor:
    made = object.__new__(_Overwritten)
    made._meta = None
    made._true, made._needed_by, made._expected, made._found = array, node.name(), expected, found
    return made


def _replaced(value: Any, stale: dict[int, Tensor]) -> Any:
    if type(value) in (list, tuple):
        return [stale.get(id(v), v) for v in value]
    return stale.get(id(value), value)


# recording ----------------------------------------------------------------------------------------------------------


class OpNode(Node):
    """A recorded operator: its arguments and results, and the rule that turns gradients of these into gradients of
    those."""

    def __init__(self, bound: Bound, args: tuple[Any, ...]) -> None:
        edges = []
        versions: list[tuple[Tensor, Version, int]] = []
        for i in bound.tensor_positions:
            value = args[i]
            for j, t in enumerate(value) if bound.kinds[i] == LIST and value is not None else ((None, value),):
                if t is None:
                    continue
                version = tape.watch(t._array)
                versions.append((t, version, version.count))
                if t._meta is not None and tape.requires_grad(t):
                    edges.append(Edge((i, j), t))
        super().__init__(bound.name, edges)
        self.shared = False
        rule = bound.rule
        self.rule: Any = rule.rule if isinstance(rule, Expanded) else rule
        self.args: Any = args
        self.versions: Any = versions
        self.outputs: Any = ()

    def keep(self, outputs: list[Any]) -> None:
        """Remember the results (as memory, so that the node does not keep the tensors that keep it)."""
        kept = []
        for t in outputs:
            version = tape.watch(t._array)
            kept.append((t._array, version, version.count))
            self.output_shapes.append((t._array.shape, t._array.dtype))
        self.outputs = kept

    def release(self) -> None:
        if not self.shared:
            self.released = True
            self.args = self.outputs = self.versions = None

    def gradients(self, grads: list[Any], needed: list[bool]) -> list[Any]:
        if self.released:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they "
                "have already "
                "been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). "
                "Specify retain_graph=True if you need to backward through the graph a second time or if you need to "
                "access "
                "saved tensors after calling backward."
            )
        if self.rule is None or isinstance(self.rule, WithoutRule):
            why = "" if self.rule is None else f" ({self.rule.reason})"
            raise RuntimeError(
                f"the derivative for {self.what} is not implemented{why}: detach() its arguments if no gradient should "
                "flow through "
                "it, or express it with other operators"
            )
        args = self.args
        stale = {id(t): _overwritten(t._array, self, n, v.count) for t, v, n in self.versions if v.count != n}
        if stale:
            args = [_replaced(a, stale) for a in args]
        outputs = []
        for index, (array, version, count) in enumerate(self.outputs):
            if version.count != count:
                outputs.append(_overwritten(array, self, count, version.count))
                continue
            t = wrap(array)
            if promotion.is_inexact(array.dtype):
                meta = t._meta = Meta()
                meta.requires_grad, meta.node, meta.index = True, self, index
            outputs.append(t)
        if len(grads) > 1:
            grads = [
                wrap(np.zeros(s, d)) if g is None and promotion.is_inexact(d) else g
                for g, (s, d) in zip(grads, self.output_shapes)
            ]
        result = self.rule(OPS, grads, args, outputs)
        if not isinstance(result, (tuple, list)):
            result = (result,)
        out = []
        for edge, wanted in zip(self.edges, needed):
            i, j = edge.path
            g = result[i] if wanted and i < len(result) else None
            if callable(g) and not isinstance(g, Tensor):
                g = g()
            if j is not None and g is not None:
                g = g[j]
                if callable(g) and not isinstance(g, Tensor):
                    g = g()
            out.append(g)
        return out


class CopySlices(Node):
    """An in-place operator on a view, seen from the base: the gradient of the written part goes through the
    operator."""

    def __init__(self, base: Tensor, view: Tensor, inner: OpNode) -> None:
        self.chain = tape.views_to(view)
        self.inner = inner
        own = Edge((0, None), base)
        self.passes_base = base._meta is not None and base._meta.requires_grad
        self.rest = [e for e in inner.edges if e.path != (0, None)]
        super().__init__("CopySlices", [*([own] if self.passes_base else []), *self.rest])
        self.order = inner.order
        inner.shared = True

    def name(self) -> str:
        return "CopySlices"

    def gradients(self, grads: list[Any], needed: list[bool]) -> list[Any]:
        whole = OPS.clone(grads[0], memory_format=0)
        part = tape.replay(self.chain, whole)
        flags = [True] * len(self.inner.edges)
        found = self.inner.gradients([OPS.clone(part)], flags)
        by_path = {e.path: (g, e) for e, g in zip(self.inner.edges, found)}
        out = []
        if self.passes_base:
            own, edge = by_path.get((0, None), (None, None))
            if own is None or edge is None:
                part.zero_()
            else:
                part.copy_(fit(own, edge.shape, edge.dtype))
            out.append(whole)
        return out + [by_path[e.path][0] for e in self.rest]


def _tensors_of(result: Any) -> list[Any]:
    """The tensors among an operator's results, in order."""
    if isinstance(result, Tensor):
        return [result]
    if type(result) in (list, tuple):
        return [t for r in result for t in _tensors_of(r)]
    return []


def _any_requires(bound: Bound, args: tuple[Any, ...]) -> bool:
    for i in bound.tensor_positions:
        value = args[i]
        if value is None:
            continue
        for t in value if bound.kinds[i] == LIST else (value,):
            if t is not None and t._meta is not None and tape.requires_grad(t):
                return True
    return False


def run(bound: Bound, args: tuple[Any, ...]) -> Any:
    """Call an operator while gradients are on: record it where a gradient may be wanted, and remember views."""
    needs = _any_requires(bound, args)
    rule = bound.rule if needs else None
    if isinstance(rule, Expanded):
        result = _run_expanded(rule, bound, args)
        if result is not NotImplemented:
            return result
    if bound.written:
        return _run_writing(bound, args) if needs else bound.raw(*args)
    if not needs or isinstance(rule, NotDifferentiable):
        result = bound.raw(*args)
        if bound.is_view and not isinstance(rule, NotDifferentiable):
            _remember_view(bound, args, result)
        return result
    node = OpNode(bound, args)
    result = bound.raw(*args)
    outputs = _tensors_of(result)
    if any(o is a for o in outputs for a in args):
        return result
    if bound.is_view:
        _remember_view(bound, args, result)
    _attach(node, outputs)
    return result


def _run_expanded(rule: Expanded, bound: Bound, args: tuple[Any, ...]) -> Any:
    """Run an operator as those that its rule names; a recorder hears of the operator only. NotImplemented where the
    rule does not want it."""
    mode = get_mode()
    token = MODE.set(Mode(True, None, mode.inference))
    try:
        result = rule.function(OPS, *args)
        if result is not NotImplemented and bound.written and bound.schema.arguments[0].writes:
            operator("aten::copy_")(args[0], result)
            return args[0]
    finally:
        MODE.reset(token)
    return result


def _attach(node: OpNode, outputs: list[Any]) -> None:
    node.keep(outputs)
    results = getattr(node.rule, "results", None)
    for index, t in enumerate(outputs):
        if promotion.is_inexact(t._array.dtype) and (results is None or index in results):
            meta = tape.meta_of(t)
            meta.requires_grad, meta.node, meta.index = True, node, index


def _remember_view(bound: Bound, args: tuple[Any, ...], result: Any) -> None:
    base = tape.root_of(args[0])._meta
    epoch = 0 if base is None else base.epoch
    many = type(result) in (list, tuple)
    for index, t in enumerate(result if many else (result,)):
        if t is args[0] or (bound.may_copy and not tape.shares_memory(t._array, args[0]._array)):
            continue
        meta = tape.meta_of(t)
        meta.parent, meta.view, meta.epoch = args[0], (bound.call, args[1:], index if many else None), epoch


def _run_writing(bound: Bound, args: tuple[Any, ...]) -> Any:
    schema = bound.schema
    if schema.out_arguments:
        raise RuntimeError(
            f"{schema.name}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the "
            "arguments requires grad."
        )
    target = args[0]
    in_place = schema.arguments[0].writes and bound.kinds[0] != LIST
    if not in_place:
        return _run_with_side_effects(bound, args)
    root = tape.root_of(target)
    if root._meta is not None and root._meta.requires_grad and root._meta.node is None:
        what = "a leaf Variable" if root is target else "a view of a leaf Variable"
        raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
    rule = bound.rule
    if isinstance(rule, NotDifferentiable) and not tape.requires_grad(target):
        return bound.raw(*args)
    before = wrap(target._array.copy() if getattr(rule, "reads_self", True) and rule is not None else target._array)
    if target._meta is not None and tape.requires_grad(target):
        meta = before._meta = Meta()
        meta.requires_grad, meta.node, meta.index = True, target._meta.node, target._meta.index
    node = OpNode(bound, (before, *args[1:]))
    if isinstance(rule, NotDifferentiable):
        node.rule = _no_gradients
    was_view = root is not target
    slices = CopySlices(root, target, node) if was_view else None
    result = bound.raw(*args)
    node.keep([target])
    if slices is None:
        meta = tape.meta_of(target)
        meta.node, meta.index, meta.requires_grad, meta.epoch = node, 0, True, meta.epoch + 1
    else:
        base = tape.meta_of(root)
        slices.output_shapes.append((root._array.shape, root._array.dtype))
        base.node, base.index, base.requires_grad, base.epoch = slices, 0, True, base.epoch + 1
        assert target._meta is not None
        tape.refresh(target, target._meta)
    return result


def _no_gradients(*_: Any) -> tuple[Any, ...]:
    return ()


def _run_with_side_effects(bound: Bound, args: tuple[Any, ...]) -> Any:
    """An operator that writes to arguments which are not its results (running statistics)."""
    node = OpNode(bound, args)
    result = bound.raw(*args)
    outputs = [t for t in _tensors_of(result) if not any(t is a for a in args)]
    if not isinstance(bound.rule, NotDifferentiable):
        _attach(node, outputs)
    return result


# the engine ---------------------------------------------------------------------------------------------------------


def fit(grad: Tensor, shape: tuple[int, ...], dtype: Any) -> Tensor:
    """A gradient in the shape and type that its tensor needs: broadcasting undone, complex made real, cast."""
    a = grad._array
    if a.dtype != dtype:
        if a.dtype.kind == "c" and dtype.kind != "c":
            grad = OPS.real(grad)
        if grad._array.dtype != dtype:
            grad = operator("aten::to.dtype")(grad, promotion.code_of(dtype))
    if grad._array.shape != shape:
        if len(shape) > len(a.shape):
            raise RuntimeError(
                f"a derivative rule returned a gradient of shape {list(a.shape)} for a tensor of {list(shape)}"
            )
        grad = OPS.sum_to_size(grad, list(shape))
    return grad


def _execute(
    roots: list[tuple[Any, Tensor]], create_graph: bool, keep_graph: bool, wanted: list[Any] | None
) -> tuple[dict[int, tuple[Tensor, Tensor]], dict[tuple[int, int], Tensor]]:
    """Send gradients down the tape. Gives the totals that reached leaves, and those of wanted computed tensors."""
    useful = None if wanted is None else _useful([t for t, _ in roots], wanted)
    leaves: dict[int, tuple[Tensor, Tensor]] = {}
    captured: dict[tuple[int, int], Tensor] = {}
    captures = {(id(t[0]), t[1]) for t in wanted or () if isinstance(t, tuple)}
    wanted_leaves = None if wanted is None else {id(t) for t in wanted if not isinstance(t, tuple)}
    pending: dict[Node, list[Tensor | None]] = {}
    queue: list[tuple[int, int, Node]] = []

    def reaches(target: Any) -> bool:
        if isinstance(target, tuple):
            node, index = target
            return useful is None or id(node) in useful or (id(node), index) in captures
        return wanted_leaves is None or id(target) in wanted_leaves

    def send(target: Any, grad: Tensor) -> None:
        if isinstance(target, tuple):
            node, index = target
            slots = pending.get(node)
            if slots is None:
                slots = pending[node] = [None] * max(len(node.output_shapes), index + 1)
                heapq.heappush(queue, (-node.order, id(node), node))
            held = slots[index]
            slots[index] = grad if held is None else OPS.add(held, grad)
        elif id(target) in leaves:
            leaves[id(target)] = target, OPS.add(leaves[id(target)][1], grad)
        else:
            leaves[id(target)] = target, grad

    token = MODE.set(Mode(create_graph))
    try:
        for target, grad in roots:
            if reaches(target):
                send(target, grad)
        while queue:
            _, _, node = heapq.heappop(queue)
            grads = pending.pop(node)
            if node.tensor_hooks or node.retained:
                _run_tensor_hooks(node, grads)
            if captures:
                for index, g in enumerate(grads):
                    if g is not None and (id(node), index) in captures:
                        captured[id(node), index] = g
            needed = [reaches(e.target) for e in node.edges]
            if not any(needed) or (useful is not None and id(node) not in useful):
                continue
            for hook in list((node.pre_hooks or {}).values()):
                changed = hook(tuple(grads))
                grads = list(changed) if changed is not None else grads
            found = node.gradients(grads, needed)
            for hook in list((node.post_hooks or {}).values()):
                changed = hook(tuple(found), tuple(grads))
                found = list(changed) if changed is not None else found
            for edge, wanted_here, g in zip(node.edges, needed, found):
                if g is not None and wanted_here:
                    send(edge.target, fit(g, edge.shape, edge.dtype))
            if not keep_graph:
                node.release()
        for key, (leaf, grad) in leaves.items():
            if leaf._meta is not None and leaf._meta.hooks:
                leaves[key] = leaf, _hooked(leaf._meta.hooks, grad)
    finally:
        MODE.reset(token)
    return leaves, captured


def _hooked(hooks: dict[int, Callable[..., Any]], grad: Tensor) -> Tensor:
    for hook in list(hooks.values()):
        changed = hook(grad)
        if changed is not None:
            grad = changed
    return grad


def _run_tensor_hooks(node: Node, grads: list[Tensor | None]) -> None:
    for index, hooks in (node.tensor_hooks or {}).items():
        g = grads[index]
        if g is not None:
            grads[index] = _hooked(hooks, g)
    for index, reference in (node.retained or {}).items():
        tensor, g = reference(), grads[index]
        if tensor is not None and g is not None:
            meta = tape.meta_of(tensor)
            meta.grad = g if meta.grad is None else OPS.add(meta.grad, g)


def _useful(roots: list[Any], wanted: list[Any]) -> set[int]:
    """The nodes through which a wanted tensor is reached."""
    leaves = {id(t) for t in wanted if not isinstance(t, tuple)}
    places = {(id(t[0]), t[1]) for t in wanted if isinstance(t, tuple)}
    seen: dict[int, Node] = {}
    stack = [t[0] for t in roots if isinstance(t, tuple)]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            stack += [e.target[0] for e in node.edges if isinstance(e.target, tuple)]
    useful: set[int] = set()
    for node in sorted(seen.values(), key=lambda n: n.order):
        for e in node.edges:
            target = e.target
            hit = (
                id(target[0]) in useful or (id(target[0]), target[1]) in places
                if isinstance(target, tuple)
                else id(target) in leaves
            )
            if hit:
                useful.add(id(node))
                break
    return useful


def _roots(outputs: Sequence[Tensor], grads: Sequence[Any], what: str) -> list[tuple[Any, Tensor]]:
    roots = []
    for i, (t, g) in enumerate(zip(outputs, grads)):
        if not t.requires_grad:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if g is None:
            if t._array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if t._array.dtype.kind == "c":
                raise RuntimeError(f"grad can be computed only for real scalar outputs but got {t.dtype}")
            g = wrap(np.ones(t._array.shape, t._array.dtype))
        elif not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        elif g._array.shape != t._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: {what}[{i}] has a shape of {g.shape} and output[{i}] has a shape of {t.shape}."
            )
        elif g.dtype.is_complex != t.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. "
                f"Mismatch in dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of "
                f"{t.dtype}."
            )
        roots.append((tape.target_of(t), g))
    return roots


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) or value is None else list(value)


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    grad_variables: Any = None, inputs: Any = None,
) -> None:  # fmt: skip
    """Add the gradients of `tensors` to the `grad` of the leaves (or of `inputs` only) that they were computed from."""
    outputs = _listed(tensors)
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = _listed(grad_tensors) if grad_tensors is not None else [None] * len(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    wanted = None if inputs is None else [tape.target_of(t) for t in _listed(inputs)]
    leaves, captured = _execute(_roots(outputs, grads, "grad_output"), create_graph, keep, wanted)
    given = {id(g._array) for g in grads if g is not None}
    found = list(leaves.values())
    leaves.clear()
    for tensor in _listed(inputs) if inputs is not None else ():
        target = tape.target_of(tensor)
        if isinstance(target, tuple) and (id(target[0]), target[1]) in captured:
            found.append((tensor, captured[id(target[0]), target[1]]))
    while found:
        leaf, g = found.pop(0)
        if leaf.requires_grad:
            _accumulate(leaf, g, create_graph, given)
            meta = leaf._meta
            if meta is not None and meta.accumulated:
                for hook in list(meta.accumulated.values()):
                    hook(leaf)


def _accumulate(leaf: Tensor, grad: Tensor, create_graph: bool, given: set[int]) -> None:
    meta = tape.meta_of(leaf)
    if meta.grad is not None:
        if create_graph:
            meta.grad = OPS.add(meta.grad, grad)
        else:
            token = MODE.set(Mode(False))
            try:
                meta.grad.add_(grad)
            finally:
                MODE.reset(token)
    elif create_graph:
        meta.grad = grad
    else:
        a = grad._array
        # memory that nobody else holds becomes the gradient; everything else is copied
        own = isinstance(a, np.ndarray) and a.base is None and id(a) not in given and sys.getrefcount(a) <= 3
        meta.grad = wrap(a if own else a.copy())


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """The gradients of (the sum of) outputs with respect to inputs; nothing is added to any `grad`.

    Raises RuntimeError for an input that the outputs do not depend on, unless `allow_unused`.
    """
    outs, ins = _listed(outputs), _listed(inputs)
    grads = _listed(grad_outputs) if grad_outputs is not None else [None] * len(outs)
    if len(grads) != len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(grads)} gradients")
    if is_grads_batched:
        raise RuntimeError("is_grads_batched is not supported: call grad once per row")
    for t in ins:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    wanted = [tape.target_of(t) for t in ins]
    leaves, captured = _execute(_roots(outs, grads, "grad_output"), create_graph, keep, wanted)
    result = []
    for t, target in zip(ins, wanted):
        if isinstance(target, tuple):
            g = captured.get((id(target[0]), target[1]))
        else:
            g = leaves[id(t)][1] if id(t) in leaves else None
        if g is None and materialize_grads:
            g = OPS.zeros_like(t)
        if g is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True "
                "if this is "
                "the desired behavior."
            )
        result.append(g)
    return tuple(result)


def _vjp(function: Callable[..., Any], args: Any, grads: Any) -> list[Any]:
    linked = get_mode().grad
    leaves: list[Tensor] = []

    def fresh(value: Any) -> Any:
        if isinstance(value, Tensor):
            if not promotion.is_inexact(value._array.dtype):
                return value
            t = (
                operator("aten::alias")(value)
                if linked and value.requires_grad
                else wrap(value._array).requires_grad_()
            )
            leaves.append(t)
            return t
        return (
            [fresh(v) for v in value]
            if type(value) in (list, tuple) and any(isinstance(v, Tensor) for v in value)
            else value
        )

    token = MODE.set(Mode(True))
    try:
        given = [fresh(a) for a in args]
        outputs = _tensors_of(function(*given))
    finally:
        MODE.reset(token)
    pairs = [(o, g) for o, g in zip(outputs, grads) if g is not None and o.requires_grad]
    found: dict[int, Any] = {}
    if pairs and leaves:
        results = grad([o for o, _ in pairs], leaves, [g for _, g in pairs], create_graph=linked, allow_unused=True)
        found = {id(t): g for t, g in zip(leaves, results)}

    def gradient(value: Any) -> Any:
        return [found.get(id(v)) for v in value] if type(value) in (list, tuple) else found.get(id(value))

    return [gradient(v) for v in given]


# hooks on tensors ---------------------------------------------------------------------------------------------------


def register_hook(tensor: Tensor, hook: Callable[..., Any]) -> RemovableHandle:
    """Call a function with a tensor's gradient when it is computed; what it returns replaces the gradient."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    target = tape.target_of(tensor)
    if isinstance(target, tuple):
        node = target[0]
        if node.tensor_hooks is None:
            node.tensor_hooks = {}
        return RemovableHandle.add(node.tensor_hooks.setdefault(target[1], {}), hook)
    meta = tape.meta_of(tensor)
    if meta.hooks is None:
        meta.hooks = {}
    return RemovableHandle.add(meta.hooks, hook)


def retain_grad(tensor: Tensor) -> None:
    """Let `backward` keep the gradient of a computed tensor."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    target = tape.target_of(tensor)
    if isinstance(target, tuple):
        if target[0].retained is None:
            target[0].retained = {}
        target[0].retained[target[1]] = weakref.ref(tensor)
        tape.meta_of(tensor).retains = True
