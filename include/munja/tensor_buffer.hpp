// TensorBuffer: a tensor in memory of its own or of a caller.
#ifndef MUNJA_TENSOR_BUFFER_HPP_
#define MUNJA_TENSOR_BUFFER_HPP_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "munja/result.hpp"
#include "munja/types.h"

namespace munja {
inline namespace v0 {

// Whether elements of this type are T in C++. float16 and bfloat16 are read and
// written as uint16_t.
template <class T>
constexpr bool Holds(munja_element_type type) {
  switch (type) {
    case MUNJA_TYPE_FLOAT32:
      return std::is_same_v<T, float>;
    case MUNJA_TYPE_FLOAT64:
      return std::is_same_v<T, double>;
    case MUNJA_TYPE_INT8:
      return std::is_same_v<T, int8_t>;
    case MUNJA_TYPE_UINT8:
      return std::is_same_v<T, uint8_t>;
    case MUNJA_TYPE_INT16:
      return std::is_same_v<T, int16_t>;
    case MUNJA_TYPE_UINT16:
    case MUNJA_TYPE_FLOAT16:
    case MUNJA_TYPE_BFLOAT16:
      return std::is_same_v<T, uint16_t>;
    case MUNJA_TYPE_INT32:
      return std::is_same_v<T, int32_t>;
    case MUNJA_TYPE_UINT32:
      return std::is_same_v<T, uint32_t>;
    case MUNJA_TYPE_INT64:
      return std::is_same_v<T, int64_t>;
    case MUNJA_TYPE_UINT64:
      return std::is_same_v<T, uint64_t>;
    case MUNJA_TYPE_BOOL:
      return std::is_same_v<T, bool>;
    case MUNJA_TYPE_COMPLEX64:
      return std::is_same_v<T, std::complex<float>>;
    default:
      return false;
  }
}

// Bytes of an element; 0 for strings and what is packed closer than bytes.
constexpr size_t ElementBytes(munja_element_type type) {
  switch (type) {
    case MUNJA_TYPE_INT8:
    case MUNJA_TYPE_UINT8:
    case MUNJA_TYPE_BOOL:
      return 1;
    case MUNJA_TYPE_INT16:
    case MUNJA_TYPE_UINT16:
    case MUNJA_TYPE_FLOAT16:
    case MUNJA_TYPE_BFLOAT16:
      return 2;
    case MUNJA_TYPE_FLOAT32:
    case MUNJA_TYPE_INT32:
    case MUNJA_TYPE_UINT32:
      return 4;
    case MUNJA_TYPE_FLOAT64:
    case MUNJA_TYPE_INT64:
    case MUNJA_TYPE_UINT64:
    case MUNJA_TYPE_COMPLEX64:
      return 8;
    case MUNJA_TYPE_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

class TensorBuffer {
 public:
  // Nothing yet: as an output it is pointed at the model's memory by a run.
  TensorBuffer() = default;

  // Zeros, 64-byte aligned, in memory of its own. Strings: see Wrap.
  static Result<TensorBuffer> Create(munja_element_type type,
                                     std::span<const int32_t> dims) {
    TensorBuffer buffer;
    if (Status f = buffer.SetShape(type, dims); !f.ok()) return f;
    const size_t rounded = (buffer.tensor_.bytes + 64) / 64 * 64;
    buffer.owned_.reset(
        static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
    if (buffer.owned_ == nullptr)
      return Status(MUNJA_OUT_OF_MEMORY, "no memory for a tensor");
    std::memset(buffer.owned_.get(), 0, rounded);
    buffer.tensor_.data = buffer.owned_.get();
    buffer.has_memory_ = true;
    return buffer;
  }
  // The caller's memory, which must stay; nothing is copied. Of strings any
  // number of bytes, of others exactly those of the shape.
  static Result<TensorBuffer> Wrap(munja_element_type type,
                                   std::span<const int32_t> dims, void* data,
                                   size_t bytes) {
    TensorBuffer buffer;
    buffer.tensor_.bytes = bytes;
    if (Status f = buffer.SetShape(type, dims); !f.ok()) return f;
    if (buffer.tensor_.bytes != bytes)
      return Status(MUNJA_INVALID_ARGUMENT,
                    "the shape needs " + std::to_string(buffer.tensor_.bytes) +
                        " bytes, not " + std::to_string(bytes));
    buffer.tensor_.data = data;
    buffer.has_memory_ = true;
    return buffer;
  }

  const munja_tensor& tensor() const { return tensor_; }
  munja_element_type type() const { return tensor_.type; }
  std::span<const int32_t> dims() const {
    return {tensor_.dims, static_cast<size_t>(tensor_.rank)};
  }

  // All elements, in place.
  template <class T>
  Result<std::span<const T>> Read() const {
    if (Status f = CheckHolds<T>(); !f.ok()) return f;
    return std::span<const T>(static_cast<const T*>(tensor_.data),
                              tensor_.bytes / sizeof(T));
  }
  template <class T>
  Result<std::span<T>> Data() {
    if (Status f = CheckHolds<T>(); !f.ok()) return f;
    return std::span<T>(static_cast<T*>(tensor_.data),
                        tensor_.bytes / sizeof(T));
  }
  // As many values as there are elements.
  template <class T>
  Status Write(std::span<const std::type_identity_t<T>> values) {
    if (Status f = CheckHolds<T>(); !f.ok()) return f;
    if (values.size_bytes() != tensor_.bytes)
      return Status(MUNJA_INVALID_ARGUMENT,
                    "the tensor has " +
                        std::to_string(tensor_.bytes / sizeof(T)) +
                        " elements, not " + std::to_string(values.size()));
    if (!values.empty())
      std::memcpy(tensor_.data, values.data(), values.size_bytes());
    return Status();
  }

  // Shows a result of a run, or copies it to where this buffer's memory is.
  Status Take(const munja_tensor& result) {
    if (!has_memory_) {
      tensor_ = result;
      return Status();
    }
    if (result.type != tensor_.type || result.bytes != tensor_.bytes)
      return Status(MUNJA_INVALID_ARGUMENT,
                    std::string("the output is ") +
                        munja_element_type_name(result.type) + " and takes " +
                        std::to_string(result.bytes) +
                        " bytes, which the buffer does not have");
    if (result.bytes > 0) std::memcpy(tensor_.data, result.data, result.bytes);
    tensor_.rank = result.rank;
    std::memcpy(tensor_.dims, result.dims, sizeof tensor_.dims);
    return Status();
  }

 private:
  // Sets bytes, too, except of strings.
  Status SetShape(munja_element_type type, std::span<const int32_t> dims) {
    if (dims.size() > MUNJA_MAX_RANK)
      return Status(MUNJA_INVALID_ARGUMENT,
                    "a tensor has 8 dimensions at most");
    tensor_.type = type;
    tensor_.rank = static_cast<int32_t>(dims.size());
    size_t bytes = ElementBytes(type);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] < 0 ||
          __builtin_mul_overflow(bytes, static_cast<size_t>(dims[d]), &bytes) ||
          bytes > PTRDIFF_MAX / 2)
        return Status(MUNJA_INVALID_ARGUMENT, "dimension " + std::to_string(d) +
                                                  " of a tensor is " +
                                                  std::to_string(dims[d]));
      tensor_.dims[d] = dims[d];
    }
    if (ElementBytes(type) > 0) tensor_.bytes = bytes;
    return Status();
  }
  template <class T>
  Status CheckHolds() const {
    if (tensor_.data == nullptr)
      return Status(MUNJA_INVALID_ARGUMENT, "the buffer holds nothing yet");
    if (!Holds<T>(tensor_.type))
      return Status(MUNJA_INVALID_ARGUMENT,
                    std::string("the elements are ") +
                        munja_element_type_name(tensor_.type));
    return Status();
  }

  munja_tensor tensor_ = {};
  Handle<std::byte, std::free> owned_;
  bool has_memory_ = false;
};

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_TENSOR_BUFFER_HPP_
