"""`linstock.ops`: operators by namespace, name and overload: `ops.aten.add.Tensor(a, b)`, `ops.aten.relu(x)`."""

from __future__ import annotations

from typing import Any


class OperatorName:
    """An operator of any overload: calling it picks one by the arguments; its attributes are the overloads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = name.partition("::")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from linstock.runtime.resolve import call_qualified

        return call_qualified(self._name, args, kwargs)

    def overloads(self) -> list[str]:
        """Names of the overloads ("default" is the one without a name)."""
        from linstock.ir import operators

        return [s.overload or "default" for s in operators.schemas(self._name)]

    def __getattr__(self, overload: str) -> Any:
        from linstock.runtime.resolve import overload_function

        full = self._name if overload == "default" else f"{self._name}.{overload}"
        try:
            found = overload_function(full)
        except KeyError:
            raise AttributeError(f"the operator {self._name} has no overload {overload!r}") from None
        setattr(self, overload, found)
        return found

    def __repr__(self) -> str:
        return f"<linstock.ops operator {self._name}>"


class Namespace:
    """The operators of one namespace ("aten")."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from linstock.ir import operators

        full = f"{self._name}::{name}"
        if name.startswith("__") and name.endswith("__") and not operators.is_known(full):
            raise AttributeError(name)
        if not operators.is_known(full):
            near = ", ".join(operators.nearest(full))
            raise AttributeError(f"there is no operator {full}" + (f"; do you mean {near}?" if near else ""))
        found = OperatorName(full)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        from linstock.ir import operators

        return [n.partition("::")[2] for n in operators.names() if n.startswith(f"{self._name}::")]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = globals()[name] = Namespace(name)
    return found
