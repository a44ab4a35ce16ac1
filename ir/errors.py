"""Every exception class of linstock. User errors carry the user's own source line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linstock.ir.source import Span


class LinstockError(Exception):
    """Base of all errors that linstock raises on purpose. `span` is the user's source position, if known."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        self.message, self.span = message, span
        super().__init__(f"{message}\n{span.show()}" if span is not None else message)


class CompileError(LinstockError, RuntimeError):
    """The program cannot be captured: a construct, name or type is not supported or does not fit."""


class SchemaError(LinstockError, RuntimeError):
    """An operator was called with arguments that none of its schemas takes."""


class UnknownOperatorError(CompileError):
    """An operator that linstock does not know, named with the nearest known ones."""


class MissingKernelError(LinstockError, NotImplementedError):
    """An operator that linstock knows but cannot compute here."""


class GraphError(LinstockError):
    """A graph breaks a rule of the IR (found by the verifier, or by a malformed text form)."""


class ArchiveError(LinstockError, RuntimeError):
    """A file is not a readable archive, or cannot be written as one."""


class ExportError(LinstockError, RuntimeError):
    """A model cannot be expressed in the target format."""


class InputError(LinstockError, RuntimeError):
    """A model was called with inputs that its signature does not take."""


class RaisedError(LinstockError):
    """A program that was run raised an exception; the class raised is also the builtin exception that the program
    named.
    """

    def __str__(self) -> str:
        return self.message


class TracerWarning(UserWarning):
    """Tracing baked a value into the graph that may change with the inputs."""
