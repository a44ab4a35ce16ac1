"""Facts about models and operators, for the command line and for programs: what a model holds, and what is supported."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import LinstockError
from linstock.ir.program import Function


def classes_of(module: Any) -> list[T.ClassType]:
    """The classes of a module and of everything that its code uses, each once."""
    found: dict[int, T.ClassType] = {}

    def visit(t: T.Type) -> None:
        for part in T.walk(t):
            if isinstance(part, T.ClassType) and id(part) not in found:
                found[id(part)] = part
                for inner in part.attributes.values():
                    visit(inner)

    visit(module._object.type)
    return list(found.values())


def functions_of(module: Any, broken: bool = False) -> Iterator[Function]:
    """Every method of the module's classes, and every function that they call. Compiles them.

    Raises CompileError for the first that does not compile; with `broken` those are among the others.
    """
    seen: set[int] = set()
    waiting = [m for cls in classes_of(module) for m in cls.methods.values()]
    while waiting:
        function = waiting.pop(0)
        if id(function) in seen:
            continue
        seen.add(id(function))
        try:
            function.ensure()
        except LinstockError:
            if not broken:
                raise
            yield function
            continue
        yield function
        for node in function.graph.walk():
            for inner in (node.attributes.get("value"), node.attributes.get("function")):
                if isinstance(inner, Function):
                    waiting.append(inner)
            for out in node.outputs:
                if isinstance(out.type, T.ClassType):
                    waiting += out.type.methods.values()


def describe(module: Any, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """A model's name, methods, parameters, buffers, operators, size and version, as plain values."""
    kind = module._object.type
    origin = module.__dict__.get("_origin")
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for function in functions_of(module, broken=True):
        try:
            function.ensure()
        except LinstockError as problem:
            problems.append(f"'{function.name}' cannot be compiled: {problem.message}")
            continue
        counts.update(n.kind for n in function.graph.walk() if n.schema is not None)
    tensor = lambda name, t: {"name": name, "dtype": t.dtype.name, "shape": list(t.shape)}  # noqa: E731
    parameters = [tensor(n, p) for n, p in module.named_parameters()]  # type: ignore[no-untyped-call]
    return {
        "name": module.original_name,
        "class": kind.name,
        "bytes": os.path.getsize(path) if path is not None else None,
        "version": None if origin is None else origin.version,
        "methods": [_declared(name, method) for name, method in kind.methods.items()],
        "parameters": parameters,
        "buffers": [tensor(n, b) for n, b in module.named_buffers()],  # type: ignore[no-untyped-call]
        "parameter_count": sum(_product(p["shape"]) for p in parameters),
        "operators": dict(sorted(counts.items())),
        "problems": problems,
    }


def _declared(name: str, method: Function) -> str:
    try:
        return f"{name}{method.signature()}"
    except LinstockError:
        return f"{name}(?)"


def _product(shape: list[int]) -> int:
    result = 1
    for n in shape:
        result *= n
    return result


def problems_of(module: Any) -> list[dict[str, str]]:
    """What of a model is not supported: each with what it is, why, and where in the source."""
    from linstock.runtime.dispatch import is_runnable

    problems: dict[tuple[str, str], dict[str, str]] = {}

    def add(what: str, why: str, where: str) -> None:
        problems.setdefault((what, why), {"what": what, "why": why, "where": where})

    seen: set[int] = set()
    waiting = [m for cls in classes_of(module) for m in cls.methods.values()]
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        try:
            graph = function.graph
        except LinstockError as problem:
            add(function.name, problem.message, problem.span.show() if problem.span else "")
            continue
        for node in graph.walk():
            if node.schema is not None and not is_runnable(node.full_name):
                add(node.full_name, "no kernel for this operator", node.span.show() if node.span else "")
            for inner in (node.attributes.get("value"), node.attributes.get("function")):
                if isinstance(inner, Function):
                    waiting.append(inner)
    return list(problems.values())


_NO_KERNEL = {
    "aten::save": "a model may not write files",
    "aten::from_file": "a model may not read files",
    "aten::_fill_mem_eff_dropout_mask_": "it exists on CUDA only",
    "aten::_make_dual": "forward-mode gradients are not supported",
    "aten::_unpack_dual": "forward-mode gradients are not supported",
    "prim::RaiseException": "plans raise it themselves",
    "quantized::int4mm_packed_weight_cpu": "its weights are packed for one processor",
    "aten::to_padded_tensor": "nested tensors are not supported",
}


def _why_no_kernel(name: str) -> str:
    """Why an operator cannot be computed."""
    base = name.partition(".")[0]
    if base in _NO_KERNEL:
        return _NO_KERNEL[base]
    if "legacy" in name:
        return "it takes parameters packed in a form that no archive holds"
    return "sparse tensors are not supported"


def operator_rows() -> list[dict[str, str]]:
    """One row per operator overload: its family, and "yes", "derived" or why not for kernel, gradient and ONNX form."""
    from linstock.backends.onnx.registry import support as onnx_support
    from linstock.passes.autodiff.registry import support as gradient_support
    from linstock.runtime.dispatch import is_runnable

    return [
        {
            "name": name,
            "family": operators.family(name),
            "kernel": "yes" if is_runnable(name) else "no",
            "gradient": gradient_support(name),
            "onnx": onnx_support(name),
        }
        for name in operators.full_names()
    ]


def rows_as_markdown(rows: list[dict[str, str]]) -> str:
    """The operator table as a Markdown document."""
    lines = [
        "# Operators",
        "",
        "Generated by `linstock ops --markdown`. `yes`, or why not.",
        "",
        "| operator | family | kernel | gradient | ONNX |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| `{r['name']}` | {r['family']} | {r['kernel']} | {r['gradient']} | {r['onnx']} |" for r in rows]
    return "\n".join(lines)
