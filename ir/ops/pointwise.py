"""Operator schemas of the pointwise family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__ilshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ilshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__irshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__irshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__lshift__.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::__lshift__.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__rshift__.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::__rshift__.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor
aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::_add_relu.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::_add_relu.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::_add_relu_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::_add_relu_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor
aten::_test_serialization_subcmul(Tensor self, Tensor other, Scalar alpha=1) -> Tensor
aten::abs(Tensor self) -> Tensor
aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::abs_(Tensor(a!) self) -> Tensor(a!)
aten::absolute(Tensor self) -> Tensor
aten::absolute.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::absolute_(Tensor(a!) self) -> Tensor(a!)
aten::acos(Tensor self) -> Tensor
aten::acos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acos_(Tensor(a!) self) -> Tensor(a!)
aten::acosh(Tensor self) -> Tensor
aten::acosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acosh_(Tensor(a!) self) -> Tensor(a!)
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::add.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcdiv.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)
aten::addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcmul.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)
aten::addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
aten::angle(Tensor self) -> Tensor
aten::angle.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arccos(Tensor self) -> Tensor
aten::arccos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arccos_(Tensor(a!) self) -> Tensor(a!)
aten::arccosh(Tensor self) -> Tensor
aten::arccosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arccosh_(Tensor(a!) self) -> Tensor(a!)
aten::arcsin(Tensor self) -> Tensor
aten::arcsin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arcsin_(Tensor(a!) self) -> Tensor(a!)
aten::arcsinh(Tensor self) -> Tensor
aten::arcsinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arcsinh_(Tensor(a!) self) -> Tensor(a!)
aten::arctan(Tensor self) -> Tensor
aten::arctan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arctan_(Tensor(a!) self) -> Tensor(a!)
aten::arctan2(Tensor self, Tensor other) -> Tensor
aten::arctan2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::arctan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::arctanh(Tensor self) -> Tensor
aten::arctanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arctanh_(Tensor(a!) self) -> Tensor(a!)
aten::asin(Tensor self) -> Tensor
aten::asin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::asin_(Tensor(a!) self) -> Tensor(a!)
aten::asinh(Tensor self) -> Tensor
aten::asinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::asinh_(Tensor(a!) self) -> Tensor(a!)
aten::atan(Tensor self) -> Tensor
aten::atan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::atan_(Tensor(a!) self) -> Tensor(a!)
aten::atan2(Tensor self, Tensor other) -> Tensor
aten::atan2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::atanh(Tensor self) -> Tensor
aten::atanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::atanh_(Tensor(a!) self) -> Tensor(a!)
aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_and.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_and.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_and.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_not(Tensor self) -> Tensor
aten::bitwise_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_not_(Tensor(a!) self) -> Tensor(a!)
aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_or.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_xor.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::ceil(Tensor self) -> Tensor
aten::ceil.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::ceil_(Tensor(a!) self) -> Tensor(a!)
aten::celu(Tensor self, Scalar alpha=1.) -> Tensor
aten::celu.out(Tensor self, Scalar alpha=1., *, Tensor(a!) out) -> Tensor(a!)
aten::celu_(Tensor(a!) self, Scalar alpha=1.) -> Tensor(a!)
aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clamp.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
aten::clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)
aten::clamp_max(Tensor self, Scalar max) -> Tensor
aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
aten::clamp_max.out(Tensor self, Scalar max, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_max.Tensor_out(Tensor self, Tensor max, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)
aten::clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)
aten::clamp_min(Tensor self, Scalar min) -> Tensor
aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
aten::clamp_min.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_min.Tensor_out(Tensor self, Tensor min, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)
aten::clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)
aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clip.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clip.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
aten::clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)
aten::conj_physical(Tensor self) -> Tensor
aten::conj_physical.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::conj_physical_(Tensor(a!) self) -> Tensor(a!)
aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor
aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor
aten::copysign.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::copysign.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::cos(Tensor self) -> Tensor
aten::cos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::cos_(Tensor(a!) self) -> Tensor(a!)
aten::cosh(Tensor self) -> Tensor
aten::cosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::cosh_(Tensor(a!) self) -> Tensor(a!)
aten::deg2rad(Tensor self) -> Tensor
aten::deg2rad.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::deg2rad_(Tensor(a!) self) -> Tensor(a!)
aten::div.Tensor(Tensor self, Tensor other) -> Tensor
aten::div.Scalar(Tensor self, Scalar other) -> Tensor
aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::div.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::div.Scalar_mode_out(Tensor self, Scalar other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)
aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)
aten::divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::divide.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)
aten::divide_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)
aten::divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
aten::elu.out(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor(a!) out) -> Tensor(a!)
aten::elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)
aten::eq.Tensor(Tensor self, Tensor other) -> Tensor
aten::eq.Scalar(Tensor self, Scalar other) -> Tensor
aten::eq.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::eq.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::erf(Tensor self) -> Tensor
aten::erf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erf_(Tensor(a!) self) -> Tensor(a!)
aten::erfc(Tensor self) -> Tensor
aten::erfc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erfc_(Tensor(a!) self) -> Tensor(a!)
aten::exp(Tensor self) -> Tensor
aten::exp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::exp_(Tensor(a!) self) -> Tensor(a!)
aten::exp2(Tensor self) -> Tensor
aten::exp2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::exp2_(Tensor(a!) self) -> Tensor(a!)
aten::expm1(Tensor self) -> Tensor
aten::expm1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::expm1_(Tensor(a!) self) -> Tensor(a!)
aten::fix(Tensor self) -> Tensor
aten::fix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::fix_(Tensor(a!) self) -> Tensor(a!)
aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::float_power.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)
aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)
aten::floor(Tensor self) -> Tensor
aten::floor.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::floor_(Tensor(a!) self) -> Tensor(a!)
aten::floor_divide(Tensor self, Tensor other) -> Tensor
aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::floor_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::floor_divide.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::fmax(Tensor self, Tensor other) -> Tensor
aten::fmax.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmin(Tensor self, Tensor other) -> Tensor
aten::fmin.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor
aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor
aten::fmod.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmod.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::frac(Tensor self) -> Tensor
aten::frac.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::frac_(Tensor(a!) self) -> Tensor(a!)
aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)
aten::frexp.Tensor_out(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, Tensor(b!) exponent)
aten::gcd(Tensor self, Tensor other) -> Tensor
aten::gcd.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::gcd_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::ge.Tensor(Tensor self, Tensor other) -> Tensor
aten::ge.Scalar(Tensor self, Scalar other) -> Tensor
aten::ge.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::ge.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::gelu(Tensor self, *, str approximate="none") -> Tensor
aten::gelu.out(Tensor self, *, str approximate="none", Tensor(a!) out) -> Tensor(a!)
aten::gelu_(Tensor(a!) self, *, str approximate="none") -> Tensor(a!)
aten::glu(Tensor self, int dim=-1) -> Tensor
aten::glu.out(Tensor self, int dim=-1, *, Tensor(a!) out) -> Tensor(a!)
aten::greater.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::gt.Tensor(Tensor self, Tensor other) -> Tensor
aten::gt.Scalar(Tensor self, Scalar other) -> Tensor
aten::gt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::gt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::hardshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)
aten::hardsigmoid(Tensor self) -> Tensor
aten::hardsigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::hardsigmoid_(Tensor(a!) self) -> Tensor(a!)
aten::hardswish(Tensor self) -> Tensor
aten::hardswish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::hardswish_(Tensor(a!) self) -> Tensor(a!)
aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
aten::hardtanh.out(Tensor self, Scalar min_val=-1, Scalar max_val=1, *, Tensor(a!) out) -> Tensor(a!)
aten::hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)
aten::heaviside(Tensor self, Tensor values) -> Tensor
aten::heaviside.out(Tensor self, Tensor values, *, Tensor(a!) out) -> Tensor(a!)
aten::heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)
aten::hypot(Tensor self, Tensor other) -> Tensor
aten::hypot.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor
aten::isfinite(Tensor self) -> Tensor
aten::isinf(Tensor self) -> Tensor
aten::isinf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isnan(Tensor self) -> Tensor
aten::isnan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isneginf(Tensor self) -> Tensor
aten::isneginf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isposinf(Tensor self) -> Tensor
aten::isposinf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isreal(Tensor self) -> Tensor
aten::lcm(Tensor self, Tensor other) -> Tensor
aten::lcm.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::lcm_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor
aten::ldexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::le.Tensor(Tensor self, Tensor other) -> Tensor
aten::le.Scalar(Tensor self, Scalar other) -> Tensor
aten::le.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::le.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
aten::leaky_relu.out(Tensor self, Scalar negative_slope=0.01, *, Tensor(a!) out) -> Tensor(a!)
aten::leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)
aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor
aten::lerp.Scalar_out(Tensor self, Tensor end, Scalar weight, *, Tensor(a!) out) -> Tensor(a!)
aten::lerp.Tensor_out(Tensor self, Tensor end, Tensor weight, *, Tensor(a!) out) -> Tensor(a!)
aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)
aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)
aten::less.Tensor(Tensor self, Tensor other) -> Tensor
aten::less.Scalar(Tensor self, Scalar other) -> Tensor
aten::less.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::less.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::less_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::less_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::less_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::less_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::log(Tensor self) -> Tensor
aten::log.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log_(Tensor(a!) self) -> Tensor(a!)
aten::log10(Tensor self) -> Tensor
aten::log10.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log10_(Tensor(a!) self) -> Tensor(a!)
aten::log1p(Tensor self) -> Tensor
aten::log1p.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log1p_(Tensor(a!) self) -> Tensor(a!)
aten::log2(Tensor self) -> Tensor
aten::log2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log2_(Tensor(a!) self) -> Tensor(a!)
aten::log_sigmoid(Tensor self) -> Tensor
aten::log_sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)
aten::log_sigmoid_forward.output(Tensor self, *, Tensor(a!) output, Tensor(b!) buffer) -> (Tensor(a!), Tensor(b!))
aten::logaddexp(Tensor self, Tensor other) -> Tensor
aten::logaddexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logaddexp2(Tensor self, Tensor other) -> Tensor
aten::logaddexp2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_and(Tensor self, Tensor other) -> Tensor
aten::logical_and.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logical_not(Tensor self) -> Tensor
aten::logical_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_not_(Tensor(a!) self) -> Tensor(a!)
aten::logical_or(Tensor self, Tensor other) -> Tensor
aten::logical_or.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logical_xor(Tensor self, Tensor other) -> Tensor
aten::logical_xor.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logit(Tensor self, float? eps=None) -> Tensor
aten::logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)
aten::logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)
aten::lt.Tensor(Tensor self, Tensor other) -> Tensor
aten::lt.Scalar(Tensor self, Scalar other) -> Tensor
aten::lt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::lt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::maximum(Tensor self, Tensor other) -> Tensor
aten::maximum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::minimum(Tensor self, Tensor other) -> Tensor
aten::minimum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::mish(Tensor self) -> Tensor
aten::mish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::mish_(Tensor(a!) self) -> Tensor(a!)
aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::mul.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor
aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor
aten::multiply.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::multiply_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
aten::nan_to_num.out(Tensor self, float? nan=None, float? posinf=None, float? neginf=None, *, Tensor(a!) out) -> Tensor(a!)
aten::nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)
aten::ne.Tensor(Tensor self, Tensor other) -> Tensor
aten::ne.Scalar(Tensor self, Scalar other) -> Tensor
aten::ne.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::ne.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::neg(Tensor self) -> Tensor
aten::neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::neg_(Tensor(a!) self) -> Tensor(a!)
aten::negative(Tensor self) -> Tensor
aten::negative.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::negative_(Tensor(a!) self) -> Tensor(a!)
aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::not_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::not_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::not_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::positive(Tensor(a) self) -> Tensor(a)
aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::pow.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)
aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)
aten::prelu(Tensor self, Tensor weight) -> Tensor
aten::rad2deg(Tensor self) -> Tensor
aten::rad2deg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::rad2deg_(Tensor(a!) self) -> Tensor(a!)
aten::reciprocal(Tensor self) -> Tensor
aten::reciprocal.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::reciprocal_(Tensor(a!) self) -> Tensor(a!)
aten::relu(Tensor self) -> Tensor
aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::relu_(Tensor(a!) self) -> Tensor(a!)
aten::relu6(Tensor self) -> Tensor
aten::relu6_(Tensor(a!) self) -> Tensor(a!)
aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor
aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor
aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::remainder.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::round(Tensor self) -> Tensor
aten::round.decimals(Tensor self, *, int decimals) -> Tensor
aten::round.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::round.decimals_out(Tensor self, *, int decimals, Tensor(a!) out) -> Tensor(a!)
aten::round_(Tensor(a!) self) -> Tensor(a!)
aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)
aten::rsqrt(Tensor self) -> Tensor
aten::rsqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::rsqrt_(Tensor(a!) self) -> Tensor(a!)
aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::rsub.Tensor_out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::rsub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::selu(Tensor self) -> Tensor
aten::selu_(Tensor(a!) self) -> Tensor(a!)
aten::sgn(Tensor self) -> Tensor
aten::sgn.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sgn_(Tensor(a!) self) -> Tensor(a!)
aten::sigmoid(Tensor self) -> Tensor
aten::sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sigmoid_(Tensor(a!) self) -> Tensor(a!)
aten::sign(Tensor self) -> Tensor
aten::sign.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sign_(Tensor(a!) self) -> Tensor(a!)
aten::signbit(Tensor self) -> Tensor
aten::signbit.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::silu(Tensor self) -> Tensor
aten::silu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::silu_(Tensor(a!) self) -> Tensor(a!)
aten::sin(Tensor self) -> Tensor
aten::sin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sin_(Tensor(a!) self) -> Tensor(a!)
aten::sinc(Tensor self) -> Tensor
aten::sinc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sinc_(Tensor(a!) self) -> Tensor(a!)
aten::sinh(Tensor self) -> Tensor
aten::sinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sinh_(Tensor(a!) self) -> Tensor(a!)
aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
aten::softplus.out(Tensor self, Scalar beta=1, Scalar threshold=20, *, Tensor(a!) out) -> Tensor(a!)
aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::softshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)
aten::sqrt(Tensor self) -> Tensor
aten::sqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sqrt_(Tensor(a!) self) -> Tensor(a!)
aten::square(Tensor self) -> Tensor
aten::square.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::square_(Tensor(a!) self) -> Tensor(a!)
aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::sub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::subtract.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::subtract_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::tan(Tensor self) -> Tensor
aten::tan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::tan_(Tensor(a!) self) -> Tensor(a!)
aten::tanh(Tensor self) -> Tensor
aten::tanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::tanh_(Tensor(a!) self) -> Tensor(a!)
aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor
aten::threshold.out(Tensor self, Scalar threshold, Scalar value, *, Tensor(a!) out) -> Tensor(a!)
aten::threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)
aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::true_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::true_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::trunc(Tensor self) -> Tensor
aten::trunc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::trunc_(Tensor(a!) self) -> Tensor(a!)
aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor
aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
aten::xlogy.OutTensor(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy.OutScalar_Self(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy.OutScalar_Other(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)
"""
