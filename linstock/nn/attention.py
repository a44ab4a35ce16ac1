"""Multi-head attention as a layer."""

from __future__ import annotations

from typing import Any

from linstock.nn import functional as F
from linstock.nn import init
from linstock.nn.linear import Linear, empty_parameter
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer that dynamic quantisation leaves alone."""


class MultiheadAttention(Module):
    """Attention of several heads, with its projections.

    Shapes are (L, N, E), (N, L, E) with `batch_first`, or (L, E).
    """

    __constants__ = ["batch_first"]
    embed_dim: int
    num_heads: int
    dropout: float
    batch_first: bool
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        parts = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        if self._qkv_same_embed_dim:
            self.in_proj_weight = empty_parameter(3 * embed_dim, embed_dim, device=device, dtype=dtype)
            for name in parts:
                self.register_parameter(name, None)
        else:
            for name, width in zip(parts, (embed_dim, self.kdim, self.vdim)):
                setattr(self, name, empty_parameter(embed_dim, width, device=device, dtype=dtype))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = empty_parameter(3 * embed_dim, device=device, dtype=dtype)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k = empty_parameter(1, 1, embed_dim, device=device, dtype=dtype)
            self.bias_v = empty_parameter(1, 1, embed_dim, device=device, dtype=dtype)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, of the query's shape, and the weights (N, L, S), or (N, H, L, S) not averaged, or None if not
        needed.

        Masks are bool (true means: not looked at) or are added to the scores: `key_padding_mask` (N, S), `attn_mask`
        (L, S) or (N * H, L, S). `is_causal` says that `attn_mask` is causal.
        """
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            # what is the same tensor stays the same
            if key is value:
                if query is key:
                    query = query.transpose(1, 0)
                    key = query
                else:
                    query = query.transpose(1, 0)
                    key = key.transpose(1, 0)
                value = key
            else:
                query = query.transpose(1, 0)
                key = key.transpose(1, 0)
                value = value.transpose(1, 0)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        if swapped:
            return output.transpose(1, 0), weights
        return output, weights
