"""Tensors: indexing and assignment in all forms, methods, properties, factories, tolist."""

from typing import List, Optional, Tuple

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor
F = nn.functional
X = torch.arange(24.0).reshape(2, 3, 4)


@case(X)
def integers(x: Tensor):
    return x[0], x[-1], x[1, 2], x[0, -1, 2], x[0][1][2]


@case((X, 1, -1))
def integer_variables(x: Tensor, i: int, j: int):
    return x[i], x[i, j], x[j - 1], x[:, i], x[..., j]


@case(X)
def slices(x: Tensor):
    return x[:], x[1:], x[:1], x[:, 1:], x[:, :-1], x[:, ::2], x[:, 1:3, 2:], x[-1:], x[:, :, 1], x[0:100]


@case((X, 1, 3))
def slice_variables(x: Tensor, a: int, b: int):
    return x[:, a:b], x[:, -a:], x[:, :, a:b:2], x[a:], x[:, a : a + 1]


@case((X, None, 2), (X, 1, None))
def slices_with_optional_bounds(x: Tensor, a: Optional[int], b: Optional[int]):
    return x[:, a:b]


@case(X)
def ellipsis(x: Tensor):
    return x[...], x[..., 0], x[0, ...], x[..., 1:], x[0, ..., 1], x[..., 1, :], x[..., None]


@case(X)
def new_axes(x: Tensor):
    return x[None], x[:, None], x[:, :, None, 0], x[None, 0], x[0, None, 1], x[..., None, :], x[None, ..., None]


@case((X, torch.tensor([0, 1, 0])))
def gather(x: Tensor, i: Tensor):
    return x[i], x[:, i], x[:, :, i], x[0, i], x[i, i], x[i, :, 0], x[i, 1:], x[1:, i]


@case((X, torch.tensor([0, 1])))
def gather_with_ellipsis(x: Tensor, i: Tensor):
    return x[..., i], x[i, ...], x[..., i, :], x[..., 0, i]


@case((X, torch.tensor([0, 1])))
def gather_with_new_axes(x: Tensor, i: Tensor):
    return x[None, i], x[i, None], x[:, i, None], x[i, :, i]


@case(X)
def masks(x: Tensor):
    return x[x > 5], x[0][x[0] > 5], x[:, x[0, :, 0] > 0], x[torch.tensor([True, False])]


@case(X)
def lists_as_index(x: Tensor):
    return x[[0, 1]], x[:, [0, 2]], x[[0, 1], [1, 2]]


@case((X, torch.tensor(1)))
def scalar_tensor_index(x: Tensor, i: Tensor):
    return x[i], x[:, i], x[int(i)]


@case(X)
def assign_integers(x: Tensor) -> Tensor:
    x[0] = 1.0
    x[1, 2] = torch.zeros(4)
    x[0, 1, 2] = 5
    x[-1, -1] = -1
    return x


@case((X, 1))
def assign_slices(x: Tensor, i: int) -> Tensor:
    x[:, 1:2] = 0
    x[i:] = torch.ones(3, 4)
    x[..., 0] = 7.5
    x[:, :, ::2] *= 2
    x[0, i:, -1] = x[1, i:, 0]
    x[None, 0] = 3
    return x


@case((X, torch.tensor([0, 2])))
def assign_indices(x: Tensor, i: Tensor) -> Tensor:
    x[:, i] = 1.0
    x[0, i] = torch.zeros(2, 4)
    x[x > 15] = -1
    x[..., i] = 9
    x[1, i, 1:] = 4.0
    return x


@case(torch.arange(4))
def assign_to_integers(x: Tensor) -> Tensor:
    x[0] = 2.7
    x[1] = True
    x[2:] += 1
    return x


@case(torch.tensor([True, False, True]))
def assign_to_booleans(x: Tensor) -> Tensor:
    x[0] = False
    x[1:] = True
    return x


@case(X)
def augmented_index(x: Tensor) -> Tensor:
    x[0] += 1
    x[:, 0] -= 1
    x[0, 1, 2] *= 10
    x[x > 10] /= 2
    x[1][0] += 100
    return x


@case((X, torch.tensor([0, 0, 1])))
def augmented_gather(x: Tensor, i: Tensor) -> Tensor:
    x[i] += 1
    return x


@case(X)
def properties(x: Tensor):
    return (
        x.shape,
        x.dtype == torch.float32,
        x.device,
        x.ndim,
        x.size(),
        x.size(0),
        x.size(-1),
        x.dim(),
        x.numel(),
        list(x.stride()),
        x.is_contiguous(),
    )


