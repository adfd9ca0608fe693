// HASHTABLE_LOOKUP: rows of a table by key; keys are in ascending order, a key
// that is not there gives zeros (empty strings) and no hit.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "tensor/strings.h"

namespace munja::ops::hashtable_lookup {
namespace {

enum { kLookups, kKeys, kValues };

class HashtableLookupKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& lookups = context.input(kLookups).shape;
    const Shape& keys = context.input(kKeys).shape;
    const TensorView& values = context.input(kValues);
    for (const int i : {kLookups, kKeys}) {
      MUNJA_RETURN_IF_ERROR(
          CheckType(context.input(i), "a key", {ElementType::kInt32}));
    }
    MUNJA_RETURN_IF_ERROR(CheckSameType(values, context.output(0)));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(1), "the hits", {ElementType::kUInt8}));
    if (lookups.rank() != 1 || keys.rank() != 1 || values.shape.rank() < 1 ||
        values.shape[0] != keys[0]) {
      return Malformed("lookups of shape " + lookups.ToString() +
                       ", keys of shape " + keys.ToString() +
                       " and values of shape " + values.shape.ToString() +
                       " do not go together");
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(1, lookups));
    if (values.type == ElementType::kString) {
      if (values.shape.rank() != 1)
        return Unsupported(
            "strings of more than one dimension are not "
            "implemented");
      context.DeferOutputShape(0);
      // The strings found, before their memory is known.
      context.RequestScratch(static_cast<size_t>(lookups.elements()) *
                             sizeof(std::string_view));
      return Status();
    }
    MUNJA_RETURN_IF_ERROR(
        MovableSize(values).ok()
            ? Status()
            : Unsupported("values of this type are not implemented"));
    std::vector<int64_t> dims(values.shape.dims().begin(),
                              values.shape.dims().end());
    dims[0] = lookups[0];
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& values = context.input(kValues);
    const auto count = static_cast<size_t>(context.input(kLookups).shape[0]);
    const auto* lookups = context.input(kLookups).as<int32_t>();
    const auto* keys = context.input(kKeys).as<int32_t>();
    const auto key_count = static_cast<size_t>(context.input(kKeys).shape[0]);
    auto* hits = context.output(1).mutable_as<uint8_t>();
    // The row of lookup i, or key_count where there is none.
    const auto find = [&](size_t i) {
      const int32_t* end = keys + key_count;
      const int32_t* at = std::lower_bound(keys, end, lookups[i]);
      const bool is_hit = at != end && *at == lookups[i];
      hits[i] = is_hit ? 1 : 0;
      return is_hit ? static_cast<size_t>(at - keys) : key_count;
    };
    if (values.type == ElementType::kString) {
      const std::span<std::string_view> found(
          static_cast<std::string_view*>(context.scratch()), count);
      for (size_t i = 0; i < count; ++i) {
        const size_t row = find(i);
        found[i] = row < key_count ? StringAt(values, row) : std::string_view();
      }
      MUNJA_RETURN_IF_ERROR(context.ResizeOutput(
          0, Shape{static_cast<int32_t>(count)}, StringBytes(found)));
      WriteStrings(found, context.output(0).data);
      return Status();
    }
    const TensorView& out = context.output(0);
    const size_t bytes = count > 0 ? out.bytes / count : 0;
    auto* to = out.mutable_as<uint8_t>();
    for (size_t i = 0; i < count; ++i, to += bytes) {
      const size_t row = find(i);
      if (bytes == 0) continue;
      if (row < key_count) {
        std::memcpy(to, values.as<uint8_t>() + row * bytes, bytes);
      } else {
        std::memset(to, 0, bytes);
      }
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 2));
  return std::unique_ptr<Kernel>(std::make_unique<HashtableLookupKernel>());
}

}  // namespace munja::ops::hashtable_lookup
