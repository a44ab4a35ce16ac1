"""`linstock.autograd`: gradients (`grad`, `backward`), own differentiable functions (`Function`), gradient modes."""

from linstock.runtime.autograd import backward, grad
from linstock.runtime.function import Function
from linstock.runtime.gradcheck import gradcheck, gradgradcheck
from linstock.runtime.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from linstock.runtime.tensor import Tensor as Variable

__all__ = [
    "Function",
    "Variable",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]
