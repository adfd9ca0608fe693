#include "import/ir/tensor.h"

#include <algorithm>
#include <cmath>

#include "tensor/shape.h"

namespace munja::importer {

bool IsStatic(const Dims& dims) {
  return std::none_of(dims.begin(), dims.end(),
                      [](int64_t d) { return d < 0; });
}

Result<int64_t> CountElements(const Dims& dims) {
  // Neither the graph nor any operator has more.
  if (dims.size() > kMaxRank)
    return Unsupported("a tensor of shape ", ToString(dims), " has ",
                       dims.size(), " axes, at most ", kMaxRank,
                       " are supported");
  int64_t count = 1;
  bool empty = false;
  for (const int64_t d : dims) {
    if (d < 0)
      return Malformed("shape ", ToString(dims), " is not fully known");
    if (d == 0) {
      empty = true;
      continue;
    }
    if (d > kMaxElements || count > kMaxElements / d)
      return OutOfMemory("a tensor of shape ", ToString(dims),
                         " is larger than 2^31 elements");
    count *= d;
  }
  return empty ? 0 : count;
}

std::string ToString(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}

const Dims* FindShape(const std::map<std::string, Dims>& shapes,
                      const std::string& name) {
  auto it = shapes.find(name);
  if (it == shapes.end()) it = shapes.find("");
  return it == shapes.end() ? nullptr : &it->second;
}

Result<Tensor> FilledTensor(const Dims& shape, ElementType type, double value) {
  constexpr int64_t kMost = 1 << 20;
  if (!IsStatic(shape))
    return Unsupported("a constant for shape ", ToString(shape),
                       ", which is not known");
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(shape));
  if (count > kMost) return Unsupported("a constant of ", count, " elements");
  const auto size = static_cast<size_t>(count);
  if (type == ElementType::kFloat32)
    return Tensor::Floats(shape,
                          std::vector<float>(size, static_cast<float>(value)));
  const bool is_truth = type == ElementType::kBool;
  if (!(std::abs(value) < 9e15) || value != std::floor(value) ||
      (is_truth && value != 0 && value != 1))
    return InvalidArgument("the constant is not a valid ",
                           std::string(is_truth ? "0 or 1" : "integer"));
  return Tensor::Integers(
      shape, std::vector<int64_t>(size, static_cast<int64_t>(value)), type);
}

Result<int64_t> NormalizeAxis(int64_t axis, size_t rank) {
  const int64_t r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r)
    return Malformed("axis ", axis, " is outside a tensor of rank ", r);
  return axis < 0 ? axis + r : axis;
}

}  // namespace munja::importer
