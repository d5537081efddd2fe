"""MiniCPM4 transformer stack: grouped-query attention, LongRoPE, RMSNorm, SwiGLU, optional mup scaling.

Module and parameter names are the checkpoint's (``base_lm.layers.N.self_attn.q_proj.weight`` ...). The same stack is
used causally (TSLM, RALM) and without a causal mask (LocEnc, LocDiT).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from voxcpm.config import LMConfig
from voxcpm.modules.embedding import blank_embedding
from voxcpm.modules.kv_cache import KVCache
from voxcpm.modules.rope import apply_rope, rope_tables

Rope = tuple[Tensor, Tensor] | None


class RMSNorm(nn.Module):
    """Root-mean-square norm; the variance is taken in float32, and the result is rounded before the weight is applied.

    That order is the published code's and shows in bfloat16, where the fused operator rounds once instead of twice.
    """

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """[..., size] -> [..., size]."""
        if x.dtype == torch.float32:
            return F.rms_norm(x, (x.shape[-1],), self.weight, self.eps)
        x32 = x.float()
        return (x32 * torch.rsqrt(x32.square().mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.weight


class Attention(nn.Module):
    """Grouped-query attention without biases."""

    def __init__(self, config: LMConfig) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = (
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
        )
        size = config.hidden_size
        self.q_proj = nn.Linear(size, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(size, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(size, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, size, bias=False)
        self.qkv_proj: nn.Module | None = None

    def fuse(self) -> None:
        """Turn the three input projections into one product (inference only; the separate ones are dropped)."""
        weight = torch.cat((self.q_proj.weight, self.k_proj.weight, self.v_proj.weight))
        self.qkv_proj = linear_from(weight)
        del self.q_proj, self.k_proj, self.v_proj

    def project(self, x: Tensor, rope: Rope) -> tuple[Tensor, Tensor, Tensor]:
        """Queries [B, heads, T, d], keys and values [B, kv_heads, T, d], rotated."""
        batch, length, _ = x.shape
        if self.qkv_proj is not None:
            qkv = self.qkv_proj(x)
        else:
            qkv = torch.cat((self.q_proj(x), self.k_proj(x), self.v_proj(x)), dim=-1)
        qkv = qkv.view(batch, length, self.heads + 2 * self.kv_heads, self.head_dim).transpose(1, 2)
        qk, v = qkv.split((self.heads + self.kv_heads, self.kv_heads), dim=1)
        if rope is not None:
            qk = apply_rope(qk, *rope)
        q, k = qk.split((self.heads, self.kv_heads), dim=1)
        return q, k, v

    def forward(
        self,
        x: Tensor,
        rope: Rope,
        *,
        causal: bool,
        mask: Tensor | None = None,
        cache: KVCache | None = None,
        layer: int = 0,
    ) -> Tensor:
        """[B, T, H] -> [B, T, H]; with a cache the new positions are stored and everything in it is attended to."""
        batch, length, _ = x.shape
        q, k, v = self.project(x, rope)
        if cache is not None:
            k, v = cache.write(layer, k, v)
        grouped = not causal and mask is None
        if grouped or length == 1:
            # All heads that share a KV head become rows of one product: no copies of keys and values.
            q = q.reshape(batch, self.kv_heads, -1, self.head_dim)
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            out = out.reshape(batch, self.heads, length, self.head_dim)
        else:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None, enable_gqa=True)
        return self.o_proj(out.transpose(1, 2).reshape(batch, length, -1))


class MLP(nn.Module):
    """SwiGLU feed-forward."""

    def __init__(self, config: LMConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.gate_up_proj: nn.Module | None = None

    def fuse(self) -> None:
        """Turn gate and up projection into one product (inference only)."""
        self.gate_up_proj = linear_from(torch.cat((self.gate_proj.weight, self.up_proj.weight)))
        del self.gate_proj, self.up_proj

    def forward(self, x: Tensor) -> Tensor:
        """[..., H] -> [..., H]."""
        if self.gate_up_proj is not None:
            gate, up = self.gate_up_proj(x).chunk(2, dim=-1)
        else:
            gate, up = self.gate_proj(x), self.up_proj(x)
        return self.down_proj(F.silu(gate) * up)


class Layer(nn.Module):
    """Attention and feed-forward, each behind a norm and on a residual branch."""

    def __init__(self, config: LMConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.scale = config.residual_scale

    def forward(
        self,
        x: Tensor,
        rope: Rope,
        *,
        causal: bool,
        mask: Tensor | None = None,
        cache: KVCache | None = None,
        layer: int = 0,
    ) -> Tensor:
        """[B, T, H] -> [B, T, H]."""
        branch = self.self_attn(self.input_layernorm(x), rope, causal=causal, mask=mask, cache=cache, layer=layer)
        x = x + (branch * self.scale if self.scale != 1.0 else branch)
        branch = self.mlp(self.post_attention_layernorm(x))
        return x + (branch * self.scale if self.scale != 1.0 else branch)


class MiniCPM4(nn.Module):
    """A stack of layers with a final norm; ``embed_tokens`` exists only where the stack reads text.

    ``positions`` is the number of rotary positions to prepare tables for.
    """

    def __init__(self, config: LMConfig, positions: int) -> None:
        super().__init__()
        self.config = config
        if config.vocab_size:
            self.embed_tokens = blank_embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.positions = positions
        self.recompute = False
        """Compute every layer again in the backward pass instead of keeping its insides (training only)."""
        self.register_buffer("cos", None, persistent=False)
        self.register_buffer("sin", None, persistent=False)
        self.cos: Tensor | None
        self.sin: Tensor | None

    def prepare(self, device: torch.device, dtype: torch.dtype) -> None:
        """Fill the rotary tables (not part of a checkpoint) in the model's dtype."""
        if self.config.no_rope:
            return
        cos, sin = rope_tables(self.config, torch.arange(self.positions), dtype)
        self.cos, self.sin = cos.to(device), sin.to(device)

    def embed(self, tokens: Tensor) -> Tensor:
        """Token ids [...] -> [..., H], scaled when mup is on. The table may be stored in fewer bits than the rest."""
        out: Tensor = self.embed_tokens(tokens).to(self.norm.weight.dtype)
        scale = self.config.embedding_scale
        return out * scale if scale != 1.0 else out

    def rope(self, positions: Tensor | slice) -> Rope:
        """Table rows for the given positions, shaped to broadcast over [B, heads, T, d]."""
        if self.config.no_rope:
            return None
        assert self.cos is not None and self.sin is not None, "prepare() has not been called"
        cos, sin = self.cos[positions], self.sin[positions]
        return (cos, sin) if cos.dim() == 2 else (cos[:, None], sin[:, None])

    def forward(self, x: Tensor, *, causal: bool) -> Tensor:
        """Whole sequences without a cache: [B, T, H] -> [B, T, H]."""
        rope = self.rope(slice(0, x.shape[1]))
        for layer in self.layers:
            if self.recompute and torch.is_grad_enabled():
                x = checkpoint(layer, x, rope, causal=causal, use_reentrant=False)
            else:
                x = layer(x, rope, causal=causal)
        return self.norm(x)

    def extend(self, x: Tensor, cache: KVCache) -> Tensor:
        """Causal over what ``cache`` holds and the new positions ``x`` [B, T, H]; the cache grows by T."""
        length = x.shape[1]
        cache.reserve(length)
        rope = self.rope(cache.positions(length))
        mask = None if cache.used == 0 and cache.starts is None and not cache.whole else cache.mask(length)
        for index, layer in enumerate(self.layers):
            x = layer(x, rope, causal=True, mask=mask, cache=cache, layer=index)
        cache.used += length
        return self.norm(x)


def linear_from(weight: Tensor) -> nn.Linear:
    """A linear layer without bias around an existing weight [out, in]."""
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
    layer.weight = nn.Parameter(weight.detach(), requires_grad=False)
    return layer
