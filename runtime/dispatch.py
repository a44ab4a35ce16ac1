"""From an operator's full name to a function over runtime values (Tensors, lists of them, plain Python values).

`operator("aten::add.Tensor")` gives one Python function per overload, generated from its schema: it unwraps
the Tensors, calls the array kernel and wraps the results. Only where something listens (gradients are on and an
argument has a history, or a recorder is active) does the call take the slower way through `_observed`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linstock.backends.array.derive import kernel_of
from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.schema import Argument, Schema
from linstock.runtime import tape
from linstock.runtime.modes import MODE, Mode, get_mode
from linstock.runtime.tape import Meta
from linstock.runtime.tensor import Tensor

_new = Tensor.__new__
_operators: dict[str, Callable[..., Any]] = {}
_overrides: dict[str, Callable[..., Any]] = {}

#: operators whose result is the argument itself where there is nothing to do, as in PyTorch
_MAY_RETURN_ARGUMENT = {
    "contiguous", "to", "type_as", "flatten", "ravel", "real", "conj", "positive", "resolve_conj", "resolve_neg", "cpu",
    "cuda", "as_tensor", "pin_memory", "coalesce", "dropout", "feature_dropout", "alpha_dropout",
    "feature_alpha_dropout",
    "atleast_1d", "atleast_2d", "atleast_3d", "to_dense", "sum_to_size", "lift_fresh", "dequantize",
    "_grad_sum_to_size",
    "unflatten_dense_tensors", "native_channel_shuffle", "broadcast_tensors", "autocast_to_full_precision", "resolve",
}  # fmt: skip
#: operators that give a view where they can and a copy where they must
_MAY_COPY = {
    "reshape", "reshape_as", "flatten", "ravel", "contiguous", "to", "conj", "mH", "adjoint", "matrix_H",
    "resolve_conj",
    "resolve_neg", "cpu", "cuda", "as_tensor", "pin_memory", "coalesce", "lift_fresh", "_grad_sum_to_size",
}  # fmt: skip
#: families whose arguments stay as they are, Tensors too: their lists and dicts are the program's own
_RAW_FAMILIES = ("container",)

PLAIN, TENSOR, OPTIONAL, LIST = range(4)


def tensor_kind(t: T.Type) -> int:
    """How values of a declared type hold tensors: not at all, as one, as one or None, as a list (also an optional
    one)."""
    if t == T.TENSOR:
        return TENSOR
    if isinstance(t, T.OptionalType):
        inner = tensor_kind(t.element)
        return OPTIONAL if inner == TENSOR else inner
    if isinstance(t, T.ListType) and tensor_kind(t.element) in (TENSOR, OPTIONAL):
        return LIST
    return PLAIN


def unwrap_list(values: Any) -> Any:
    """A list of arrays from a list of Tensors (None members stay)."""
    return None if values is None else [v if v is None else v._array for v in values]


def wrap(array: Any) -> Tensor:
    """A Tensor over an array."""
    t: Tensor = _new(Tensor)
    t._array = array
    t._meta = None
    return t


def wrap_any(value: Any) -> Any:
    """A result of a kernel as a runtime value: arrays become Tensors, also those in lists."""
    if type(value) in (list, tuple):
        return [wrap_any(v) for v in value]
    return value if value is None else wrap(value)


def any_meta(values: Any) -> bool:
    """Whether a tensor of a list has a history."""
    if values is not None:
        for v in values:
            if v is not None and v._meta is not None:
                return True
    return False


class Bound:
    """An overload bound to its kernel: what calls and observers need to know of it, worked out once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.name = schema.full_name
        self.kernel = kernel_of(self.name)
        raw = operators.family(self.name) in _RAW_FAMILIES
        self.kinds = [PLAIN if raw else tensor_kind(a.type) for a in schema.arguments]
        self.written = [i for i, a in enumerate(schema.arguments) if a.writes and self.kinds[i] != PLAIN]
        self.tensor_positions = [i for i, k in enumerate(self.kinds) if k != PLAIN]
        self.returns = [PLAIN if raw else tensor_kind(r.type) for r in schema.returns]
        self.is_view = self._finds_view()
        self.may_copy = self.is_view and schema.name.partition("::")[2] in _MAY_COPY
        self.raw: Callable[..., Any]
        self.call: Callable[..., Any]
        self._rule: Any = self  # not looked up yet

    def _finds_view(self) -> bool:
        """Whether the result is a new tensor over the first argument's memory."""
        s = self.schema
        if self.written or not s.arguments or self.kinds[0] != TENSOR or len(s.returns) != 1:
            return False
        own, result = s.arguments[0].alias, s.returns[0].alias
        return own is not None and result is not None and (own == result or own in result.split("|"))

    @property
    def rule(self) -> Any:
        """The derivative rule of the operator (`passes.autodiff.registry`): a function, NotDifferentiable or None."""
        if self._rule is self:
            from linstock.passes.autodiff.registry import rule_of

            self._rule = rule_of(self.schema)
        return self._rule

    # code generation ------------------------------------------------------------------------------------------------

    def compile(self) -> None:
        """Generate `raw` (unwrap, kernel, wrap) and `call` (the same, with a look at who listens)."""
        s = self.schema
        names = [f"a{i}" for i in range(len(s.arguments))]
        scope: dict[str, Any] = {
            "kernel": self.kernel, "get_mode": get_mode, "observed": _observed, "bound": self, "new": _new, "Tensor":
            Tensor,
            "Meta": Meta, "unwrap_list": unwrap_list, "wrap_any": wrap_any, "wrap": wrap, "any_meta": any_meta,
            "watched": tape.WATCHED, "bump": tape.bump, "explain": explain, "repoint": _repoint, "shares":
            tape.shares_memory,
        }  # fmt: skip
        params = list(names)
        for i, a in enumerate(s.arguments):
            if a.has_default and all(b.has_default for b in s.arguments[i:] if not b.writes or b.has_default):
                scope[f"d{i}"] = a.default
                params[i] = f"{names[i]}=d{i}"
        params = _valid(params)
        body = self._body(names)
        if s.vararg:
            params, names = [*params, "*rest"], [*names, "*rest"]
        head = f"({', '.join(params)})"
        checks = [self._listens(i) for i in self.tensor_positions]
        observe = f"return observed(bound, mode, ({', '.join(names)}{',' if names else ''}))"
        lines = [f"def raw{head}:", *["    " + x for x in body], f"def call{head}:", "    mode = get_mode()"]
        condition = " or ".join(["mode.recorder is not None", *checks])
        guarded = ["    if not mode.plain:", f"        if {condition}:", f"            {observe}"]
        tracked = self._body(names, view=True) if self.is_view else body
        lines += ["    try:", *["    " + x for x in guarded], *["        " + x for x in tracked]]
        given = f"({', '.join(names)}{',' if names else ''})"
        lines += ["    except (AttributeError, ValueError) as error:", f"        explain(bound, {given}, error)"]
        exec(compile("\n".join(lines), f"<{self.name}>", "exec"), scope)
        self.raw, self.call = scope["raw"], scope["call"]
        for made in (self.raw, self.call):
            made.__name__ = made.__qualname__ = self.name
            made.__doc__ = s.line

    def _listens(self, i: int) -> str:
        kind = self.kinds[i]
        if kind == TENSOR:
            return f"a{i}._meta is not None"
        return f"(a{i} is not None and a{i}._meta is not None)" if kind == OPTIONAL else f"any_meta(a{i})"

    def _body(self, names: list[str], view: bool = False) -> list[str]:
        s = self.schema
        given = []
        for i, name in enumerate(names):
            kind = self.kinds[i]
            if kind == TENSOR:
                given.append(f"{name}._array")
            elif kind == OPTIONAL:
                given.append(f"None if {name} is None else {name}._array")
            else:
                given.append(f"unwrap_list({name})" if kind == LIST else name)
        if s.vararg:
            given.append("*rest")
        call = f"kernel({', '.join(given)})"
        if self.written:
            return self._written_body(call)
        if not self.returns and not s.varret:
            return [call, "return None"] if not s.returns else [f"return {call}"]
        if s.varret:
            return [f"return {call}"]
        if len(self.returns) > 1:
            one, many = "(None if r[{0}] is None else wrap(r[{0}]))", "wrap_any(r[{0}])"
            wrapped = [
                one.format(i) if k in (TENSOR, OPTIONAL) else many.format(i) if k == LIST
                else f"r[{i}]" for i, k in enumerate(self.returns)
            ]  # fmt: skip
            return [f"r = {call}", f"return ({', '.join(wrapped)})"]
        kind = self.returns[0]
        if kind == PLAIN:
            return [f"return {call}"]
        if kind == LIST:
            lines = [f"r = {call}", "out = wrap_any(r)"]
            if view:
                lines += [
                    "if mode.grad:",
                    "    for i, t in enumerate(out):",
                    "        m = t._meta = Meta()",
                    f"        m.parent = a0; m.view = (bound.call, ({_tuple(names[1:])}), i)",
                ]
            return [*lines, "return out"]
        lines = [f"r = {call}"]
        if s.name.partition("::")[2] in _MAY_RETURN_ARGUMENT:
            lines += [
                f"if r is {names[i]}._array: return {names[i]}"
                for i in self.tensor_positions
                if self.kinds[i] == TENSOR
            ]
        if kind == OPTIONAL:
            lines.append("if r is None: return None")
        lines += ["out = new(Tensor)", "out._array = r"]
        if view:
            lines += [
                "if mode.grad and shares(r, a0._array):" if self.may_copy else "if mode.grad:",
                "    m = out._meta = Meta()",
                f"    m.parent = a0; m.view = (bound.call, ({_tuple(names[1:])}), None)",
                "else:",
                "    out._meta = None",
            ]
        else:
            lines.append("out._meta = None")
        return [*lines, "return out"]

    def _written_body(self, call: str) -> list[str]:
        """An operator that writes: its results are the written arguments themselves, pointed to what the kernel
        returned."""
        s = self.schema
        by_alias = {a.alias: i for i, a in enumerate(s.arguments) if a.writes and a.alias}
        lines = [f"r = {call}"]
        results = []
        many = len(s.returns) > 1
        for n, r in enumerate(s.returns):
            value = f"r[{n}]" if many else "r"
            target = by_alias.get(r.alias or "") if r.writes else None
            if target is None:
                kind = self.returns[n]
                results.append(f"wrap_any({value})" if kind != PLAIN else value)
            elif self.kinds[target] == LIST:
                lines.append(f"repoint(a{target}, {value})")
                results.append(f"a{target}")
            else:
                lines.append(f"if {value} is not a{target}._array: a{target}._array = {value}")
                results.append(f"a{target}")
        for i in self.written:
            if self.kinds[i] == LIST:
                if not s.returns:
                    lines.append(f"repoint(a{i}, r)")
            elif self.kinds[i] == OPTIONAL:
                lines.append(f"if watched and a{i} is not None: bump(a{i}._array)")
            else:
                lines.append(f"if watched: bump(a{i}._array)")
        if not results:
            return [*lines, "return None"]
        return [*lines, f"return ({', '.join(results)})" if many else f"return {results[0]}"]


