#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "tflite/densify.h"
#include "tflite/read_subgraph.h"
#include "tflite/vector.h"

namespace munja::tflite {
namespace {

Result<Shape> ReadShape(const fb::Tensor& from) {
  const auto* dims = from.shape();
  const auto* signature = from.shape_signature();
  Shape shape;
  if (dims == nullptr) return shape;
  if (dims->size() > kMaxRank)
    return Unsupported("has rank " + std::to_string(dims->size()) +
                       ", at most " + std::to_string(kMaxRank) +
                       " is supported");
  for (uint32_t i = 0; i < dims->size(); ++i) {
    if (dims->Get(i) < 0)
      return Malformed("has a dimension of " + std::to_string(dims->Get(i)));
    shape.Append(dims->Get(i));
  }
  // The state of a network is as large as the shape says, whatever sizes the
  // signature leaves open: that is what TensorFlow Lite allocates.
  if (signature == nullptr || signature->size() == 0 || from.is_variable())
    return shape;
  if (signature->size() != dims->size())
    return Malformed("has rank " + std::to_string(dims->size()) +
                     ", but a shape signature of rank " +
                     std::to_string(signature->size()));
  for (int i = 0; i < shape.rank(); ++i)
    if (signature->Get(static_cast<uint32_t>(i)) < 0) shape[i] = kDynamic;
  return shape;
}

Status ReadQuantization(ModelFile& file, const fb::Tensor& from,
                        graph::Value& value) {
  const fb::QuantizationParameters* q = from.quantization();
  if (q == nullptr) return Status();
  switch (q->details_type()) {
    case fb::QuantizationDetails::NONE:
      break;
    case fb::QuantizationDetails::CustomQuantization:
      value.unsupported = "custom quantization";
      break;
    case fb::QuantizationDetails::BlockwiseQuantization:
      value.unsupported = "blockwise quantization";
      break;
    case fb::QuantizationDetails::MultiAxisQuantization:
      value.unsupported = "multi-axis quantization";
      break;
    default:
      value.unsupported = "quantization of an unknown kind";
  }
  if (q->scale() == nullptr || q->scale()->size() == 0) return Status();
  const size_t scales = q->scale()->size();
  const size_t zero_points =
      q->zero_point() == nullptr ? 0 : q->zero_point()->size();
  if (scales != zero_points)
    return Malformed("has " + std::to_string(scales) +
                     " quantization scales, but " +
                     std::to_string(zero_points) + " zero points");
  MUNJA_RETURN_IF_ERROR(file.Spend(scales * 12));
  value.quantization.scales = CopyVector<float>(q->scale());
  value.quantization.zero_points = CopyVector<int64_t>(q->zero_point());
  // A scalar has no dimension to name; files write anything there.
  if (value.shape.rank() > 0)
    value.quantization.axis = q->quantized_dimension();
  return Status();
}

// Replaces the stored values of a sparse constant by all of its elements.
Status ReadSparse(ModelFile& file, const fb::SparsityParameters& sparsity,
                  graph::Value& value) {
  const int64_t elements = value.shape.elements();
  const size_t size = ElementSize(value.type);
  if (size == 0 || elements < 0) {
    value.unsupported = "sparse data";
    return Status();
  }
  MUNJA_RETURN_IF_ERROR(file.Spend(static_cast<size_t>(elements) * size));
  MUNJA_ASSIGN_OR_RETURN(Buffer dense, Densify(sparsity, value.shape, size,
                                               value.constant->bytes));
  auto owner = std::make_shared<const Buffer>(std::move(dense));
  const std::span<const uint8_t> bytes(owner->data(), owner->size());
  value.constant = graph::Constant{bytes, std::move(owner)};
  return Status();
}

}  // namespace

Result<graph::Value> ReadTensor(ModelFile& file, const fb::Tensor& from,
                                bool knows_rank, bool is_input) {
  graph::Value value;
  if (!IsKnownElementType(from.type()))
    return Unsupported("has element type " + std::to_string(from.type()) +
                       ", which is not known here");
  value.type = static_cast<ElementType>(from.type());
  MUNJA_RETURN_IF_ERROR(
      file.Spend(sizeof(graph::Value) +
                 (from.name() == nullptr ? 0 : from.name()->size())));
  value.name = CopyString(from.name());
  MUNJA_ASSIGN_OR_RETURN(value.shape, ReadShape(from));
  value.is_variable = from.is_variable();
  MUNJA_RETURN_IF_ERROR(ReadQuantization(file, from, value));
  if (from.variant_tensors() != nullptr && from.variant_tensors()->size() > 0)
    value.unsupported = "variant tensors";
  if (from.external_buffer() != 0)
    return Unsupported("has its data in another file");

  const size_t alignment = std::clamp<size_t>(ElementSize(value.type), 1, 8);
  MUNJA_ASSIGN_OR_RETURN(
      value.constant,
      file.BufferConstant(from.buffer(),
                          value.type == ElementType::kString ? 4 : alignment));
  // Some writers give every tensor a buffer, empty unless it is a constant.
  if (is_input || (value.constant && value.constant->bytes.empty()))
    value.constant.reset();
  // Computed values are dense, whatever the tensor says.
  if (value.constant && from.sparsity() != nullptr)
    MUNJA_RETURN_IF_ERROR(ReadSparse(file, *from.sparsity(), value));
  value.has_shape = from.has_rank() || !knows_rank || value.shape.rank() > 0 ||
                    value.constant.has_value();
  return value;
}

}  // namespace munja::tflite
