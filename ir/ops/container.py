"""Operator schemas of the container family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::Size(int[] sizes) -> int[]
aten::__contains__.int_list(int[] l, int item) -> bool
aten::__contains__.str_list(str[] l, str item) -> bool
aten::__contains__.str(Dict(str, t) dict, str key) -> bool
aten::__contains__.int(Dict(int, t) dict, int key) -> bool
aten::__contains__.bool(Dict(bool, t) dict, bool key) -> bool
aten::__contains__.float(Dict(float, t) dict, float key) -> bool
aten::__contains__.complex(Dict(complex, t) dict, complex key) -> bool
aten::__contains__.Tensor(Dict(Tensor, t) dict, Tensor key) -> bool
aten::__contains__.float_list(float[] l, float item) -> bool
aten::__derive_index(int index, int start, int step) -> int
aten::__getitem__.t(t[](a) list, int idx) -> t(*)
aten::__getitem__.str(str s, int index) -> str
aten::__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)
aten::__getitem__.Dict_int(Dict(int, t) self, int key) -> t(*)
aten::__getitem__.Dict_bool(Dict(bool, t) self, bool key) -> t(*)
aten::__getitem__.Dict_float(Dict(float, t) self, float key) -> t(*)
aten::__getitem__.Dict_complex(Dict(complex, t) self, complex key) -> t(*)
aten::__getitem__.Dict_Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)
aten::__range_length(int lo, int hi, int step) -> int
aten::_infer_size(int[] a, int[] b) -> int[]
aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)
aten::_set_item.str(Dict(str, t)(a!) l, str(b -> *) idx, t(c -> *) v) -> ()
aten::_set_item.int(Dict(int, t)(a!) l, int(b -> *) idx, t(c -> *) v) -> ()
aten::_set_item.bool(Dict(bool, t)(a!) l, bool(b -> *) idx, t(c -> *) v) -> ()
aten::_set_item.float(Dict(float, t)(a!) l, float(b -> *) idx, t(c -> *) v) -> ()
aten::_set_item.complex(Dict(complex, t)(a!) l, complex(b -> *) idx, t(c -> *) v) -> ()
aten::_set_item.Tensor(Dict(Tensor, t)(a!) l, Tensor(b -> *) idx, t(c -> *) v) -> ()
aten::add.t(t[] a, t[] b) -> t[]
aten::add.str(str a, str b) -> str
aten::add_.t(t[](a!) self, t[] b) -> t[]
aten::all.int(int[] self) -> bool
aten::all.float(float[] self) -> bool
aten::all.bool(bool[] self) -> bool
aten::any.str(str[] self) -> bool
aten::any.int(int[] self) -> bool
aten::any.float(float[] self) -> bool
aten::any.bool(bool[] self) -> bool
aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)
aten::bin(int i) -> str
aten::broadcast_shapes(int[] a, int[] b) -> int[]
aten::capitalize(str self) -> str
aten::center(str self, int width, str fillchar=" ") -> str
aten::chr(int i) -> str
aten::clear.t(t[](a!) self) -> ()
aten::clear.str(Dict(str, t)(a!) self) -> ()
aten::clear.int(Dict(int, t)(a!) self) -> ()
aten::clear.bool(Dict(bool, t)(a!) self) -> ()
aten::clear.float(Dict(float, t)(a!) self) -> ()
aten::clear.complex(Dict(complex, t)(a!) self) -> ()
aten::clear.Tensor(Dict(Tensor, t)(a!) self) -> ()
aten::copy.t(t[](a) self) -> t[]
aten::copy.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)
aten::copy.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)
aten::copy.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)
aten::copy.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)
aten::copy.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)
aten::copy.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)
aten::count(str self, str substr, int start=0, int end=-1) -> int
aten::count.int(int[] self, int el) -> int
aten::count.float(float[] self, float el) -> int
aten::count.bool(bool[] self, bool el) -> int
aten::count.Tensor(Tensor[] self, Tensor el) -> int
aten::count.str(str[] self, str el) -> int
aten::dict() -> Dict(str, Tensor)
aten::dict.str((str, tVal)[] inputs) -> Dict(str, tVal)
aten::dict.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)
aten::dict.int((int, tVal)[] inputs) -> Dict(int, tVal)
aten::dict.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)
aten::dict.bool((bool, tVal)[] inputs) -> Dict(bool, tVal)
aten::dict.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)
aten::dict.float((float, tVal)[] inputs) -> Dict(float, tVal)
aten::dict.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)
aten::dict.complex((complex, tVal)[] inputs) -> Dict(complex, tVal)
aten::dict.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)
aten::dict.Tensor((Tensor, tVal)[] inputs) -> Dict(Tensor, tVal)
aten::dict.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)
aten::endswith(str self, str substr, int start=0, int end=-1) -> bool
aten::eq.int_list(int[] a, int[] b) -> bool
aten::eq.str(str a, str b) -> bool
aten::eq.float_list(float[] a, float[] b) -> bool
aten::eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool
aten::eq.bool_list(bool[] a, bool[] b) -> bool
aten::eq.str_list(str[] a, str[] b) -> bool
aten::expandtabs(str self, int tabsize=8) -> str
aten::extend.t(t[](a!) self, t[] other) -> ()
aten::find(str self, str substr, int start=0, int end=-1) -> int
aten::format(str self, ...) -> str
aten::ge.str(str a, str b) -> bool
aten::get.str(Dict(str, t) self, str key) -> t(*)?
aten::get.default_str(Dict(str, t) self, str key, t default_value) -> t(*)
aten::get.int(Dict(int, t) self, int key) -> t(*)?
aten::get.default_int(Dict(int, t) self, int key, t default_value) -> t(*)
aten::get.bool(Dict(bool, t) self, bool key) -> t(*)?
aten::get.default_bool(Dict(bool, t) self, bool key, t default_value) -> t(*)
aten::get.float(Dict(float, t) self, float key) -> t(*)?
aten::get.default_float(Dict(float, t) self, float key, t default_value) -> t(*)
aten::get.complex(Dict(complex, t) self, complex key) -> t(*)?
aten::get.default_complex(Dict(complex, t) self, complex key, t default_value) -> t(*)
aten::get.Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)?
aten::get.default_Tensor(Dict(Tensor, t) self, Tensor key, t default_value) -> t(*)
aten::gt.str(str a, str b) -> bool
aten::hash.generic(t value) -> int
aten::hex(int i) -> str
aten::index.str(str self, str substr, int start=0, int end=-1) -> int
aten::index.list_int(int[] self, int el) -> int
aten::index.list_float(float[] self, float el) -> int
aten::index.list_bool(bool[] self, bool el) -> int
aten::index.list_str(str[] self, str el) -> int
aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()
aten::isalnum(str self) -> bool
aten::isalpha(str self) -> bool
aten::isdecimal(str self) -> bool
aten::isdigit(str self) -> bool
aten::isidentifier(str self) -> bool
aten::islower(str self) -> bool
aten::isnumeric(str self) -> bool
aten::isprintable(str self) -> bool
aten::isspace(str self) -> bool
aten::istitle(str self) -> bool
aten::isupper(str self) -> bool
aten::items.str(Dict(str, t) self) -> ((str, t)[])
aten::items.int(Dict(int, t) self) -> ((int, t)[])
aten::items.bool(Dict(bool, t) self) -> ((bool, t)[])
aten::items.float(Dict(float, t) self) -> ((float, t)[])
aten::items.complex(Dict(complex, t) self) -> ((complex, t)[])
aten::items.Tensor(Dict(Tensor, t) self) -> ((Tensor, t)[])
aten::join(str self, str[] values) -> str
aten::keys.str(Dict(str, t) self) -> str[](*)
aten::keys.int(Dict(int, t) self) -> int[](*)
aten::keys.bool(Dict(bool, t) self) -> bool[](*)
aten::keys.float(Dict(float, t) self) -> float[](*)
aten::keys.complex(Dict(complex, t) self) -> complex[](*)
aten::keys.Tensor(Dict(Tensor, t) self) -> Tensor[](*)
aten::le.str(str a, str b) -> bool
aten::len.t(t[] a) -> int
aten::len.Tensor(Tensor t) -> int
aten::len.str(str s) -> int
aten::len.Dict_str(Dict(str, t) self) -> int
aten::len.Dict_int(Dict(int, t) self) -> int
aten::len.Dict_bool(Dict(bool, t) self) -> int
aten::len.Dict_float(Dict(float, t) self) -> int
aten::len.Dict_complex(Dict(complex, t) self) -> int
aten::len.Dict_Tensor(Dict(Tensor, t) self) -> int
aten::len.any(Any[] a) -> int
aten::list(str t) -> str[]
aten::list.t(t[] l) -> t[]
aten::ljust(str self, int width, str fillchar=" ") -> str
aten::lower(str self) -> str
aten::lstrip(str self, str chars=" \n\t\f\v") -> str
aten::lt.str(str a, str b) -> bool
aten::mul.left_t(t[] l, int n) -> t[]
aten::mul_.t(t[](a!) l, int n) -> t[](a!)
aten::ne.int_list(int[] a, int[] b) -> bool
aten::ne.str(str a, str b) -> bool
aten::ne.float_list(float[] a, float[] b) -> bool
aten::ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool
aten::ne.bool_list(bool[] a, bool[] b) -> bool
aten::ne.str_list(str[] a, str[] b) -> bool
aten::oct(int i) -> str
aten::ord(str string) -> int
aten::partition(str self, str separator) -> (str, str, str)
aten::percentFormat(str self, ...) -> str
aten::pop.t(t[](a!) self, int idx=-1) -> t(*)
aten::pop.Dict_str(Dict(str, t)(a!) self, str key) -> t(*)
aten::pop.Dict_default_str(Dict(str, t)(a!) self, str key, t default_value) -> t(*)
aten::pop.Dict_int(Dict(int, t)(a!) self, int key) -> t(*)
aten::pop.Dict_default_int(Dict(int, t)(a!) self, int key, t default_value) -> t(*)
aten::pop.Dict_bool(Dict(bool, t)(a!) self, bool key) -> t(*)
aten::pop.Dict_default_bool(Dict(bool, t)(a!) self, bool key, t default_value) -> t(*)
aten::pop.Dict_float(Dict(float, t)(a!) self, float key) -> t(*)
aten::pop.Dict_default_float(Dict(float, t)(a!) self, float key, t default_value) -> t(*)
aten::pop.Dict_complex(Dict(complex, t)(a!) self, complex key) -> t(*)
aten::pop.Dict_default_complex(Dict(complex, t)(a!) self, complex key, t default_value) -> t(*)
aten::pop.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> t(*)
aten::pop.Dict_default_Tensor(Dict(Tensor, t)(a!) self, Tensor key, t default_value) -> t(*)
aten::popitem.str(Dict(str, t)(a!) self) -> ((str, t))
aten::popitem.int(Dict(int, t)(a!) self) -> ((int, t))
aten::popitem.bool(Dict(bool, t)(a!) self) -> ((bool, t))
aten::popitem.float(Dict(float, t)(a!) self) -> ((float, t))
aten::popitem.complex(Dict(complex, t)(a!) self) -> ((complex, t))
aten::popitem.Tensor(Dict(Tensor, t)(a!) self) -> ((Tensor, t))
aten::remove.int(int[](a!) self, int el) -> ()
aten::remove.float(float[](a!) self, float el) -> ()
aten::remove.bool(bool[](a!) self, bool el) -> ()
aten::remove.Tensor(Tensor[](a!) self, Tensor el) -> ()
aten::remove.str(str[](a!) self, str el) -> ()
aten::replace(str self, str old, str new, int max=-1) -> str
aten::reverse.t(t[](a!) self) -> ()
aten::rfind(str self, str substr, int start=0, int end=-1) -> int
aten::rindex(str self, str substr, int start=0, int end=-1) -> int
aten::rjust(str self, int width, str fillchar=" ") -> str
aten::rpartition(str self, str separator) -> (str, str, str)
aten::rsplit(str self, str separator=" ", int max=-1) -> str[]
aten::rstrip(str self, str chars=" \n\t\f\v") -> str
aten::select.t(t[](a) list, int idx) -> t(*)
aten::setdefault.str(Dict(str, t)(a!) self, str(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.int(Dict(int, t)(a!) self, int(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.bool(Dict(bool, t)(a!) self, bool(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.float(Dict(float, t)(a!) self, float(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.complex(Dict(complex, t)(a!) self, complex(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.Tensor(Dict(Tensor, t)(a!) self, Tensor(b -> *) key, t(c -> *) default_value) -> t(*)
aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]
aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str
aten::sorted.int(int[](a) input) -> int[]
aten::sorted.float(float[](a) input) -> float[]
aten::sorted.Tensor(Tensor[](a) input) -> Tensor[]
aten::sorted.bool(bool[](a) input) -> bool[]
aten::sorted.str(str[](a) input) -> str[]
aten::sorted.any(t[](a) self) -> t[]
aten::split.str(str self, str? separator=None, int max=-1) -> str[]
aten::splitlines(str self, bool keepends=False) -> str[]
aten::startswith(str self, str substr, int start=0, int end=-1) -> bool
aten::str(t elem) -> str
aten::strip(str self, str chars=" \n\t\f\v") -> str
aten::sum.int(int[] self) -> int
aten::sum.float(float[] self) -> float
aten::sum.bool(bool[] self) -> int
aten::swapcase(str self) -> str
aten::title(str self) -> str
aten::update.str(Dict(str, t)(a!) self, Dict(str, t)(a!) to_add) -> ()
aten::update.int(Dict(int, t)(a!) self, Dict(int, t)(a!) to_add) -> ()
aten::update.bool(Dict(bool, t)(a!) self, Dict(bool, t)(a!) to_add) -> ()
aten::update.float(Dict(float, t)(a!) self, Dict(float, t)(a!) to_add) -> ()
aten::update.complex(Dict(complex, t)(a!) self, Dict(complex, t)(a!) to_add) -> ()
aten::update.Tensor(Dict(Tensor, t)(a!) self, Dict(Tensor, t)(a!) to_add) -> ()
aten::upper(str self) -> str
aten::values.str(Dict(str, t) self) -> t[](*)
aten::values.int(Dict(int, t) self) -> t[](*)
aten::values.bool(Dict(bool, t) self) -> t[](*)
aten::values.float(Dict(float, t) self) -> t[](*)
aten::values.complex(Dict(complex, t) self) -> t[](*)
aten::values.Tensor(Dict(Tensor, t) self) -> t[](*)
aten::zfill(str self, int width) -> str
prim::StringIndex(str string, int index) -> str
prim::TupleIndex(Any tup, int i) -> Any
prim::TupleUnpack(Any tup) -> ...
prim::rangelist(int n) -> int[]
aten::Delete.t(t[](a!) self, int idx) -> ()
aten::Delete.Dict_str(Dict(str, t)(a!) self, str key) -> ()
aten::Delete.Dict_int(Dict(int, t)(a!) self, int key) -> ()
aten::Delete.Dict_bool(Dict(bool, t)(a!) self, bool key) -> ()
aten::Delete.Dict_float(Dict(float, t)(a!) self, float key) -> ()
aten::Delete.Dict_complex(Dict(complex, t)(a!) self, complex key) -> ()
aten::Delete.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> ()
"""