def _tuple(names: list[str]) -> str:
    return "".join(n + ", " for n in names)


def _valid(params: list[str]) -> list[str]:
    """Python wants parameters without default first: those after a default get None."""
    seen = False
    out = []
    for p in params:
        if "=" in p:
            seen = True
        elif seen:
            p += "=None"
        out.append(p)
    return out


def _repoint(tensors: Any, arrays: Any) -> None:
    if type(arrays) in (list, tuple):
        for t, a in zip(tensors, arrays):
            t._array = a
    if tape.WATCHED:
        for t in tensors:
            tape.bump(t._array)


def explain(bound: Bound, args: tuple[Any, ...], error: AttributeError | ValueError) -> None:
    """Raise an error in PyTorch's words where NumPy's would not tell: which argument is no tensor, which sizes do not
    match."""
    if isinstance(error, ValueError):
        if "broadcast" in str(error):
            _explain_broadcast(bound, args)
        raise error
    for i in bound.tensor_positions:
        kind, value = bound.kinds[i], args[i] if i < len(args) else None
        members = value if kind == LIST and isinstance(value, (list, tuple)) else [value]
        for v in members:
            if not isinstance(v, Tensor) and not (v is None and (kind != TENSOR)):
                argument = bound.schema.arguments[i]
                raise TypeError(
                    f"{bound.schema.name}(): argument '{argument.name}' (position {i + 1}) must be {argument.type}, "
                    f"not {type(v).__name__}"
                ) from None
    raise error


