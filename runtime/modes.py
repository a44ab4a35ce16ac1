"""What is switched on while code runs: gradient recording and graph recording. The only state is one context
variable."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, Protocol, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Recorder(Protocol):
    """What tracing gives to the dispatcher to hear of every operator call and of every value that leaves the
    tensors."""

    def record(self, schema: Any, arguments: tuple[Any, ...], outputs: Any) -> None:
        """An operator ran: its schema, its arguments in schema order, its result (a Tensor, tuple, list or plain
        value)."""

    def shape(self, tensor: Any, sizes: tuple[int, ...]) -> Any:
        """The program reads a tensor's shape: what it gets to see (`sizes`, or stand-ins that remember where they
        came from)."""

    def module(self, module: Any, run: Any) -> Any:
        """A module is called: gives `run()`. May be left out."""

    def concrete(self, kind: str, tensor: Any, value: Any) -> Any:
        """A tensor became a Python value ("item", "bool", "int", "float", "index", "len", "iter", "numpy",
        "tolist")."""


class Mode:
    """An immutable combination of switches. `plain` is that neither gradients nor operators are recorded."""

    __slots__ = ("grad", "inference", "plain", "recorder")

    def __init__(self, grad: bool = True, recorder: Recorder | None = None, inference: bool = False) -> None:
        self.grad, self.recorder, self.inference = grad, recorder, inference
        self.plain = not grad and recorder is None


_DEFAULT = Mode()
MODE: ContextVar[Mode] = ContextVar("linstock_mode", default=_DEFAULT)
get_mode = MODE.get


def is_grad_enabled() -> bool:
    """Whether operators on tensors that require gradients are recorded for `backward`."""
    return get_mode().grad


def is_inference_mode_enabled() -> bool:
    """Whether an `inference_mode` is active."""
    return get_mode().inference


class _Switch:
    """A context manager that is also a decorator (of functions and generator functions); it may be entered again."""

    def __init__(self) -> None:
        self._tokens: list[Token[Mode]] = []

    def _mode(self, now: Mode) -> Mode:
        raise NotImplementedError

    def _clone(self) -> _Switch:
        return type(self)()

    def __enter__(self) -> None:
        self._tokens.append(MODE.set(self._mode(get_mode())))

    def __exit__(self, *_: object) -> None:
        MODE.reset(self._tokens.pop())

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Any:
                inner = function(*args, **kwargs)
                sent: Any = None
                while True:
                    with self._clone():
                        try:
                            item = inner.send(sent)
                        except StopIteration as stop:
                            return stop.value
                    sent = yield item

            return generator  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._clone():
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]


class _BareSwitch(_Switch):
    """A switch without arguments: `@no_grad` works like `@no_grad()`."""

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__()


class no_grad(_BareSwitch):
    """Context manager or decorator: operators are not recorded for gradients."""

    def _mode(self, now: Mode) -> Mode:
        return Mode(False, now.recorder, now.inference)


class enable_grad(_BareSwitch):
    """Context manager or decorator: operators are recorded for gradients, also inside `no_grad`."""

    def _mode(self, now: Mode) -> Mode:
        return Mode(not now.inference, now.recorder, now.inference)


class set_grad_enabled(_Switch):
    """Switch gradient recording at once (called as a function), or for a `with` block or a decorated function."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._tokens.append(MODE.set(self._mode(get_mode())))

    def _mode(self, now: Mode) -> Mode:
        return Mode(self.mode and not now.inference, now.recorder, now.inference)

    def _clone(self) -> _Switch:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        if not self._tokens:
            super().__enter__()

    def __call__(self, function: F) -> F:
        MODE.reset(self._tokens.pop())
        return super().__call__(function)


class inference_mode(_Switch):
    """Context manager or decorator: nothing is recorded for gradients. `inference_mode(False)` leaves things as they
    are."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if not callable(mode):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode = True if callable(mode) else bool(mode)

    def _mode(self, now: Mode) -> Mode:
        return Mode(False, now.recorder, True) if self.mode else now

    def _clone(self) -> _Switch:
        return inference_mode(self.mode)


class recording(_Switch):
    """Context manager: the recorder hears of every operator call inside the block (None switches recording off)."""

    def __init__(self, recorder: Recorder | None) -> None:
        super().__init__()
        self.recorder = recorder

    def _mode(self, now: Mode) -> Mode:
        return Mode(now.grad, self.recorder, now.inference)

    def _clone(self) -> _Switch:
        return recording(self.recorder)


def active_recorder() -> Recorder | None:
    """The recorder that hears of operator calls, if any."""
    return get_mode().recorder
