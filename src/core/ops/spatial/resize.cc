// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include "kernels/spatial/resize.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/nearest_map.h"
#include "ops/support/operands.h"
#include "ops/support/row_kernel.h"

namespace munja::ops::resize {
namespace {

struct ResizeState : State {
  // One of the three pairs is filled.
  std::vector<kernels::LinearTap> row_taps, column_taps;
  std::vector<kernels::IntegerTap> row_integers, column_integers;
  std::vector<int32_t> rows, columns;
};

class ResizeKernel final : public Kernel, public RowKernel {
 public:
  ResizeKernel(bool is_bilinear, bool align_corners, bool half_pixel,
               bool reference_kernels)
      : is_bilinear_(is_bilinear),
        align_corners_(align_corners),
        half_pixel_(half_pixel),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    if (is_bilinear_) {
      MUNJA_RETURN_IF_ERROR(
          CheckType(in, "the input",
                    {ElementType::kFloat32, ElementType::kInt8,
                     ElementType::kUInt8, ElementType::kInt16}));
    } else {
      MUNJA_RETURN_IF_ERROR(MovableSize(in).TakeStatus());
    }
    if (in.shape.rank() != 4)
      return Malformed("the input " + in.shape.ToString() + " is not NHWC");
    const int32_t in_h = in.shape[1], in_w = in.shape[2];
    MUNJA_ASSIGN_OR_RETURN(const auto size, ResizedSize(context, in.shape, 1));
    const auto [out_h, out_w] = size;
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(
        0, Shape{in.shape[0], out_h, out_w, in.shape[3]}));
    auto state = std::make_unique<ResizeState>();
    if (is_bilinear_ && HasIntegerWeights(in.type)) {
      state->row_integers =
          kernels::IntegerTaps(in_h, out_h, align_corners_, half_pixel_);
      state->column_integers =
          kernels::IntegerTaps(in_w, out_w, align_corners_, half_pixel_);
    } else if (is_bilinear_) {
      state->row_taps =
          kernels::LinearTaps(in_h, out_h, align_corners_, half_pixel_);
      state->column_taps =
          kernels::LinearTaps(in_w, out_w, align_corners_, half_pixel_);
    } else {
      state->rows =
          kernels::NearestIndices(in_h, out_h, align_corners_, half_pixel_);
      state->columns =
          kernels::NearestIndices(in_w, out_w, align_corners_, half_pixel_);
    }
    context.SetState(std::move(state));
    return Status();
  }

