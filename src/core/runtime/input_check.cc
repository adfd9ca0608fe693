#include "runtime/input_check.h"

#include <string>

#include "runtime/tensor_bytes.h"
#include "tensor/strings.h"

namespace munja::runtime {
namespace {

std::string InputName(size_t i, const TensorInfo& info) {
  return "input " + std::to_string(i) + " '" + info.name + "'";
}

Status CheckCount(size_t wanted, size_t given) {
  if (wanted == given) return Status();
  return InvalidArgument("the model has " + std::to_string(wanted) +
                         (wanted == 1 ? " input, " : " inputs, ") +
                         std::to_string(given) +
                         (given == 1 ? " was given" : " were given"));
}

bool Fits(const TensorInfo& info, const Shape& shape) {
  bool fits = shape.is_static();
  if (info.has_shape) {
    fits &= shape.rank() == info.shape.rank();
    for (int d = 0; fits && d < shape.rank(); ++d)
      fits = info.shape[d] < 0 || info.shape[d] == shape[d];
  }
  return fits;
}

Status CheckShape(size_t i, const TensorInfo& info, const Shape& shape) {
  if (Fits(info, shape)) return Status();
  return InvalidArgument(
      InputName(i, info) + " wants shape " +
      (info.has_shape ? info.shape.ToString() : "without unknown sizes") +
      ", given " + shape.ToString());
}

}  // namespace

Status CheckShapes(std::span<const TensorInfo> wanted,
                   std::span<const Shape> given) {
  MUNJA_RETURN_IF_ERROR(CheckCount(wanted.size(), given.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    MUNJA_RETURN_IF_ERROR(CheckShape(i, wanted[i], given[i]));
  return Status();
}

bool ShapesFit(std::span<const TensorInfo> wanted,
               std::span<const TensorView> given) {
  if (wanted.size() != given.size()) return true;  // Refused in any case.
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!Fits(wanted[i], given[i].shape)) return false;
  return true;
}

Status CheckInputs(std::span<const TensorInfo> wanted,
                   std::span<const TensorView> given) {
  MUNJA_RETURN_IF_ERROR(CheckCount(wanted.size(), given.size()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    const TensorView& view = given[i];
    if (view.type != wanted[i].type) {
      return InvalidArgument(InputName(i, wanted[i]) + " wants type " +
                             ElementTypeName(wanted[i].type) + ", given " +
                             ElementTypeName(view.type));
    }
    MUNJA_RETURN_IF_ERROR(CheckShape(i, wanted[i], view.shape));
    if (view.data == nullptr && view.bytes > 0)
      return InvalidArgument(InputName(i, wanted[i]) + " has no data");
    if (view.type == ElementType::kString) {
      Status status =
          CheckStrings({view.as<uint8_t>(), view.bytes}, view.shape.elements());
      if (!status.ok())
        return InvalidArgument(InputName(i, wanted[i]) + ": " +
                               std::string(status.message()));
      continue;
    }
    auto bytes = TensorBytes(view.type, view.shape);
    if (!bytes.ok())
      return std::move(bytes).TakeStatus().With(InputName(i, wanted[i]));
    if (view.bytes != *bytes) {
      return InvalidArgument(InputName(i, wanted[i]) + " of shape " +
                             view.shape.ToString() + " has " +
                             std::to_string(*bytes) + " bytes, given " +
                             std::to_string(view.bytes));
    }
  }
  return Status();
}

}  // namespace munja::runtime
