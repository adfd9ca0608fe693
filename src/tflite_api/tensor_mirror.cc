#include "tflite_api/tensor_mirror.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "tflite_api/types.h"

namespace munja::compat {
namespace {

// The C structs are freed by free(): allocated the same way.
template <class T>
T* Zeroed() {
  return static_cast<T*>(std::calloc(1, sizeof(T)));
}

Status MirrorQuantization(const Quantization& from, TfLiteTensor* tensor) {
  tensor->params = {0, 0};
  tensor->quantization = {kTfLiteNoQuantization, nullptr};
  if (!from.is_quantized()) return Status();
  auto* affine = Zeroed<TfLiteAffineQuantization>();
  if (affine == nullptr) return OutOfMemory("quantization of a tensor");
  const int count = static_cast<int>(from.scales.size());
  tensor->quantization = {kTfLiteAffineQuantization, affine};
  affine->scale = TfLiteFloatArrayCreate(count);
  affine->zero_point = TfLiteIntArrayCreate(count);
  affine->quantized_dimension = from.axis;
  if (affine->scale == nullptr || affine->zero_point == nullptr)
    return OutOfMemory("quantization of a tensor");
  for (int i = 0; i < count; ++i) {
    affine->scale->data[i] = from.scales[i];
    affine->zero_point->data[i] =
        from.zero_points.empty() ? 0 : static_cast<int>(from.zero_points[i]);
  }
  if (count == 1)
    tensor->params = {affine->scale->data[0], affine->zero_point->data[0]};
  return Status();
}

}  // namespace

TfLiteIntArray* ArrayOf(std::span<const int32_t> numbers) {
  TfLiteIntArray* array =
      TfLiteIntArrayCreate(static_cast<int>(numbers.size()));
  if (array != nullptr) std::copy(numbers.begin(), numbers.end(), array->data);
  return array;
}

Result<Shape> ShapeOf(const TfLiteIntArray* dims) {
  if (dims == nullptr) return InvalidArgument("has no dimensions");
  const auto sizes = SpanOf(dims);
  if (sizes.size() > static_cast<size_t>(kMaxRank))
    return InvalidArgument("has " + std::to_string(sizes.size()) +
                           " dimensions, at most " + std::to_string(kMaxRank) +
                           " are supported");
  Shape shape;
  for (const int size : sizes) {
    if (size < 0)
      return InvalidArgument("has a dimension of " + std::to_string(size));
    shape.Append(size);
  }
  return shape;
}

bool BytesOf(TfLiteType type, std::span<const int> dims, size_t* bytes) {
  size_t elements = 1;
  for (const int dim : dims) {
    if (dim < 0 ||
        !CheckedMultiply(elements, static_cast<size_t>(dim), &elements))
      return false;
  }
  if (type == kTfLiteInt4) {
    *bytes = elements / 2 + elements % 2;
    return true;
  }
  const size_t size = TfLiteTypeSize(type);
  return size > 0 && CheckedMultiply(elements, size, bytes);
}

TfLiteAllocationType AllocationOf(const graph::Value& value) {
  if (value.is_variable) return kTfLiteArenaRwPersistent;
  switch (value.type) {
    case ElementType::kString:
    case ElementType::kResource:
    case ElementType::kVariant:
      return kTfLiteDynamic;
    default:
      return kTfLiteArenaRw;
  }
}

Status Mirror(const graph::Value& value, TfLiteTensor* tensor) {
  tensor->type = ToTfLiteType(value.type);
  tensor->name = value.name.c_str();
  tensor->is_variable = value.is_variable;
  tensor->buffer_handle = kTfLiteNullBufferHandle;
  std::vector<int32_t> dims(value.shape.dims().begin(),
                            value.shape.dims().end());
  if (!value.has_shape) dims.clear();
  TfLiteIntArray* signature = ArrayOf(dims);
  tensor->dims_signature = signature;
  for (int32_t& dim : dims)
    if (dim == kDynamic) dim = 1;
  tensor->dims = ArrayOf(dims);
  if (signature == nullptr || tensor->dims == nullptr)
    return OutOfMemory("dimensions of a tensor");
  MUNJA_RETURN_IF_ERROR(MirrorQuantization(value.quantization, tensor));
  if (value.constant) {
    tensor->allocation_type = kTfLiteMmapRo;
    // The C API has one kind of pointer; read-only tensors are never written.
    tensor->data.raw = const_cast<char*>(
        reinterpret_cast<const char*>(value.constant->bytes.data()));
    tensor->bytes = value.constant->bytes.size();
    return Status();
  }
  tensor->allocation_type = AllocationOf(value);
  if (!BytesOf(tensor->type, dims, &tensor->bytes)) tensor->bytes = 0;
  return Status();
}

}  // namespace munja::compat
