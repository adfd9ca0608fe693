// Tensor: a dense row-major array of an imported model, as float or int64.
#ifndef MUNJA_IMPORT_IR_TENSOR_H_
#define MUNJA_IMPORT_IR_TENSOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tensor/element_type.h"

namespace munja::importer {

using Dims = std::vector<int64_t>;
inline constexpr int64_t kUnknown = -1;  // A dimension known only at run time.
inline constexpr int64_t kMaxElements = int64_t{1} << 31;

// Floats and halves of every kind are held as float; integers and booleans as
// int64, whatever their type. Exactly one of the two vectors is in use.
struct Tensor {
  Dims shape;
  bool is_integer = false;
  std::vector<float> floats;
  std::vector<int64_t> integers;
  ElementType type = ElementType::kFloat32;

  static Tensor Floats(Dims shape, std::vector<float> values) {
    return Tensor{std::move(shape), false, std::move(values), {}};
  }
  static Tensor Integers(Dims shape, std::vector<int64_t> values,
                         ElementType type = ElementType::kInt64) {
    return Tensor{std::move(shape), true, {}, std::move(values), type};
  }
  size_t elements() const {
    return is_integer ? integers.size() : floats.size();
  }
};

// No dimension is kUnknown.
bool IsStatic(const Dims& dims);
// The product. kMalformed for a negative dimension, kOutOfMemory above
// kMaxElements, kUnsupported for more axes than a Shape has.
Result<int64_t> CountElements(const Dims& dims);
// "[1, 3, ?, ?]".
std::string ToString(const Dims& dims);
// The shape given for that name, else the one given without a name; null.
const Dims* FindShape(const std::map<std::string, Dims>& shapes,
                      const std::string& name);
// All elements the same value, which the type must hold: for an input that is
// replaced. kUnsupported for dynamic or large shapes.
Result<Tensor> FilledTensor(const Dims& shape, ElementType type, double value);
// axis in [-rank, rank) -> [0, rank); kMalformed otherwise.
Result<int64_t> NormalizeAxis(int64_t axis, size_t rank);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_TENSOR_H_
