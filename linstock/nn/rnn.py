"""Recurrent layers and cells.

Letters in shapes: T steps, N sequences, D directions, K layers, H the hidden size. Inputs are (T, N, input_size), (N,
T, input_size) with `batch_first`, (T, input_size), or a PackedSequence.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import linstock
from linstock.nn import init
from linstock.nn.linear import empty_parameter
from linstock.nn.scripting import overloads
from linstock.nn.utils.rnn import PackedSequence
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_PAIR = "tuple[Tensor, Tensor] | None"


class RNNBase(Module):
    """What all recurrent layers have: their weights, and the checks of input and state."""

    __constants__ = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip
    __jit_unused_properties__ = ["all_weights"]
    __jit_ignored_attributes__ = ["_all_weights", "_flat_weights_names"]
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_options(input_size, hidden_size, num_layers, dropout, proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                "num_layers greater than "
                f"1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        directions = 2 if bidirectional else 1
        gates = _GATES[mode] * hidden_size
        state = proj_size or hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else state * directions
            for suffix in ("", "_reverse")[:directions]:
                sizes = {"weight_ih": (gates, width), "weight_hh": (gates, state)}
                if bias:
                    sizes |= {"bias_ih": (gates,), "bias_hh": (gates,)}  # type: ignore[dict-item]
                if proj_size:
                    sizes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in sizes]
                for name, size in zip(names, sizes.values()):
                    setattr(self, name, empty_parameter(*size, device=device, dtype=dtype))
                self._flat_weights_names += names
                self._all_weights.append(names)
        self._collect()
        self.reset_parameters()

    def _collect(self) -> None:
        self._flat_weights = [getattr(self, name) for name in self._flat_weights_names]

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in self.__dict__.get("_flat_weights_names", ()) and "_flat_weights" in self.__dict__:
            self._collect()

    def flatten_parameters(self) -> None:
        """Does nothing: weights are not kept in one piece of memory."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise RuntimeError for an input of the wrong rank or width."""
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _check_state(self, hx: Tensor, batch: int, width: int, what: str) -> None:
        layers = self.num_layers * 2 if self.bidirectional else self.num_layers
        if hx.dim() != 3 or hx.size(0) != layers or hx.size(1) != batch or hx.size(2) != width:
            raise RuntimeError(f"Expected {what} size {(layers, batch, width)}, got {hx.size()}")

    def _zeros(self, input: Tensor, batch: int, width: int) -> Tensor:
        layers = self.num_layers * 2 if self.bidirectional else self.num_layers
        return linstock.zeros([layers, batch, width], dtype=input.dtype, device=input.device)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text