def _explain_broadcast(bound: Bound, args: tuple[Any, ...]) -> None:
    shapes = [args[i]._array.shape for i in bound.tensor_positions if i < len(args) and isinstance(args[i], Tensor)]
    for n, a in enumerate(shapes):
        for b in shapes[n + 1 :]:
            rank = max(len(a), len(b))
            for back in range(1, min(len(a), len(b)) + 1):
                if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
                    raise RuntimeError(
                        f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at "
                        "non-singleton dimension "
                        f"{rank - back}"
                    ) from None


def _observed(bound: Bound, mode: Mode, args: tuple[Any, ...]) -> Any:
    """A call that somebody listens to: the tape (gradients are on and an argument has a history) or a recorder."""
    if len(args) < len(bound.schema.arguments):
        args = (*args, *[a.default for a in bound.schema.arguments[len(args) :]])
    if not mode.grad:
        result = bound.raw(*args)
    else:
        from linstock.runtime import autograd

        result = autograd.run(bound, args)
    if mode.recorder is not None:
        _report(mode, bound.schema, args, result)
    return result


def _report(mode: Mode, schema: Schema, args: tuple[Any, ...], result: Any) -> None:
    """Tell the recorder of a call; what the recorder itself does with tensors is not recorded."""
    assert mode.recorder is not None
    token = MODE.set(Mode(mode.grad, None, mode.inference))
    try:
        mode.recorder.record(schema, args, result)
    finally:
        MODE.reset(token)


