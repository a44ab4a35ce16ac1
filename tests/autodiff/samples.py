"""Expressions whose derivatives are checked, by family: `expression ; shape of a ; shape of b ; ...`.

`t` is the library, `F` its nn.functional, `i(...)` a tensor of integers, `a` to `f` leaves in double precision. A shape
may end in `+` (values in 0.5..2), `u` (in 0.1..0.9) or `c` (complex); others are in -2..2.
"""

from __future__ import annotations

SAMPLES = {
    "conv": """
F.conv1d(a, b, c, stride=2, padding=1) ; 2,3,7 ; 4,3,3 ; 4
F.conv1d(a, b, padding="same", dilation=2) ; 2,7 ; 3,2,3
F.conv2d(a, b, c, padding=1) ; 2,3,4,5 ; 4,3,3,3 ; 4
F.conv2d(a, b, stride=(2, 1), padding=(1, 0), dilation=(1, 2)) ; 1,2,6,5 ; 3,2,3,2
F.conv2d(a, b, padding=2, groups=2) ; 1,4,3,3 ; 6,2,3,3
F.conv2d(a, b, c, stride=2, groups=3) ; 2,3,5,5 ; 6,1,2,2 ; 6
F.conv2d(a, b, stride=2, padding=3) ; 1,1,6,6 ; 2,1,5,5
F.conv2d(a, b) ; 2,2,3,3c ; 3,2,2,2c
F.conv3d(a, b, c, padding=1, stride=2) ; 1,2,3,4,3 ; 2,2,2,2,2 ; 2
F.conv_transpose1d(a, b, c, stride=2, output_padding=1) ; 2,3,4 ; 3,2,3 ; 2
F.conv_transpose2d(a, b, stride=2, padding=1, groups=2) ; 1,4,3,3 ; 4,1,3,3
F.conv_transpose2d(a, b, dilation=2, output_padding=1) ; 1,2,3,2 ; 2,2,2,2
F.conv_transpose3d(a, b) ; 1,2,2,2,2 ; 2,1,2,2,2
F.unfold(a, 2, dilation=1, padding=1, stride=2) ; 1,2,3,4
F.fold(a, (3, 4), 2, padding=1, stride=2) ; 1,8,6
t.conv_tbc(a, b, c, 1) ; 4,2,3 ; 3,3,2 ; 2
""",
    "pooling": """
F.max_pool1d(a, 3, 2, 1) ; 2,2,7
F.max_pool2d(a, 3, 2, 1, ceil_mode=True) ; 1,2,6,5
F.max_pool2d(a, 2, 1, dilation=2) ; 1,2,5,5
F.max_pool3d(a, 2) ; 1,1,4,4,4
F.avg_pool1d(a, 3, 2, 1, count_include_pad=False) ; 1,2,7
F.avg_pool2d(a, (3, 2), 2, 1, True, False) ; 1,2,6,5
F.avg_pool2d(a, 2, divisor_override=3) ; 1,2,4,4
F.avg_pool3d(a, 2, 1) ; 1,1,3,3,3
F.adaptive_avg_pool2d(a, (3, 2)) ; 1,2,7,5
F.adaptive_avg_pool1d(a, 1) ; 2,2,5
F.adaptive_max_pool2d(a, (2, 3)) ; 1,2,5,5
F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2) ; 1,2,4,4
F.lp_pool2d(a, 2, 2) ; 1,2,4,4+
F.interpolate(a, scale_factor=2) ; 1,2,3,4
F.interpolate(a, size=(5, 3), mode="nearest-exact") ; 1,1,3,4
F.interpolate(a, scale_factor=1.7, mode="bilinear") ; 1,2,3,4
F.interpolate(a, size=(7, 2), mode="bilinear", align_corners=True) ; 1,1,3,4
F.interpolate(a, size=(3, 4), mode="bilinear", antialias=True) ; 1,1,7,6
F.interpolate(a, size=(5, 7), mode="bicubic") ; 1,1,3,4
F.interpolate(a, size=5, mode="linear") ; 1,2,3
F.interpolate(a, size=(3, 2, 4), mode="trilinear") ; 1,1,2,3,2
F.pixel_shuffle(a, 2) ; 1,4,2,3
F.pixel_unshuffle(a, 2) ; 1,2,4,2
F.channel_shuffle(a, 2) ; 1,6,2,2
F.grid_sample(a, b, align_corners=False) ; 1,2,3,4 ; 1,2,3,2
F.grid_sample(a, b, padding_mode="border", align_corners=True) ; 1,2,3,4 ; 1,2,3,2
F.grid_sample(a, b, padding_mode="reflection", align_corners=False) ; 1,2,3,4 ; 1,2,3,2
F.grid_sample(a, b, "bicubic", align_corners=False) ; 1,1,3,4 ; 1,2,2,2
F.grid_sample(a, b, "nearest", align_corners=False) ; 1,1,3,4 ; 1,2,2,2
F.grid_sample(a, b, align_corners=True) ; 1,1,2,3,2 ; 1,1,2,2,3
F.affine_grid(a, (2, 1, 3, 2), align_corners=False) ; 2,2,3
F.affine_grid(a, (1, 1, 2, 2, 3), align_corners=True) ; 1,3,4
""",
    "norm": """
t.softmax(a, 1) * t.softmax(a, 0) ; 3,4
t.log_softmax(a, -1) ; 2,3,4
t.logsumexp(a, (0, 2)) ; 2,3,4
F.batch_norm(a, None, None, b, c, True) ; 3,2,4 ; 2 ; 2
F.batch_norm(a, i(1, 2).double(), i(2, 3).double(), b, c) ; 3,2 ; 2 ; 2
F.layer_norm(a, (3, 2), b, c) ; 2,3,2 ; 3,2 ; 3,2
F.layer_norm(a, (4,)) ; 3,4
F.group_norm(a, 2, b, c) ; 2,4,3 ; 4 ; 4
F.instance_norm(a, weight=b, bias=c) ; 2,3,4 ; 3 ; 3
F.rms_norm(a, (4,), b, 1e-3) ; 3,4 ; 4
F.local_response_norm(a, 2) ; 2,4,3
F.normalize(a, dim=1) ; 3,4
""",
    "attention": """
F.scaled_dot_product_attention(a, b, c) ; 2,3,4 ; 2,5,4 ; 2,5,3
F.scaled_dot_product_attention(a, b, c, is_causal=True, scale=.3) ; 1,2,3,4 ; 1,2,3,4 ; 1,2,3,4
F.scaled_dot_product_attention(a, b, c, attn_mask=d) ; 2,3,4 ; 2,3,4 ; 2,3,4 ; 3,3
F.scaled_dot_product_attention(a, b, c, attn_mask=i(1, 0, 1, 1, 1, 0).view(2, 3).bool()) ; 2,2,4 ; 2,3,4 ; 2,3,4
F.scaled_dot_product_attention(a, b, c, enable_gqa=True) ; 1,4,2,3 ; 1,2,3,3 ; 1,2,3,3
F.embedding(i(0, 2, 2, 1), a) ; 4,3
F.embedding(i(0, 2, 2, 1).view(2, 2), a, padding_idx=2, scale_grad_by_freq=True) ; 4,3
F.embedding_bag(i(0, 2, 2, 1), a, i(0, 3), per_sample_weights=b, mode="sum") ; 4,3 ; 4
F.embedding_bag(i(0, 2, 2, 1), a, i(0, 1), mode="mean", padding_idx=1) ; 4,3
F.embedding_bag(i(0, 2, 3, 1), a, i(0, 3, 4), mode="max", include_last_offset=True) ; 4,3
""",
    "rnn": """
t.lstm(a, [b, c], [d, e], False, 1, 0., True, False, False) ; 3,2,2 ; 1,2,3 ; 1,2,3 ; 12,2 ; 12,3
t.gru(a, b, [c, d, e, f], True, 1, 0., True, False, True) ; 2,3,2 ; 1,2,2 ; 6,2 ; 6,2 ; 6 ; 6
t.rnn_tanh(a, b, [c, d, c, d], False, 1, 0., True, True, False) ; 3,2,2 ; 2,2,2 ; 2,2 ; 2,2
t.rnn_relu(a, b, [c, d, c, d], False, 2, 0., True, False, False) ; 3,2,2 ; 2,2,2 ; 2,2 ; 2,2
t.lstm(a, i(2, 1, 1), [b, c], [d, e, d, e], False, 1, 0., True, True) ; 4,2 ; 2,2,3 ; 2,2,3 ; 12,2 ; 12,3
t.gru(a, i(2, 2, 1), b, [c, d], False, 1, 0., True, False) ; 5,2 ; 1,2,2 ; 6,2 ; 6,2
t.lstm_cell(a, [b, c], d, e) ; 2,2 ; 2,3 ; 2,3 ; 12,2 ; 12,3
t.gru_cell(a, b, c, d, e, f) ; 2,2 ; 2,3 ; 9,2 ; 9,3 ; 9 ; 9
t.rnn_tanh_cell(a, b, c, d) + t.rnn_relu_cell(a, b, c, d) ; 2,2 ; 2,3 ; 3,2 ; 3,3
t._pack_padded_sequence(a, i(3, 2), True)[0] ; 2,4,2
t._pad_packed_sequence(a, i(2, 2, 1), True, 0., 4)[0] ; 5,2
t.nn.utils.rnn.pad_sequence([a, b], padding_side="left") ; 3,2 ; 1,2
""",
    "loss": """
F.cross_entropy(a, i(0, 3, 2)) ; 3,4
F.cross_entropy(a, i(0, 3, -100), i(1, 2, 3, 4).double(), label_smoothing=.1) ; 3,4
F.cross_entropy(a, i(0, 1, 1, 2).view(1, 2, 2), reduction="none") ; 1,3,2,2
F.cross_entropy(a, b, label_smoothing=.1) ; 3,4 ; 3,4+
F.nll_loss(a, i(0, 3, 2), i(1, 2, 3, 4).double(), ignore_index=3) ; 3,4
F.mse_loss(a, b) + F.l1_loss(a, b) + F.smooth_l1_loss(a, b, beta=.5) + F.huber_loss(a, b, delta=.7) ; 3,4 ; 3,4
F.binary_cross_entropy(a, b, i(1, 2, 3, 4).double().expand(3, 4)) ; 3,4u ; 3,4u
F.binary_cross_entropy_with_logits(a, b, pos_weight=i(1, 2, 3, 4).double()) ; 3,4 ; 3,4u
F.kl_div(a, b, reduction="batchmean") + F.kl_div(a, c, log_target=True) ; 3,4 ; 3,4+ ; 3,4
F.poisson_nll_loss(a, b, full=True) + F.poisson_nll_loss(b, a, log_input=False) ; 3,4+ ; 3,4+
F.gaussian_nll_loss(a, b, c) ; 3,4 ; 3,4 ; 3,4+
F.hinge_embedding_loss(a, i(1, -1, 1)) + F.soft_margin_loss(a, i(1, -1, 1)) ; 3
F.margin_ranking_loss(a, b, i(1, -1, 1), .5) ; 3 ; 3
F.cosine_embedding_loss(a, b, i(1, -1, 1), .1) ; 3,4 ; 3,4
F.triplet_margin_loss(a, b, c, swap=True) ; 3,4 ; 3,4 ; 3,4
F.multi_margin_loss(a, i(0, 3, 2), p=2, weight=i(1, 2, 3, 4).double()) ; 3,4
F.multilabel_margin_loss(a, i(0, 2, -1, 1).view(1, 4)) ; 1,4
F.multilabel_soft_margin_loss(a, i(0, 1, 1, 0).view(1, 4)) ; 1,4
""",
    "sorting": """
t.sort(a, 1, True)[0] * t.topk(b, 4, 1)[0] ; 3,4 ; 3,5
t.kthvalue(a, 2, 0)[0] + t.median(a, 0)[0] + t.mode(a, 0)[0] + t.msort(a).sum(0) ; 3,4
t.median(a) + t.nanmedian(a) ; 3,4
t.quantile(a, .3, 1) + t.nanquantile(a, .6, 1, interpolation="midpoint") ; 3,4
t.quantile(a, i(0, 1).double() * .7, 0, True, interpolation="nearest") ; 3,4
""",
    "fft": """
t.fft.fft(a, 5) ; 2,4c
t.fft.ifft(a, 3, 0, "ortho") ; 4,2c
t.fft.rfft(a, norm="forward") ; 2,5
t.fft.rfft(a, 6) ; 2,5
t.fft.irfft(a) ; 2,4c
t.fft.irfft(a, 5) ; 2,4c
t.fft.hfft(a, 5) ; 4c
t.fft.ihfft(a) ; 5
t.fft.fft2(a) ; 2,3
t.fft.rfftn(a, (3, 4)) ; 2,3,3
t.fft.irfft2(a, (3, 4)) ; 3,3c
t.fft.hfft2(a, (3, 4)) ; 3,3c
t.fft.fftshift(t.fft.ifftshift(a, 0)) ; 3,4
t.stft(a, 4, 2, window=b, return_complex=True) ; 9 ; 4+
t.istft(a, 4, 2, window=b) ; 3,4c ; 4+
""",
    "special": """
t.lgamma(a) + t.digamma(a) + t.polygamma(1, a) + t.mvlgamma(a + 1, 2) ; 4+
t.erfinv(a) + t.special.ndtri(a) + t.special.entr(a) + t.special.logit(a) ; 4u
t.i0(a) + t.special.i0e(a) + t.special.i1(a) + t.special.i1e(a) ; 4
t.special.erfcx(a) + t.special.ndtr(a) + t.special.log_ndtr(a) + t.special.sinc(a) ; 4
t.special.gammainc(i(2).double(), a) + t.special.gammaincc(i(2).double(), a) ; 4+
t.special.zeta(i(2).double(), a) + t.special.xlog1py(a, b) ; 4+ ; 4+
t.special.softmax(a, 0) + t.special.log_softmax(a, 0) + t.special.logsumexp(a, 0) ; 4
t.special.expit(a) + t.special.exp2(a) + t.special.expm1(a) + t.special.erf(a) ; 4
""",
    "linalg": """
t.einsum("bij,bjk,k->ik", a, b, c) ; 2,3,2 ; 2,2,4 ; 4
t.einsum("...ii,ij->...j", a, b) ; 2,3,3c ; 3,2c
t.kron(a, b) ; 2,3 ; 2,2
t.linalg.cross(a, b) + t.linalg.vecdot(a, b).unsqueeze(-1) ; 2,3c ; 2,3c
F.bilinear(a, b, c, d) ; 3,2 ; 3,4 ; 2,2,4 ; 2
t.trace(a) + t.linalg.matrix_power(a, 3) + t.linalg.matrix_power(a, -2) + t.linalg.matrix_exp(a) ; 3,3
t.cdist(a, b) + t.cdist(a, b, 1.) + t.cdist(a, b, 3.) ; 3,2 ; 4,2
F.pdist(a) ; 4,3
F.cosine_similarity(a, b) + F.pairwise_distance(a, b) ; 3,4 ; 3,4
t.cov(a, aweights=i(1, 2, 3, 1).double()) + t.corrcoef(a) ; 3,4
t.trapezoid(a, b) + t.trapezoid(a, dx=.5) + t.cumulative_trapezoid(a, b).sum() ; 2,4 ; 4
t.vander(a, 4) * t.linalg.vander(a, N=4) ; 3
t.renorm(a, 2, 0, 1.) ; 3,4
t.linalg.inv(a) ; 2,3,3c
t.linalg.det(a) + t.linalg.slogdet(a)[1] ; 2,3,3
t.linalg.det(a * b) ; 3,1 ; 1,3
t.linalg.solve(a, b) ; 2,3,3c ; 2,3,2c
t.linalg.solve(a, b, left=False) + t.linalg.solve(a, b[0]) ; 3,3 ; 2,3
t.linalg.solve_triangular(a + 4 * t.eye(3).double(), b, upper=True, unitriangular=False) ; 3,3 ; 3,2
t.linalg.cholesky(a @ a.mH + t.eye(3).double()) ; 3,3c
t.cholesky_solve(a, (b + 4 * t.eye(3).double()).tril()) + t.cholesky_inverse((b + 4 * t.eye(3).double()).tril())[:, :2] ; 3,2 ; 3,3
t.linalg.lu(a)[1:] ; 3,3
t.linalg.lu(a)[1:] ; 2,4
t.linalg.lu(a)[1:] ; 4,2
t.linalg.lu_solve(*t.linalg.lu_factor(a), b) ; 3,3 ; 3,2
t.linalg.qr(a) ; 4,3
t.linalg.qr(a)[1].abs() ; 2,3c
t.linalg.householder_product(a, b) ; 3,2 ; 2
t.ormqr(a, b, c) ; 3,2 ; 2 ; 3,2
t.linalg.eigvalsh(a + a.mH) ; 3,3c
(lambda v: v[0] + (v[1] ** 2).sum())(t.linalg.eigh(a + a.mT)) ; 3,3
t.linalg.eigvals(a).abs() ; 3,3
t.linalg.eig(a)[1].abs() ; 3,3
t.linalg.svdvals(a) ; 3,4c
(lambda u, s, v: [s, u.abs(), v.abs()])(*t.linalg.svd(a, False)) ; 4,2c
t.linalg.pinv(a) ; 4,2c
t.linalg.lstsq(a, b)[:2] ; 4,2 ; 4,3
t.linalg.matrix_norm(a) + t.linalg.matrix_norm(a, "nuc") + t.linalg.matrix_norm(a, 1) + t.linalg.norm(a, 2) ; 3,4
t.linalg.cond(a) + t.linalg.cond(a, "fro") ; 3,3
t.linalg.tensorsolve(a, b) + t.linalg.tensorinv(a, ind=1).sum() ; 4,2,2 ; 4
""",
    "others": """
t.gradient(a, spacing=.5, dim=1, edge_order=2)[0] + t.gradient(a, spacing=(b,), dim=1)[0] ; 2,4 ; 4
t.index_reduce(a, 0, i(0, 1, 0), b, "mean") + t.index_reduce(a, 0, i(0, 1, 0), b, "prod") ; 2,3+ ; 3,3+
t.scatter_reduce(a, 0, i(0, 0, 0), b, "prod") ; 2 ; 3
t.block_diag(a, b) ; 2,3 ; 2,1
t.combinations(a, 2) ; 4
t.fake_quantize_per_tensor_affine(a, .5, 0, -2, 2) ; 3,4
t.fake_quantize_per_channel_affine(a, i(1, 2).double().float(), i(0, 1).int(), 0, -1, 1) ; 2,4
""",
}
