// EMBEDDING_LOOKUP: rows of a table by number; quantized tables give floats.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::embedding_lookup {
namespace {

struct LookupState final : State {
  size_t rows = 0, width = 0;  // Table size, in elements.
};

class EmbeddingLookupKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& ids = context.input(0);
    const TensorView& table = context.input(1);
    const TensorView& out = context.output(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(ids, "the index list", {ElementType::kInt32}));
    if (ids.shape.rank() != 1 || table.shape.rank() < 1) {
      return Malformed("indices of shape " + ids.shape.ToString() +
                       " into a table of shape " + table.shape.ToString());
    }
    auto state = std::make_unique<LookupState>();
    state->rows = static_cast<size_t>(table.shape[0]);
    state->width =
        static_cast<size_t>(table.shape.elements(1, table.shape.rank()));
    if (out.type != table.type) {
      MUNJA_RETURN_IF_ERROR(CheckType(
          table, "the table",
          {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt4}));
      MUNJA_RETURN_IF_ERROR(
          CheckType(out, "the output", {ElementType::kFloat32}));
      MUNJA_RETURN_IF_ERROR(CheckQuantization(table));
    } else {
      MUNJA_RETURN_IF_ERROR(MovableSize(table).ok()
                                ? Status()
                                : Unsupported("a table of this type is not "
                                              "implemented"));
    }
    std::vector<int64_t> dims(table.shape.dims().begin(),
                              table.shape.dims().end());
    dims[0] = ids.shape[0];
    context.SetState(std::move(state));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const LookupState*>(context.state());
    const TensorView& table = context.input(1);
    const auto* ids = context.input(0).as<int32_t>();
    const auto count = static_cast<size_t>(context.input(0).shape[0]);
    for (size_t i = 0; i < count; ++i) {
      if (ids[i] < 0 || static_cast<size_t>(ids[i]) >= s.rows) {
        return InvalidArgument("index " + std::to_string(ids[i]) +
                               " is outside a table of " +
                               std::to_string(s.rows) + " rows");
      }
    }
    const TensorView& out = context.output(0);
    if (out.bytes == 0) return Status();
    if (out.type == table.type) {
      const size_t bytes = out.bytes / count;
      for (size_t i = 0; i < count; ++i) {
        std::memcpy(out.mutable_as<uint8_t>() + i * bytes,
                    table.as<uint8_t>() + static_cast<size_t>(ids[i]) * bytes,
                    bytes);
      }
      return Status();
    }
    for (size_t i = 0; i < count; ++i) {
      Dequantize(table, static_cast<size_t>(ids[i]), s.width,
                 out.mutable_as<float>() + i * s.width);
    }
    return Status();
  }

 private:
  // A scale for the whole table or one for each row.
  static Status CheckQuantization(const TensorView& table) {
    const Quantization* q = table.quantization;
    if (q == nullptr || !q->is_quantized())
      return Malformed("the table has no scale");
    if (q->is_per_axis() &&
        (q->axis != 0 ||
         q->scales.size() != static_cast<size_t>(table.shape[0])))
      return Unsupported(
          "a table with scales along another axis than the "
          "first is not implemented");
    for (const int64_t zero : q->zero_points)
      if (zero < -128 || zero > 255)
        return Malformed("the table has zero point " + std::to_string(zero));
    for (const float scale : q->scales)
      if (!(scale > 0.0f) || !std::isfinite(scale))
        return Malformed("the table has scale " + std::to_string(scale));
    return Status();
  }

  static void Dequantize(const TensorView& table, size_t row, size_t width,
                         float* out) {
    const Quantization& q = *table.quantization;
    const size_t at = q.is_per_axis() ? row : 0;
    const float scale = q.scales[at];
    const auto zero =
        static_cast<int32_t>(at < q.zero_points.size() ? q.zero_points[at] : 0);
    const auto convert = [&](const auto* stored) {
      for (size_t i = 0; i < width; ++i)
        out[i] = scale * static_cast<float>(stored[i] - zero);
    };
    if (table.type == ElementType::kInt8) {
      convert(table.as<int8_t>() + row * width);
    } else if (table.type == ElementType::kUInt8) {
      convert(table.as<uint8_t>() + row * width);
    } else {
      // Two to a byte, the first in the low bits.
      const auto* bytes = table.as<uint8_t>();
      for (size_t i = 0; i < width; ++i) {
        const size_t n = row * width + i;
        const int bits = bytes[n / 2] >> (n % 2 * 4) & 0xF;
        out[i] = scale * static_cast<float>((bits ^ 8) - 8 - zero);
      }
    }
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<EmbeddingLookupKernel>());
}

}  // namespace munja::ops::embedding_lookup