@case(X)
def more_properties(x: Tensor):
    return (
        x[0].T,
        x.mT,
        x.requires_grad,
        x.is_cuda,
        x.layout == torch.strided,
        x.data,
        x.is_floating_point(),
        x.element_size(),
    )


@case(X)
def shapes_unpack(x: Tensor):
    a, b, c = x.shape
    d, e, f = x.size()
    n = x.shape[0]
    return a * b * c, d + e + f, n, len(x.shape), x.shape[-1], x.shape[1:], list(x.shape)


@case(X)
def views(x: Tensor):
    return (
        x.view(-1),
        x.view(6, 4),
        x.view([2, 12]),
        x.reshape(3, -1),
        x.permute(2, 0, 1),
        x.transpose(0, 1),
        x.flatten(1),
        x.unsqueeze(0),
    )


@case(X)
def methods(x: Tensor):
    return (
        x.sum(),
        x.sum(0),
        x.sum(dim=-1, keepdim=True),
        x.mean(),
        x.max(),
        x.min(),
        x.argmax(-1),
        x.std(),
        x.sum([0, 1]),
        x.prod(1),
    )


@case(X)
def several_results(x: Tensor):
    values, indices = x.max(dim=1)
    top = torch.topk(x, 2)
    a, b = torch.chunk(x, 2)
    c, d = x.split([1, 2], dim=1)
    both = x.sort(descending=True)
    return values, indices, top[0], top[1], a, b, c, d, both[0]


@case(X)
def named_results(x: Tensor):
    return x.max(dim=0).values, x.max(dim=0).indices, torch.sort(x).values, x.topk(1).indices, x.median(1).values


@case(torch.tensor([1.5, -2.5]))
def casts(x: Tensor):
    return (
        x.float(),
        x.double(),
        x.int(),
        x.long(),
        x.half(),
        x.bool(),
        x.to(torch.int16),
        x.type(torch.float64),
        x.to("cpu"),
        x.byte(),
    )


@case(torch.tensor([1.5, -2.5]))
def to_forms(x: Tensor):
    return (
        x.to(torch.float64),
        x.to(x.device),
        x.to(torch.zeros(1, dtype=torch.int32)),
        x.to(dtype=torch.int64),
        x.type_as(torch.ones(1)),
        x.cpu(),
    )


@case(X)
def factories(x: Tensor):
    return (
        torch.zeros(2, 3), torch.zeros([2, 3]), torch.ones(x.size(0)), torch.zeros_like(x), torch.full((2, 2), 7.0), torch.arange(5),
        torch.arange(1, 6, 2), torch.arange(0.0, 1.0, 0.25), torch.linspace(0, 1, 5), torch.eye(3), torch.empty(0),
        torch.tensor([1, 2]), torch.tensor(3.0), torch.tensor([[1.5]]), torch.zeros(x.shape), torch.ones(2, dtype=torch.int64),
        torch.zeros((2,), dtype=torch.bool), x.new_zeros(2), x.new_ones([2, 2]), x.new_full((1,), 3), x.new_tensor([1, 2]),
        torch.as_tensor(2), torch.full_like(x[0], 2), torch.zeros(2, 2, device=x.device), x.new_empty((0,)),
    )  # fmt: skip


@case(torch.arange(4.0).reshape(2, 2))
def tolist(x: Tensor):
    a: List[float] = x[0].tolist()
    b: List[List[float]] = x.tolist()
    c: float = x[0, 1].tolist()
    d: List[int] = x[0].long().tolist()
    e = torch.jit.annotate(List[float], x[1].tolist())
    return a, b, c, d, e


@case(X)
def functions(x: Tensor):
    return (
        torch.cat([x, x], 1),
        torch.stack((x, x)),
        torch.where(x > 3, x, -x),
        torch.clamp(x, 1, 5),
        torch.einsum("ijk->jk", x),
        torch.abs(x),
    )


@case(X)
def keyword_arguments(x: Tensor):
    return (
        torch.sum(x, dim=1),
        torch.sum(input=x, dim=0),
        torch.cat(tensors=[x, x], dim=0),
        x.clamp(min=2.0),
        x.clamp(max=3),
        torch.add(x, x, alpha=2),
    )


@case(X)
def functional(x: Tensor):
    y = F.relu(x - 3)
    y = F.softmax(y, dim=-1)
    z = F.pad(x, [1, 1])
    u = F.layer_norm(x, [4])
    v = F.gelu(x)
    w = F.one_hot(torch.tensor([0, 2]), 3)
    return y, z, u, v, w, F.cross_entropy(x[0], torch.tensor([0, 1, 2])), F.mse_loss(x, x + 1), F.normalize(x, dim=1)