def _check_options(input_size: int, hidden_size: int, num_layers: int, dropout: float, proj_size: int) -> None:
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if not isinstance(hidden_size, int):
        raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class _OneState(RNNBase):
    """A recurrent layer with one state (D * K, N, H): all but LSTM."""

    def _run(self, input: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        raise NotImplementedError

    def _run_packed(self, data: Tensor, batch_sizes: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        raise NotImplementedError

    def _forward_packed(self, input: PackedSequence, hx: Tensor | None) -> tuple[PackedSequence, Tensor]:
        self.check_input(input.data, input.batch_sizes)
        batch = int(input.batch_sizes[0])
        order = input.sorted_indices
        if hx is None:
            hx = self._zeros(input.data, batch, self.hidden_size)
        elif order is not None:
            hx = hx.index_select(1, order)
        self._check_state(hx, batch, self.hidden_size, "hidden")
        output, hidden = self._run_packed(input.data, input.batch_sizes, hx)
        back = input.unsorted_indices
        if back is not None:
            hidden = hidden.index_select(1, back)
        return PackedSequence(output, input.batch_sizes, order, back), hidden

    def _forward_tensor(self, input: Tensor, hx: Tensor | None) -> tuple[Tensor, Tensor]:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"{self.mode}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            if hx is not None:
                if hx.dim() != 2:
                    raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor")
                hx = hx.unsqueeze(1)
        elif hx is not None and hx.dim() != 3:
            raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor")
        self.check_input(input, None)
        batch = input.size(0) if self.batch_first else input.size(1)
        if hx is None:
            hx = self._zeros(input, batch, self.hidden_size)
        self._check_state(hx, batch, self.hidden_size, "hidden")
        output, hidden = self._run(input, hx)
        if not batched:
            return output.squeeze(0 if self.batch_first else 1), hidden.squeeze(1)
        return output, hidden

    @overloads(
        {"input": "Tensor", "hx": "Tensor | None", "return": "tuple[Tensor, Tensor]"},
        {"input": "PackedSequence", "hx": "Tensor | None", "return": "tuple[PackedSequence, Tensor]"},
    )
    def forward(self, input: Any, hx: Tensor | None = None) -> Any:
        """All outputs (T, N, D * H), and the last state (D * K, N, H)."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        return self._forward_tensor(input, hx)


class RNN(_OneState):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or with ReLU, in K layers and one or two directions."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.nonlinearity = nonlinearity
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
            bidirectional, device=device, dtype=dtype,
        )  # fmt: skip

    def _run(self, input: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        if self.mode == "RNN_TANH":
            return linstock.rnn_tanh(
                input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional, self.batch_first,
            )  # fmt: skip
        return linstock.rnn_relu(
            input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            self.batch_first,
        )  # fmt: skip

    def _run_packed(self, data: Tensor, batch_sizes: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        if self.mode == "RNN_TANH":
            return linstock.rnn_tanh(
                data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional,
            )  # fmt: skip
        return linstock.rnn_relu(
            data,
            batch_sizes,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )


class GRU(_OneState):
    """Gated recurrent units in K layers and one or two directions."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )

    def _run(self, input: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        return linstock.gru(
            input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            self.batch_first,
        )  # fmt: skip

    def _run_packed(self, data: Tensor, batch_sizes: Tensor, hx: Tensor) -> tuple[Tensor, Tensor]:
        return linstock.gru(
            data,
            batch_sizes,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )


class LSTM(RNNBase):
    """Long short-term memory in K layers and one or two directions; `proj_size` projects the hidden state."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def _check_states(self, hx: tuple[Tensor, Tensor], batch: int) -> None:
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        self._check_state(hx[0], batch, width, "hidden[0]")
        self._check_state(hx[1], batch, self.hidden_size, "hidden[1]")

    def _start(self, input: Tensor, batch: int) -> tuple[Tensor, Tensor]:
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return self._zeros(input, batch, width), self._zeros(input, batch, self.hidden_size)

    def _forward_packed(
        self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None
    ) -> tuple[PackedSequence, tuple[Tensor, Tensor]]:
        self.check_input(input.data, input.batch_sizes)
        batch = int(input.batch_sizes[0])
        order = input.sorted_indices
        if hx is None:
            hx = self._start(input.data, batch)
        elif order is not None:
            hx = (hx[0].index_select(1, order), hx[1].index_select(1, order))
        self._check_states(hx, batch)
        output, hidden, cell = linstock.lstm(
            input.data, input.batch_sizes, [hx[0], hx[1]], self._flat_weights, self.bias, self.num_layers, self.dropout,
            self.training, self.bidirectional,
        )  # fmt: skip
        back = input.unsorted_indices
        if back is not None:
            hidden, cell = hidden.index_select(1, back), cell.index_select(1, back)
        return PackedSequence(output, input.batch_sizes, order, back), (hidden, cell)

    def _forward_tensor(self, input: Tensor, hx: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if hx is not None:
            if hx[0].dim() != (3 if batched else 2) or hx[1].dim() != (3 if batched else 2):
                raise RuntimeError(
                    f"For {'batched 3' if batched else 'unbatched 2'}-D input, hx and cx should also be "
                    f"{3 if batched else 2}-D but got "
                    f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
                )
            if not batched:
                hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        self.check_input(input, None)
        batch = input.size(0) if self.batch_first else input.size(1)
        if hx is None:
            hx = self._start(input, batch)
        self._check_states(hx, batch)
        output, hidden, cell = linstock.lstm(
            input, [hx[0], hx[1]], self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first,
        )  # fmt: skip
        if not batched:
            return output.squeeze(0 if self.batch_first else 1), (hidden.squeeze(1), cell.squeeze(1))
        return output, (hidden, cell)

    @overloads(
        {"input": "Tensor", "hx": _PAIR, "return": "tuple[Tensor, tuple[Tensor, Tensor]]"},
        {"input": "PackedSequence", "hx": _PAIR, "return": "tuple[PackedSequence, tuple[Tensor, Tensor]]"},
    )
    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> Any:
        """All outputs (T, N, D * H), and the last hidden and cell states (D * K, N, H)."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        return self._forward_tensor(input, hx)


# cells --------------------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What all cells have."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty_parameter(rows, input_size, device=device, dtype=dtype)
        self.weight_hh = empty_parameter(rows, hidden_size, device=device, dtype=dtype)
        if bias:
            self.bias_ih = empty_parameter(rows, device=device, dtype=dtype)
            self.bias_hh = empty_parameter(rows, device=device, dtype=dtype)
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check_ranks(self, input: Tensor, hx: Tensor | None) -> None:
        if input.dim() != 1 and input.dim() != 2:
            raise ValueError(f"expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None and hx.dim() != 1 and hx.dim() != 2:
            raise ValueError(f"expected hidden to be 1D or 2D, got {hx.dim()}D instead")

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text + (f", nonlinearity={nonlinearity}" if nonlinearity != "tanh" else "")


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """(N, input_size) and a state (N, H) to the next state; both may be without N."""
        self._check_ranks(input, hx)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            state = linstock.zeros([x.size(0), self.hidden_size], dtype=x.dtype, device=x.device)
        else:
            state = hx if batched else hx.unsqueeze(0)
        if self.nonlinearity == "tanh":
            result = linstock.rnn_tanh_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        elif self.nonlinearity == "relu":
            result = linstock.rnn_relu_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        else:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return result if batched else result.squeeze(0)


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """(N, input_size) and states (N, H) to the next hidden and cell state; all may be without N."""
        self._check_ranks(input, None)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = linstock.zeros([x.size(0), self.hidden_size], dtype=x.dtype, device=x.device)
            states = [zeros, zeros]
        else:
            self._check_ranks(input, hx[0])
            self._check_ranks(input, hx[1])
            states = [hx[0], hx[1]] if batched else [hx[0].unsqueeze(0), hx[1].unsqueeze(0)]
        hidden, cell = linstock.lstm_cell(x, states, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """(N, input_size) and a state (N, H) to the next state; both may be without N."""
        self._check_ranks(input, hx)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            state = linstock.zeros([x.size(0), self.hidden_size], dtype=x.dtype, device=x.device)
        else:
            state = hx if batched else hx.unsqueeze(0)
        result = linstock.gru_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return result if batched else result.squeeze(0)
