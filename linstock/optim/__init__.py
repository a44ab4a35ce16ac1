"""`linstock.optim`: optimizers and learning-rate schedules under PyTorch's names."""

from linstock.optim import lr_scheduler
from linstock.optim.adagrad import Adagrad
from linstock.optim.adam import Adam, AdamW
from linstock.optim.optimizer import Optimizer
from linstock.optim.rmsprop import RMSprop
from linstock.optim.sgd import SGD

__all__ = [
    "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SGD", "lr_scheduler",
]  # fmt: skip
