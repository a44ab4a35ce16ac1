"""Operator schemas of the control family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::_get_cpu_capability() -> str
aten::_get_tracing_state() -> bool
aten::_nnpack_available() -> bool
aten::_size_if_not_equal(int[] self_size, int[] other_size) -> int[]?
aten::_unwrap_optional(t(a)? optional) -> t(a)
aten::backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False) -> ()
aten::can_cast(ScalarType from_, ScalarType to) -> bool
aten::device(str a) -> Device
aten::device.with_index(str type, int index) -> Device
aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? retain_graph=None, bool create_graph=False, bool allow_unused=False) -> Tensor?[]
aten::has_torch_function(...) -> bool
aten::is_autocast_enabled() -> bool
aten::is_grad_enabled() -> bool
aten::is_scripting() -> bool
aten::is_vulkan_available() -> bool
aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType
aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType
aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType
aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType
aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType
aten::save(t item, str filename) -> ()
aten::set_grad_enabled(bool val) -> ()
aten::wait(Future(t) self) -> t
aten::warn(str message, int stacklevel=2) -> ()
prim::AddStatValue(str key, int val) -> ()
prim::EnumName(AnyEnumType enum) -> str
prim::EnumValue.int(AnyEnumType enum) -> int
prim::EnumValue.float(AnyEnumType enum) -> float
prim::EnumValue.str(AnyEnumType enum) -> str
prim::IfThenElse(bool cond, Any(a) x, Any(b) y) -> Any(b|a)
prim::Print(...) -> ()
prim::RaiseException(str msg, str? cls=None) -> ()
prim::Uninitialized() -> Any
prim::id(AnyClassType? x) -> int
prim::unchecked_cast(t x) -> t
prim::unchecked_unwrap_optional(t(a)? optional) -> t(a)
prim::TimePoint() -> int

aten::get_autocast_dtype(str device_type) -> ScalarType
aten::is_autocast_cpu_enabled() -> bool
"""
