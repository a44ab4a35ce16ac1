"""Operator schemas of the scalar family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::Bool.Tensor(Tensor a) -> bool
aten::Bool.int(int a) -> bool
aten::Bool.float(float a) -> bool
aten::Complex.Scalar(Scalar a) -> complex
aten::Complex.Tensor_Tensor(Tensor a, Tensor b) -> complex
aten::Complex.int_bool(int x, bool y) -> complex
aten::Complex.bool_int(bool x, int y) -> complex
aten::Complex.float_bool(float x, bool y) -> complex
aten::Complex.bool_float(bool x, float y) -> complex
aten::Complex.float_int(float x, int y) -> complex
aten::Complex.int_float(int x, float y) -> complex
aten::Complex.int_int(int x, int y) -> complex
aten::Complex.bool_bool(bool x, bool y) -> complex
aten::Complex.float_float(float x, float y) -> complex
aten::Complex.Tensor_float(Tensor x, float y) -> complex
aten::Complex.float_Tensor(float x, Tensor y) -> complex
aten::Complex.Tensor_int(Tensor x, int y) -> complex
aten::Complex.int_Tensor(int x, Tensor y) -> complex
aten::Complex.Tensor_bool(Tensor x, bool y) -> complex
aten::Complex.bool_Tensor(bool x, Tensor y) -> complex
aten::ComplexImplicit(Tensor a) -> complex
aten::Float.Tensor(Tensor a) -> float
aten::Float.Scalar(Scalar a) -> float
aten::Float.int(int a) -> float
aten::Float.bool(bool a) -> float
aten::Float.str(str a) -> float
aten::FloatImplicit(Tensor a) -> float
aten::Int.Tensor(Tensor a) -> int
aten::Int.bool(bool a) -> int
aten::Int.float(float a) -> int
aten::Int.Scalar(Scalar a) -> int
aten::Int.str(str a) -> int
aten::IntImplicit(Tensor a) -> int
aten::ScalarImplicit(Tensor a) -> Scalar
aten::__and__.bool(bool a, bool b) -> bool
aten::__and__.int(int a, int b) -> int
aten::__is__(t1 self, t2 obj) -> bool
aten::__isnot__(t1 self, t2 obj) -> bool
aten::__lshift__.int(int a, int b) -> int
aten::__not__(bool self) -> bool
aten::__or__.bool(bool a, bool b) -> bool
aten::__or__.int(int a, int b) -> int
aten::__round_to_zero_floordiv.int(int a, int b) -> int
aten::__rshift__.int(int a, int b) -> int
aten::__xor__.bool(bool a, bool b) -> bool
aten::__xor__.int(int a, int b) -> int
aten::acos.int(int a) -> float
aten::acos.float(float a) -> float
aten::acos.complex(complex a) -> complex
aten::acos.Scalar(Scalar a) -> Scalar
aten::acosh.int(int a) -> float
aten::acosh.float(float a) -> float
aten::acosh.complex(complex a) -> complex
aten::acosh.Scalar(Scalar a) -> Scalar
aten::add.int(int a, int b) -> int
aten::add.complex(complex a, complex b) -> complex
aten::add.float(float a, float b) -> float
aten::add.int_complex(int a, complex b) -> complex
aten::add.complex_int(complex a, int b) -> complex
aten::add.float_complex(float a, complex b) -> complex
aten::add.complex_float(complex a, float b) -> complex
aten::add.int_float(int a, float b) -> float
aten::add.float_int(float a, int b) -> float
aten::add(Scalar a, Scalar b) -> Scalar
aten::angle.int(int a) -> float
aten::angle.float(float a) -> float
aten::angle.complex(complex a) -> float
aten::angle.Scalar(Scalar a) -> Scalar
aten::asin.int(int a) -> float
aten::asin.float(float a) -> float
aten::asin.complex(complex a) -> complex
aten::asin.Scalar(Scalar a) -> Scalar
aten::asinh.int(int a) -> float
aten::asinh.float(float a) -> float
aten::asinh.complex(complex a) -> complex
aten::asinh.Scalar(Scalar a) -> Scalar
aten::atan.int(int a) -> float
aten::atan.float(float a) -> float
aten::atan.complex(complex a) -> complex
aten::atan.Scalar(Scalar a) -> Scalar
aten::atan2.int(int a, int b) -> float
aten::atan2.float(float a, float b) -> float
aten::atan2.int_float(int a, float b) -> float
aten::atan2.float_int(float a, int b) -> float
aten::atan2.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::atanh.int(int a) -> float
aten::atanh.float(float a) -> float
aten::atanh.complex(complex a) -> complex
aten::atanh.Scalar(Scalar a) -> Scalar
aten::ceil.int(int a) -> int
aten::ceil.float(float a) -> int
aten::ceil.Scalar(Scalar a) -> Scalar
aten::copysign.int(int a, int b) -> float
aten::copysign.float(float a, float b) -> float
aten::copysign.int_float(int a, float b) -> float
aten::copysign.float_int(float a, int b) -> float
aten::copysign(Scalar a, Scalar b) -> float
aten::cos.int(int a) -> float
aten::cos.float(float a) -> float
aten::cos.complex(complex a) -> complex
aten::cos.Scalar(Scalar a) -> Scalar
aten::cosh.int(int a) -> float
aten::cosh.float(float a) -> float
aten::cosh.complex(complex a) -> complex
aten::cosh.Scalar(Scalar a) -> Scalar
aten::degrees.int(int a) -> float
aten::degrees.float(float a) -> float
aten::degrees.Scalar(Scalar a) -> Scalar
aten::div.int(int a, int b) -> float
aten::div.complex(complex a, complex b) -> complex
aten::div.float(float a, float b) -> float
aten::div(Scalar a, Scalar b) -> float
aten::divmod.int(int x, int y) -> (int, int)
aten::divmod.float(float x, float y) -> (float, float)
aten::divmod.int_float(int x, float y) -> (float, float)
aten::divmod.float_int(float x, int y) -> (float, float)
aten::eq.device(Device a, Device b) -> bool
aten::eq.bool(bool a, bool b) -> bool
aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool
aten::eq.int(int a, int b) -> bool
aten::eq.complex(complex a, complex b) -> bool
aten::eq.float(float a, float b) -> bool
aten::eq.int_float(int a, float b) -> bool
aten::eq.float_int(float a, int b) -> bool
aten::eq.float_complex(float a, complex b) -> bool
aten::eq.complex_float(complex a, float b) -> bool
aten::eq(Scalar a, Scalar b) -> bool
aten::erf.int(int a) -> float
aten::erf.float(float a) -> float
aten::erf.Scalar(Scalar a) -> Scalar
aten::erfc.int(int a) -> float
aten::erfc.float(float a) -> float
aten::erfc.Scalar(Scalar a) -> Scalar
aten::exp.int(int a) -> float
aten::exp.float(float a) -> float
aten::exp.complex(complex a) -> complex
aten::exp.Scalar(Scalar a) -> Scalar
aten::expm1.int(int a) -> float
aten::expm1.float(float a) -> float
aten::expm1.Scalar(Scalar a) -> Scalar
aten::fabs.int(int a) -> float
aten::fabs.float(float a) -> float
aten::fabs.Scalar(Scalar a) -> Scalar
aten::factorial.int(int a) -> int
aten::floor.int(int a) -> int
aten::floor.float(float a) -> int
aten::floor.Scalar(Scalar a) -> Scalar
aten::floordiv.int(int a, int b) -> int
aten::floordiv.float(float a, float b) -> float
aten::floordiv.int_float(int a, float b) -> float
aten::floordiv.float_int(float a, int b) -> float
aten::floordiv(Scalar a, Scalar b) -> Scalar
aten::fmod.int(int a, int b) -> float
aten::fmod.float(float a, float b) -> float
aten::fmod.int_float(int a, float b) -> float
aten::fmod.float_int(float a, int b) -> float
aten::fmod(Scalar a, Scalar b) -> float
aten::frexp(float a) -> (float, int)
aten::gamma.int(int a) -> float
aten::gamma.float(float a) -> float
aten::gamma.Scalar(Scalar a) -> Scalar
aten::gcd.int(int a, int b) -> int
aten::ge.int(int a, int b) -> bool
aten::ge.float(float a, float b) -> bool
aten::ge.int_float(int a, float b) -> bool
aten::ge.float_int(float a, int b) -> bool
aten::ge(Scalar a, Scalar b) -> bool
aten::gt.int(int a, int b) -> bool
aten::gt.float(float a, float b) -> bool
aten::gt.int_float(int a, float b) -> bool
aten::gt.float_int(float a, int b) -> bool
aten::gt(Scalar a, Scalar b) -> bool
aten::isfinite.float(float a) -> bool
aten::isfinite.complex(complex a) -> bool
aten::isinf.float(float a) -> bool
aten::isinf.complex(complex a) -> bool
aten::isnan.float(float a) -> bool
aten::isnan.complex(complex a) -> bool
aten::ldexp(float x, int i) -> float
aten::le.int(int a, int b) -> bool
aten::le.float(float a, float b) -> bool
aten::le.int_float(int a, float b) -> bool
aten::le.float_int(float a, int b) -> bool
aten::le(Scalar a, Scalar b) -> bool
aten::log.int(int a) -> float
aten::log.float(float a) -> float
aten::log.complex(complex a) -> complex
aten::log.Scalar(Scalar a) -> Scalar
aten::log.int_int(int a, int b) -> float
aten::log.float_float(float a, float b) -> float
aten::log.complex_complex(complex a, complex b) -> complex
aten::log.int_float(int a, float b) -> float
aten::log.float_int(float a, int b) -> float
aten::log.int_complex(int a, complex b) -> complex
aten::log.complex_int(complex a, int b) -> complex
aten::log.float_complex(float a, complex b) -> complex
aten::log.complex_float(complex a, float b) -> complex
aten::log.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::log10.int(int a) -> float
aten::log10.float(float a) -> float
aten::log10.complex(complex a) -> complex
aten::log10.Scalar(Scalar a) -> Scalar
aten::log1p.int(int a) -> float
aten::log1p.float(float a) -> float
aten::log1p.Scalar(Scalar a) -> Scalar
aten::lt.int(int a, int b) -> bool
aten::lt.float(float a, float b) -> bool
aten::lt.int_float(int a, float b) -> bool
aten::lt.float_int(float a, int b) -> bool
aten::lt(Scalar a, Scalar b) -> bool
aten::mathremainder.int(int a, int b) -> float
aten::mathremainder.float(float a, float b) -> float
aten::mathremainder.int_float(int a, float b) -> float
aten::mathremainder.float_int(float a, int b) -> float
aten::mathremainder(Scalar a, Scalar b) -> float
aten::modf(float a) -> (float, float)
aten::mul.right_(int n, t[] l) -> t[]
aten::mul.int(int a, int b) -> int
aten::mul.complex(complex a, complex b) -> complex
aten::mul.float(float a, float b) -> float
aten::mul.int_complex(int a, complex b) -> complex
aten::mul.complex_int(complex a, int b) -> complex
aten::mul.float_complex(float a, complex b) -> complex
aten::mul.complex_float(complex a, float b) -> complex
aten::mul.int_float(int a, float b) -> float
aten::mul.float_int(float a, int b) -> float
aten::mul(Scalar a, Scalar b) -> Scalar
aten::ne.device(Device a, Device b) -> bool
aten::ne.bool(bool a, bool b) -> bool
aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool
aten::ne.int(int a, int b) -> bool
aten::ne.complex(complex a, complex b) -> bool
aten::ne.float(float a, float b) -> bool
aten::ne.int_float(int a, float b) -> bool
aten::ne.float_int(float a, int b) -> bool
aten::ne.float_complex(float a, complex b) -> bool
aten::ne.complex_float(complex a, float b) -> bool
aten::ne(Scalar a, Scalar b) -> bool
aten::neg.int(int a) -> int
aten::neg.float(float a) -> float
aten::neg.complex(complex a) -> complex
aten::neg.Scalar(Scalar a) -> Scalar
aten::pow.int(int a, int b) -> float
aten::pow.complex(complex a, complex b) -> complex
aten::pow.float(float a, float b) -> float
aten::pow.int_float(int a, float b) -> float
aten::pow.float_int(float a, int b) -> float
aten::pow.float_complex(float a, complex b) -> complex
aten::pow.complex_float(complex a, float b) -> complex
aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::pow.int_to_int(int a, int b) -> int
aten::radians.int(int a) -> float
aten::radians.float(float a) -> float
aten::radians.Scalar(Scalar a) -> Scalar
aten::remainder.int(int a, int b) -> int
aten::remainder.float(float a, float b) -> float
aten::remainder.int_float(int a, float b) -> float
aten::remainder.float_int(float a, int b) -> float
aten::remainder(Scalar a, Scalar b) -> Scalar
aten::round.int(int a) -> float
aten::round.float(float a) -> float
aten::round.Scalar(Scalar a) -> Scalar
aten::sin.int(int a) -> float
aten::sin.float(float a) -> float
aten::sin.complex(complex a) -> complex
aten::sin.Scalar(Scalar a) -> Scalar
aten::sinh.int(int a) -> float
aten::sinh.float(float a) -> float
aten::sinh.complex(complex a) -> complex
aten::sinh.Scalar(Scalar a) -> Scalar
aten::sqrt.int(int a) -> float
aten::sqrt.float(float a) -> float
aten::sqrt.complex(complex a) -> complex
aten::sqrt.Scalar(Scalar a) -> Scalar
aten::sub.int(int a, int b) -> int
aten::sub.complex(complex a, complex b) -> complex
aten::sub.float(float a, float b) -> float
aten::sub.int_complex(int a, complex b) -> complex
aten::sub.complex_int(complex a, int b) -> complex
aten::sub.float_complex(float a, complex b) -> complex
aten::sub.complex_float(complex a, float b) -> complex
aten::sub.int_float(int a, float b) -> float
aten::sub.float_int(float a, int b) -> float
aten::sub(Scalar a, Scalar b) -> Scalar
aten::tan.int(int a) -> float
aten::tan.float(float a) -> float
aten::tan.complex(complex a) -> complex
aten::tan.Scalar(Scalar a) -> Scalar
aten::tanh.int(int a) -> float
aten::tanh.float(float a) -> float
aten::tanh.complex(complex a) -> complex
aten::tanh.Scalar(Scalar a) -> Scalar
prim::abs.int(int a) -> int
prim::abs.float(float a) -> float
prim::abs.complex(complex a) -> float
prim::abs.Scalar(Scalar a) -> Scalar
prim::abs(Tensor x) -> Tensor
prim::max.int(int a, int b) -> int
prim::max.float(float a, float b) -> float
prim::max.int_float(int a, float b) -> float
prim::max.float_int(float a, int b) -> float
prim::max(Scalar a, Scalar b) -> Scalar
prim::max.int_list(int[] l, int[] r) -> int[]
prim::max.self_int(int[] self) -> int
prim::max.float_list(float[] l, float[] r) -> float[]
prim::max.self_float(float[] self) -> float
prim::max.bool_list(bool[] l, bool[] r) -> bool[]
prim::max.self_bool(bool[] self) -> bool
prim::min.int(int a, int b) -> int
prim::min.float(float a, float b) -> float
prim::min.int_float(int a, float b) -> float
prim::min.float_int(float a, int b) -> float
prim::min(Scalar a, Scalar b) -> Scalar
prim::min.int_list(int[] l, int[] r) -> int[]
prim::min.self_int(int[] self) -> int
prim::min.float_list(float[] l, float[] r) -> float[]
prim::min.self_float(float[] self) -> float
prim::min.bool_list(bool[] l, bool[] r) -> bool[]
prim::min.self_bool(bool[] self) -> bool
"""
