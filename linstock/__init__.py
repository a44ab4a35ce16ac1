"""linstock: TorchScript's job without PyTorch. Names are PyTorch's; what is not used is not imported."""

from __future__ import annotations

import importlib
from typing import Any

from linstock.ir import dtypes as _dtypes
from linstock.ir.device import Device as device
from linstock.runtime import creation as _creation, modes as _modes, resolve as _resolve, types as _types
from linstock.runtime.creation import as_tensor, from_dlpack, tensor
from linstock.runtime.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from linstock.runtime.tensor import Parameter, Tensor, from_numpy
from linstock.runtime.types import Size, finfo, iinfo

globals().update({d.name: d for d in _dtypes.ALL})
globals().update(_dtypes.ALIASES)
_MODULES = ("jit", "nn", "optim", "onnx", "linalg", "fft", "special", "autograd", "testing", "utils")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"linstock.{name}")
    found = _resolve.function(name)
    if found is None:
        raise AttributeError(f"module 'linstock' has no attribute {name!r}")
    globals()[name] = found
    return found