# entry points -------------------------------------------------------------------------------------------------------


def override(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function over runtime values as an operator, in place of a kernel: what works on Tensors, not on
    arrays."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            _overrides[name] = function
        return function

    return register


def _overridden(schema: Schema, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if len(args) < len(schema.arguments):
            args = (*args, *[a.default for a in schema.arguments[len(args) :]])
        result = function(*args)
        mode = get_mode()
        if mode.recorder is not None:
            _report(mode, schema, args, result)
        return result

    call.__name__ = call.__qualname__ = schema.full_name
    call.__doc__ = schema.line
    return call


def operator(full_name: str) -> Callable[..., Any]:
    """The operator as a function over runtime values, arguments in schema order (trailing ones with defaults may be
    left out).

    Raises MissingKernelError where it has no kernel, KeyError where there is no such overload.
    """
    found = _operators.get(full_name)
    if found is None:
        schema = operators.schema(full_name)
        _load_overrides()
        if full_name in _overrides:
            found = _overridden(schema, _overrides[full_name])
        else:
            bound = Bound(schema)
            bound.compile()
            found = bound.call
        _operators[full_name] = found
    return found


_overrides_loaded = False


def _load_overrides() -> None:
    global _overrides_loaded
    if not _overrides_loaded:
        import linstock.runtime.tensor_operators  # noqa: F401

        _overrides_loaded = True  # afterwards, so that no other thread looks before they are there


def is_runnable(full_name: str) -> bool:
    """Whether `operator` would succeed: there is a kernel or an implementation over Tensors."""
    from linstock.backends.array.derive import has_kernel

    _load_overrides()
    return full_name in _overrides or has_kernel(full_name)


def defaults_of(arguments: tuple[Argument, ...]) -> tuple[Any, ...]:
    """The default values of arguments (None where there is none)."""
    return tuple(a.default for a in arguments)
