"""Tensors that modules know by name."""

from linstock.runtime.tensor import Buffer, Parameter

__all__ = ["Buffer", "Parameter"]
