"""Operator schemas of the view family, in the order in which overloads are tried."""

SCHEMAS = r"""
aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor
aten::_chunk_cat.out(Tensor[] tensors, int dim, int num_chunks, *, Tensor(a!) out) -> Tensor(a!)
aten::_is_zerotensor(Tensor self) -> bool
aten::_ncf_unsqueeze(Tensor(a) self, int ndim) -> Tensor(a)
aten::_ncf_view(Tensor(a) self, int[] input_shape, int normalized_ndim) -> Tensor(a)
aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor
aten::_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor
aten::_stack(Tensor[] tensors, int dim=0) -> Tensor
aten::_stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor
aten::_unsafe_view.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)
aten::adjoint(Tensor(a) self) -> Tensor(a)
aten::alias(Tensor(a) self) -> Tensor(a)
aten::alias_copy(Tensor self) -> Tensor
aten::alias_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)
aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)
aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
aten::as_strided_copy.out(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *, Tensor(a!) out) -> Tensor(a!)
aten::atleast_1d(Tensor self) -> Tensor
aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]
aten::atleast_2d(Tensor self) -> Tensor
aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]
aten::atleast_3d(Tensor self) -> Tensor
aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]
aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]
aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::cat(Tensor[] tensors, int dim=0) -> Tensor
aten::cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
aten::column_stack(Tensor[] tensors) -> Tensor
aten::column_stack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::concat(Tensor[] tensors, int dim=0) -> Tensor
aten::concat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor
aten::concatenate.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::conj(Tensor(a) self) -> Tensor(a)
aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor
aten::constant_pad_nd.out(Tensor self, SymInt[] pad, Scalar value=0, *, Tensor(a!) out) -> Tensor(a!)
aten::diag(Tensor self, int diagonal=0) -> Tensor
aten::diag.out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
aten::diag_embed.out(Tensor self, int offset=0, int dim1=-2, int dim2=-1, *, Tensor(a!) out) -> Tensor(a!)
aten::diagflat(Tensor self, int offset=0) -> Tensor
aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)
aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
aten::diagonal_copy.out(Tensor self, int offset=0, int dim1=0, int dim2=1, *, Tensor(a!) out) -> Tensor(a!)
aten::dim(Tensor self) -> int
aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::dstack(Tensor[] tensors) -> Tensor
aten::dstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::element_size(Tensor self) -> int
aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
aten::expand_copy.out(Tensor self, SymInt[] size, *, bool implicit=False, Tensor(a!) out) -> Tensor(a!)
aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor
aten::flip(Tensor self, int[] dims) -> Tensor
aten::flip.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)
aten::fliplr(Tensor self) -> Tensor
aten::flipud(Tensor self) -> Tensor
aten::get_device(Tensor self) -> int
aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::hstack(Tensor[] tensors) -> Tensor
aten::hstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::imag(Tensor(a) self) -> Tensor(a)
aten::is_complex(Tensor self) -> bool
aten::is_contiguous(Tensor self) -> bool
aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool
aten::is_distributed(Tensor self) -> bool
aten::is_floating_point(Tensor self) -> bool
aten::is_inference(Tensor self) -> bool
aten::is_non_overlapping_and_dense(Tensor self) -> bool
aten::is_same_size(Tensor self, Tensor other) -> bool
aten::is_signed(Tensor self) -> bool
aten::is_strides_like_format(Tensor self, MemoryFormat memory_format) -> bool
aten::mH(Tensor(a) self) -> Tensor(a)
aten::mH.a(Tensor(a) self) -> Tensor(a)
aten::mT(Tensor(a) self) -> Tensor(a)
aten::mT.a(Tensor(a) self) -> Tensor(a)
aten::matrix_H(Tensor(a) self) -> Tensor(a)
aten::matrix_H.a(Tensor(a) self) -> Tensor(a)
aten::meshgrid(Tensor[] tensors) -> Tensor[]
aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)
aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
aten::narrow_copy.out(Tensor self, int dim, SymInt start, SymInt length, *, Tensor(a!) out) -> Tensor(a!)
aten::numel(Tensor self) -> int
aten::numpy_T(Tensor(a) self) -> Tensor(a)
aten::numpy_T.a(Tensor(a) self) -> Tensor(a)
aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor
aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)
aten::permute_copy(Tensor self, int[] dims) -> Tensor
aten::permute_copy.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)
aten::ravel(Tensor(a) self) -> Tensor(a)
aten::real(Tensor(a) self) -> Tensor(a)
aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor
aten::reflection_pad1d.out(Tensor self, SymInt[2] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor
aten::reflection_pad2d.out(Tensor self, SymInt[4] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor
aten::reflection_pad3d.out(Tensor self, SymInt[6] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::repeat(Tensor self, SymInt[] repeats) -> Tensor
aten::repeat.out(Tensor self, SymInt[] repeats, *, Tensor(a!) out) -> Tensor(a!)
aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.Tensor_out(Tensor repeats, *, SymInt? output_size=None, Tensor(a!) out) -> Tensor(a!)
aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor
aten::replication_pad1d.out(Tensor self, SymInt[2] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor
aten::replication_pad2d.out(Tensor self, SymInt[4] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor
aten::replication_pad3d.out(Tensor self, SymInt[6] padding, *, Tensor(a!) out) -> Tensor(a!)
aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::resolve_conj(Tensor(a) self) -> Tensor(a)
aten::resolve_neg(Tensor(a) self) -> Tensor(a)
aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor
aten::roll.out(Tensor self, SymInt[1] shifts, int[1] dims=[], *, Tensor(a!) out) -> Tensor(a!)
aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
aten::rot90.out(Tensor self, int k=1, int[] dims=[0, 1], *, Tensor(a!) out) -> Tensor(a!)
aten::row_stack(Tensor[] tensors) -> Tensor
aten::row_stack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
aten::size.int(Tensor self, int dim) -> int
aten::size(Tensor self) -> int[]
aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)
aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]
aten::split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]
aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]
aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
aten::split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()
aten::squeeze(Tensor(a) self) -> Tensor(a)
aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
aten::squeeze_(Tensor(a!) self) -> Tensor(a!)
aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)
aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)
aten::squeeze_copy(Tensor self) -> Tensor
aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor
aten::squeeze_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::squeeze_copy.dim_out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)
aten::squeeze_copy.dims_out(Tensor self, int[] dim, *, Tensor(a!) out) -> Tensor(a!)
aten::stack(Tensor[] tensors, int dim=0) -> Tensor
aten::stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::storage_offset(Tensor self) -> int
aten::stride.int(Tensor self, int dim) -> int
aten::stride(Tensor self) -> int[]
aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)
aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)
aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::t(Tensor(a) self) -> Tensor(a)
aten::t_(Tensor(a!) self) -> Tensor(a!)
aten::t_copy(Tensor self) -> Tensor
aten::t_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]
aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]
aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
aten::tile(Tensor self, SymInt[] dims) -> Tensor
aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
aten::transpose_copy.int_out(Tensor self, int dim0, int dim1, *, Tensor(a!) out) -> Tensor(a!)
aten::tril(Tensor self, SymInt diagonal=0) -> Tensor
aten::tril.out(Tensor self, SymInt diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::triu(Tensor self, SymInt diagonal=0) -> Tensor
aten::triu.out(Tensor self, SymInt diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()
aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)
aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]
aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)
aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
aten::unfold_copy.out(Tensor self, int dimension, int size, int step, *, Tensor(a!) out) -> Tensor(a!)
aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]
aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
aten::unsafe_split.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()
aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
aten::unsafe_split_with_sizes.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()
aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)
aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
aten::unsqueeze_copy.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)
aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)
aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::view_as_complex(Tensor(a) self) -> Tensor(a)
aten::view_as_real(Tensor(a) self) -> Tensor(a)
aten::view_copy(Tensor self, SymInt[] size) -> Tensor
aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor
aten::view_copy.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)
aten::view_copy.dtype_out(Tensor self, ScalarType dtype, *, Tensor(a!) out) -> Tensor(a!)
aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::vstack(Tensor[] tensors) -> Tensor
aten::vstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
prim::ConstantChunk(...) -> ...
prim::VarConcat(...) -> Tensor
prim::VarStack(...) -> Tensor
prim::device(Tensor a) -> Device
prim::dtype(Tensor a) -> int
prim::index(Device self) -> int?
prim::is_cpu(Tensor a) -> bool
prim::is_cuda(Tensor a) -> bool
prim::is_ipu(Tensor a) -> bool
prim::is_maia(Tensor a) -> bool
prim::is_meta(Tensor a) -> bool
prim::is_mkldnn(Tensor a) -> bool
prim::is_mps(Tensor a) -> bool
prim::is_mtia(Tensor a) -> bool
prim::is_nested(Tensor a) -> bool
prim::is_quantized(Tensor a) -> bool
prim::is_sparse(Tensor a) -> bool
prim::is_sparse_csr(Tensor a) -> bool
prim::is_vulkan(Tensor a) -> bool
prim::is_xla(Tensor a) -> bool
prim::is_xpu(Tensor a) -> bool
prim::itemsize(Tensor a) -> int
prim::layout(Tensor a) -> Layout
prim::name(Tensor a) -> str?
prim::nbytes(Tensor a) -> int
prim::type(Device self) -> str
aten::is_coalesced(Tensor self) -> bool
aten::is_conj(Tensor self) -> bool
aten::is_neg(Tensor self) -> bool
aten::is_pinned(Tensor self, Device? device=None) -> bool
aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
aten::slice_copy.Tensor_out(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1, *, Tensor(a!) out) -> Tensor(a!)
aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor
aten::select_copy.int_out(Tensor self, int dim, SymInt index, *, Tensor(a!) out) -> Tensor(a!)
aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
aten::split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()
aten::view_as_complex_copy(Tensor self) -> Tensor
aten::view_as_complex_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::view_as_real_copy(Tensor self) -> Tensor
aten::view_as_real_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
"""