@case(torch.arange(16.0).reshape(1, 1, 4, 4))
def functional_images(x: Tensor):
    w = torch.ones(1, 1, 2, 2)
    return (
        F.conv2d(x, w), F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.interpolate(x, scale_factor=2.0), F.adaptive_avg_pool2d(x, 1),
        F.interpolate(x, size=[2, 2], mode="bilinear", align_corners=False), F.unfold(x, 2), F.conv2d(x, w, stride=2, padding=[1, 1]),
        F.max_pool2d(x, 2, return_indices=True)[1], F.grid_sample(x, torch.zeros(1, 2, 2, 2), align_corners=False),
    )  # fmt: skip


@case(X)
def linalg(x: Tensor):
    a = x[0, :, :3] + torch.eye(3) * 5
    return (
        torch.linalg.norm(x),
        torch.linalg.inv(a),
        torch.norm(x),
        x.norm(),
        x.norm(2, dim=1),
        torch.det(a),
        torch.linalg.det(a),
        a @ a,
    )


@case(X)
def norms_and_sorts(x: Tensor):
    return (
        torch.norm(x, p=2, dim=1),
        torch.norm(x, dim=0, keepdim=True),
        torch.split(x, 1)[0],
        torch.unique(torch.tensor([2, 1, 2])),
        x.unbind(0)[1],
    )


@case(X)
def in_place(x: Tensor) -> Tensor:
    y = x.clone()
    y.add_(1).mul_(2)
    y.zero_()
    x.fill_(3)
    x.clamp_(0, 2)
    torch.relu_(x)
    return x + y


@case(torch.tensor([0.0, 1.0]))
def constants_as_defaults(x: Tensor, p: float = 0.5, dims: List[int] = [0], name: str = "sum"):  # noqa: B006
    return x.sum(dims) * p


@case((torch.ones(2, 2), 1), (torch.ones(2, 2), -1))
def without_grad(x: Tensor, n: int) -> Tuple[Tensor, bool]:
    with torch.no_grad():
        y = x * n
        if n > 0:
            y = y + 1
    return y, torch.is_grad_enabled()


# PyTorch takes the three products for one
@case(torch.ones(2, requires_grad=True), torch=False)
def grad_modes(x: Tensor):
    with torch.no_grad():
        a = (x * 2).requires_grad
        with torch.enable_grad():
            b = (x * 2).requires_grad
    c = (x * 2).requires_grad
    return a, b, c, x.detach().requires_grad


@case(torch.ones(2))
def return_in_no_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        return x + 1


@case((torch.ones(3), True), (torch.ones(3), False))
def ternary_of_tensors(x: Tensor, flag: bool) -> Tensor:
    return (x + 1 if flag else x - 1) * 2


@case(torch.tensor([1.0, 5.0]))
def conditions_on_tensors(x: Tensor) -> int:
    if x.sum() > 3 and x[0] < 2 or not x.any():
        return 1
    return 0


@case((torch.ones(2), torch.ones(2)), (torch.ones(2), torch.zeros(2)))
def equality(x: Tensor, y: Tensor) -> bool:
    return torch.equal(x, y) and torch.allclose(x, y) and bool((x == y).all())


@case(X)
def implicit_numbers(x: Tensor) -> Tensor:
    n = x.sum().item()
    m: float = float(x.mean())
    return x * n + m + x.max()


@case((X, [0, 1]))
def list_arguments(x: Tensor, dims: List[int]):
    return (
        x.sum(dims),
        x.permute(dims + [2]),
        x.view(dims[1] * 6, -1),
        x.flip(dims),
        x.repeat(1, 2, 1),
        x.expand(2, 3, 4),
        x.repeat([1, 1, 2]),
    )


@case(X)
def reshape_by_size(x: Tensor) -> Tensor:
    b, c = x.size(0), x.size(1)
    return x.reshape(b * c, -1).view(b, c, -1).transpose(1, 2).contiguous().view(b, -1)


@case(torch.complex(torch.ones(2), torch.zeros(2)))
def complex_tensors(x: Tensor):
    return x.real, x.imag, x * 1j, x.abs(), torch.view_as_real(x), x.conj()


@case(torch.arange(3))
def iterate_by_unbind(x: Tensor) -> int:
    total = 0
    for v in x.unbind():
        total += int(v)
    for v in x:
        total += int(v.item())
    a, b, c = x.unbind()
    return total + int(a + b + c)


@case(X)
def unpack_tensor(x: Tensor):
    a, b = x
    (c, d, e), f = a, b
    return a, b, c, d, e, f
