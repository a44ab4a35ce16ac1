"""linstock: run, write, script and trace TorchScript models without PyTorch. PyTorch's names: `import linstock as
torch`.

Everything is loaded when it is first used; operators are functions made from the operator table.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linstock.runtime.tensor import Tensor as Tensor

__version__ = "0.1.0"

_DTYPES = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", "bool",
    "bfloat16",
    "float8_e5m2", "float8_e4m3fn", "uint16", "uint32", "uint64", "qint8", "quint8", "qint32", "quint4x2", "quint2x4",
    "float", "double", "half", "long", "int", "short", "cfloat", "cdouble",
)  # fmt: skip
_SUBMODULES = (
    "autograd", "cuda", "fft", "jit", "linalg", "nn", "onnx", "ops", "optim", "random", "return_types", "special",
    "testing", "utils",
)  # fmt: skip
#: public names and the module that each lives in
_HOMES = {
    "linstock.runtime.tensor": "Tensor",
    "linstock.ir.dtypes": "dtype",
    "linstock.runtime.types": (
        "Size finfo iinfo layout memory_format qscheme strided sparse_coo sparse_csr sparse_csc sparse_bsr "
        "sparse_bsc _mkldnn "
        "contiguous_format preserve_format channels_last channels_last_3d per_tensor_affine per_channel_affine "
        "per_tensor_symmetric per_channel_symmetric per_channel_affine_float_qparams"
    ),
    "linstock.runtime.modes": (
        "no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled is_inference_mode_enabled"
    ),
    "linstock.runtime.settings": (
        "Generator manual_seed seed initial_seed get_rng_state set_rng_state get_default_dtype set_default_dtype "
        "set_default_tensor_type get_default_device set_default_device get_num_threads set_num_threads "
        "get_num_interop_threads "
        "set_num_interop_threads use_deterministic_algorithms are_deterministic_algorithms_enabled "
        "get_float32_matmul_precision set_float32_matmul_precision set_flush_denormal"
    ),
    "linstock.runtime.printing": "set_printoptions",
    "linstock.runtime.storage": "UntypedStorage TypedStorage",
    "linstock.runtime.serialization": "save load",
}
_PLACES = {name: home for home, names in _HOMES.items() for name in names.split()}
_OTHER_NAMES = {
    "device": ("linstock.ir.device", "Device"),
    "default_generator": ("linstock.backends.array.generator", "default_generator"),
    "LinstockError": ("linstock.ir.errors", "LinstockError"),
}
newaxis = None
_LEGACY = (
    "Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    found = _find(name)
    if found is None:
        raise AttributeError(f"module 'linstock' has no attribute {name!r}")
    globals()[name] = found
    return found


def _find(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"linstock.{name}")
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    if name in _OTHER_NAMES:
        home, inner = _OTHER_NAMES[name]
        return getattr(importlib.import_module(home), inner)
    if name in _DTYPES:
        from linstock.ir import dtypes

        return dtypes.by_name(name)
    if name.endswith("Tensor") and name[:-6] in _LEGACY:
        from linstock.runtime.creation import legacy_type

        return legacy_type(name)
    if name in ("inf", "nan", "pi", "e"):
        import math

        return getattr(math, name)
    if name.startswith("__"):
        return None
    from linstock.runtime.resolve import function

    return function(name)


def __dir__() -> list[str]:
    from linstock.ir import operators
    from linstock.runtime.functions import FUNCTIONS

    names = [n.partition("::")[2] for n in operators.names() if n.startswith("aten::")]
    return sorted({
        *(n for n in names if not n.startswith("_")), *FUNCTIONS, *_DTYPES, *_SUBMODULES, *_PLACES, *_OTHER_NAMES,
        "__version__",
    })  # fmt: skip