  const RowKernel* by_rows() const override {
    return is_bilinear_ ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsRowMap(context.input(0)) && IsRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const override { return i == 0; }
  RowRange InputRows(const EvalContext& context, int,
                     RowRange rows) const override {
    return SourceRows(static_cast<const ResizeState*>(context.state())->rows,
                      context.input(0).shape[1], rows);
  }
  void EvalRows(const RowTask& task) const override {
    const auto& state = *static_cast<const ResizeState*>(task.context.state());
    NearestRows(task.context, state.rows.data() + task.rows.begin,
                state.rows[static_cast<size_t>(task.rows.begin)],
                static_cast<size_t>(task.rows.size()), task.in<uint8_t>(0),
                task.out<uint8_t>());
  }

  Status Eval(EvalContext& context) const override {
    if (context.output(0).shape.elements() == 0) return Status();
    is_bilinear_ ? Bilinear(context) : Nearest(context);
    return Status();
  }

 private:
  static bool HasIntegerWeights(ElementType type) {
    return type == ElementType::kInt8 || type == ElementType::kInt16;
  }

  void Bilinear(EvalContext& context) const {
    const auto& state = *static_cast<const ResizeState*>(context.state());
    switch (context.input(0).type) {
      case ElementType::kInt8:
        return Rows<int8_t>(context, state.row_integers, state.column_integers,
                            kernels::ResizeBilinearRow<int8_t>);
      case ElementType::kInt16:
        return Rows<int16_t>(context, state.row_integers, state.column_integers,
                             kernels::ResizeBilinearRow<int16_t>);
      case ElementType::kUInt8: {
        void (*run)(const uint8_t*, const uint8_t*, float,
                    const kernels::LinearTap*, int32_t, int32_t, uint8_t*) =
            kernels::ResizeBilinearRow;
        return Rows<uint8_t>(context, state.row_taps, state.column_taps, run);
      }
      default: {
        void (*run)(const float*, const float*, float,
                    const kernels::LinearTap*, int32_t, int32_t, float*) =
            kernels::ResizeBilinearRow;
        return Rows<float>(
            context, state.row_taps, state.column_taps,
            use_reference_ ? kernels::reference::ResizeBilinearRow : run);
      }
    }
  }

  template <class T, class Tap, class F>
  static void Rows(EvalContext& context, const std::vector<Tap>& row_taps,
                   const std::vector<Tap>& column_taps, const F& run) {
    const Shape& is = context.input(0).shape;
    const Shape& os = context.output(0).shape;
    const T* in = context.input(0).as<T>();
    T* out = context.output(0).mutable_as<T>();
    const size_t in_row = static_cast<size_t>(is[2]) * is[3];
    const size_t out_row = static_cast<size_t>(os[2]) * os[3];
    const size_t out_h = static_cast<size_t>(os[1]);
    context.pool().ParallelFor(
        static_cast<size_t>(os[0]) * out_h, Grain(out_row),
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const Tap& tap = row_taps[i % out_h];
            const T* image = in + i / out_h * is[1] * in_row;
            run(image + tap.lower * in_row, image + tap.upper * in_row,
                tap.weight, column_taps.data(), os[2], os[3],
                out + i * out_row);
          }
        });
  }

  void Nearest(EvalContext& context) const {
    const auto& state = *static_cast<const ResizeState*>(context.state());
    const Shape& is = context.input(0).shape;
    const Shape& os = context.output(0).shape;
    const size_t pixel = ElementSize(context.input(0).type) * is[3];
    const auto* in = context.input(0).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    const size_t in_row = static_cast<size_t>(is[2]) * pixel;
    const size_t out_row = static_cast<size_t>(os[2]) * pixel;
    const size_t out_h = static_cast<size_t>(os[1]);
    context.pool().ParallelFor(
        static_cast<size_t>(os[0]) * out_h, Grain(out_row / 4),
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end;) {
            const size_t n = i / out_h, y = i % out_h;
            const size_t count = std::min(end - i, out_h - y);
            NearestRows(context, state.rows.data() + y, 0, count,
                        in + n * static_cast<size_t>(is[1]) * in_row,
                        out + i * out_row);
            i += count;
          }
        });
  }

  // `count` rows out of rows sources[...] of an image, of which `in` is row
  // `first`.
  static void NearestRows(const EvalContext& context, const int32_t* sources,
                          int32_t first, size_t count, const uint8_t* in,
                          uint8_t* out) {
    const auto& state = *static_cast<const ResizeState*>(context.state());
    const size_t pixel = ElementSize(context.input(0).type) *
                         static_cast<size_t>(context.input(0).shape[3]);
    const size_t in_row =
        static_cast<size_t>(context.input(0).shape[2]) * pixel;
    const size_t out_row = state.columns.size() * pixel;
    for (size_t i = 0; i < count; ++i, out += out_row) {
      // An enlarged row is often the same as the one above it.
      if (i > 0 && sources[i] == sources[i - 1]) {
        std::memcpy(out, out - out_row, out_row);
        continue;
      }
      CopyPixels(in + static_cast<size_t>(sources[i] - first) * in_row,
                 state.columns, pixel, out);
    }
  }

  template <size_t kPixel>
  static void CopyFixed(const uint8_t* from,
                        const std::vector<int32_t>& columns, uint8_t* to) {
    for (const int32_t x : columns) {
      std::memcpy(to, from + static_cast<size_t>(x) * kPixel, kPixel);
      to += kPixel;
    }
  }

  static void CopyPixels(const uint8_t* from,
                         const std::vector<int32_t>& columns, size_t pixel,
                         uint8_t* to) {
    switch (pixel) {
      case 4:
        return CopyFixed<4>(from, columns, to);
      case 64:
        return CopyFixed<64>(from, columns, to);
      case 96:
        return CopyFixed<96>(from, columns, to);
      default:
        for (const int32_t x : columns) {
          std::memcpy(to, from + static_cast<size_t>(x) * pixel, pixel);
          to += pixel;
        }
    }
  }

  // Rows for one piece of work.
  static size_t Grain(size_t row) {
    return std::max<size_t>(1, (size_t{1} << 14) / std::max<size_t>(1, row));
  }

  bool is_bilinear_, align_corners_, half_pixel_, use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const NearestRule rule,
                         ParseNearestRule(info.attributes()));
  const bool is_bilinear = info.node().op == "RESIZE_BILINEAR";
  if (is_bilinear && rule.align_corners && rule.half_pixel) {
    return Malformed("align_corners and half_pixel_centers exclude each other");
  }
  return std::unique_ptr<Kernel>(std::make_unique<ResizeKernel>(
      is_bilinear, rule.align_corners, rule.half_pixel,
      info.options().reference_kernels));
}

}  // namespace munja::ops::resize
