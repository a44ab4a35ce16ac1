"""Operator schemas of the special family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::digamma(Tensor self) -> Tensor
aten::digamma.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::digamma_(Tensor(a!) self) -> Tensor(a!)
aten::erfinv(Tensor self) -> Tensor
aten::erfinv.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erfinv_(Tensor(a!) self) -> Tensor(a!)
aten::i0(Tensor self) -> Tensor
aten::i0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::i0_(Tensor(a!) self) -> Tensor(a!)
aten::igamma(Tensor self, Tensor other) -> Tensor
aten::igamma.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::igamma_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::igammac(Tensor self, Tensor other) -> Tensor
aten::igammac.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::igammac_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::lgamma(Tensor self) -> Tensor
aten::lgamma.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::lgamma.int(int a) -> float
aten::lgamma.float(float a) -> float
aten::lgamma.Scalar(Scalar a) -> Scalar
aten::lgamma_(Tensor(a!) self) -> Tensor(a!)
aten::mvlgamma(Tensor self, int p) -> Tensor
aten::mvlgamma.out(Tensor self, int p, *, Tensor(a!) out) -> Tensor(a!)
aten::mvlgamma_(Tensor(a!) self, int p) -> Tensor(a!)
aten::nextafter(Tensor self, Tensor other) -> Tensor
aten::nextafter.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::nextafter_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::polygamma(int n, Tensor self) -> Tensor
aten::polygamma.out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)
aten::special_airy_ai(Tensor x) -> Tensor
aten::special_airy_ai.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
aten::special_bessel_j0(Tensor self) -> Tensor
aten::special_bessel_j0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_bessel_j1(Tensor self) -> Tensor
aten::special_bessel_j1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_bessel_y0(Tensor self) -> Tensor
aten::special_bessel_y0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_bessel_y1(Tensor self) -> Tensor
aten::special_bessel_y1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_t.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_t.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_chebyshev_polynomial_t.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_u.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_u.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_chebyshev_polynomial_u.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_v.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_v.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_chebyshev_polynomial_v.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_w.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_chebyshev_polynomial_w.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_chebyshev_polynomial_w.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_digamma(Tensor self) -> Tensor
aten::special_digamma.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_entr(Tensor self) -> Tensor
aten::special_entr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erf(Tensor self) -> Tensor
aten::special_erf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erfc(Tensor self) -> Tensor
aten::special_erfc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erfcx(Tensor self) -> Tensor
aten::special_erfcx.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erfinv(Tensor self) -> Tensor
aten::special_erfinv.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_exp2(Tensor self) -> Tensor
aten::special_exp2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_expit(Tensor self) -> Tensor
aten::special_expit.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_expm1(Tensor self) -> Tensor
aten::special_expm1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_gammainc(Tensor self, Tensor other) -> Tensor
aten::special_gammainc.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_gammaincc(Tensor self, Tensor other) -> Tensor
aten::special_gammaincc.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_gammaln(Tensor self) -> Tensor
aten::special_gammaln.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor
aten::special_hermite_polynomial_h.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_hermite_polynomial_h.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_hermite_polynomial_h.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor
aten::special_hermite_polynomial_he.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_hermite_polynomial_he.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_hermite_polynomial_he.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_i0(Tensor self) -> Tensor
aten::special_i0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_i0e(Tensor self) -> Tensor
aten::special_i0e.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_i1(Tensor self) -> Tensor
aten::special_i1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_i1e(Tensor self) -> Tensor
aten::special_i1e.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor
aten::special_laguerre_polynomial_l.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_laguerre_polynomial_l.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_laguerre_polynomial_l.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor
aten::special_legendre_polynomial_p.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_legendre_polynomial_p.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_legendre_polynomial_p.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_log1p(Tensor self) -> Tensor
aten::special_log1p.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_log_ndtr(Tensor self) -> Tensor
aten::special_log_ndtr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
aten::special_logit(Tensor self, float? eps=None) -> Tensor
aten::special_logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)
aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
aten::special_logsumexp.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
aten::special_modified_bessel_i0(Tensor self) -> Tensor
aten::special_modified_bessel_i0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_modified_bessel_i1(Tensor self) -> Tensor
aten::special_modified_bessel_i1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_modified_bessel_k0(Tensor self) -> Tensor
aten::special_modified_bessel_k0.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_modified_bessel_k1(Tensor self) -> Tensor
aten::special_modified_bessel_k1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_multigammaln(Tensor self, int p) -> Tensor
aten::special_multigammaln.out(Tensor self, int p, *, Tensor(a!) out) -> Tensor(a!)
aten::special_ndtr(Tensor self) -> Tensor
aten::special_ndtr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_ndtri(Tensor self) -> Tensor
aten::special_ndtri.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_polygamma(int n, Tensor self) -> Tensor
aten::special_polygamma.out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_psi(Tensor self) -> Tensor
aten::special_psi.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_round(Tensor self, *, int decimals=0) -> Tensor
aten::special_round.out(Tensor self, *, int decimals=0, Tensor(a!) out) -> Tensor(a!)
aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor
aten::special_scaled_modified_bessel_k0.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor
aten::special_scaled_modified_bessel_k1.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_t.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_t.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_shifted_chebyshev_polynomial_t.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_u.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_u.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_shifted_chebyshev_polynomial_u.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_v.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_v.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_shifted_chebyshev_polynomial_v.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_w.out(Tensor x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
aten::special_shifted_chebyshev_polynomial_w.x_scalar_out(Scalar x, Tensor n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
aten::special_shifted_chebyshev_polynomial_w.n_scalar_out(Tensor x, Scalar n, *, Tensor(a!) out) -> Tensor(a!)
aten::special_sinc(Tensor self) -> Tensor
aten::special_sinc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
aten::special_spherical_bessel_j0(Tensor x) -> Tensor
aten::special_spherical_bessel_j0.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py(Tensor self, Tensor other) -> Tensor
aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor
aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor
aten::special_xlog1py.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy(Tensor self, Tensor other) -> Tensor
aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor
aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor
aten::special_xlogy.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_zeta(Tensor self, Tensor other) -> Tensor
aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor
aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor
aten::special_zeta.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_zeta.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_zeta.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
"""
