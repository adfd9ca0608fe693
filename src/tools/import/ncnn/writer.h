// Writes the layers that are composed of several steps.
#ifndef MUNJA_IMPORT_NCNN_WRITER_H_
#define MUNJA_IMPORT_NCNN_WRITER_H_

#include <vector>

#include "import/compose/steps.h"
#include "import/ncnn/context.h"

namespace munja::importer::ncnn {

class Writer : public Steps {
 public:
  Writer(Context& context, const Layer& layer)
      : Steps(context.builder, Describe(layer), layer.name),
        context_(context),
        layer_(layer) {}

  // A parameter as the layer's readers return it.
  using Steps::Given;

  ValueId in(size_t i = 0) const { return context_.In(layer_, i).value; }
  int in_rank(size_t i = 0) const { return context_.In(layer_, i).rank; }
  // Refuses flat blobs.
  ValueId Map(size_t i = 0) {
    if (in_rank(i) != 3) Refuse("a flat input");
    return in(i);
  }

  // The next `count` weights, which have no tag.
  std::vector<float> Weights(int64_t count) {
    if (!ok()) return {};
    if (count < 0) Damaged("less than no weights");
    return ok() ? Given(context_.weights.Untagged(static_cast<size_t>(count)))
                : std::vector<float>();
  }
  // Likewise, an array with a tag.
  std::vector<float> Tagged(int64_t count) {
    if (!ok()) return {};
    return Given(context_.weights.Tagged(static_cast<size_t>(count)));
  }
  // Rounds to the nearest multiple of `scale` that int8 can hold, ties away
  // from 0.
  ValueId Stepped(ValueId x, double scale) {
    const ValueId y =
        Neutral("Clip", {Mul(x, scale)}, {{"min", -127.0}, {"max", 127.0}});
    const ValueId size = Unary("Abs", y), below = Unary("Floor", size);
    const ValueId more =
        Compare("GREATER_EQUAL", Sub(size, below), Scalar(0.5));
    const ValueId rounded = Add(below, Cast(more, kF32));
    return Mul(
        Select(Compare("LESS", y, Scalar(0)), Unary("Neg", rounded), rounded),
        1 / scale);
  }

  // One for each channel of a map.
  ValueId PerChannel(std::vector<float> numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return Constant(Tensor::Floats({1, count, 1, 1}, std::move(numbers)));
  }

  // Output 0 is that.
  Status Done(ValueId value, int rank) {
    MUNJA_RETURN_IF_ERROR(Finish());
    return context_.Set(layer_, 0, {value, rank});
  }

  // Output 0 is that with the fused activation.
  Status Activated(ValueId value, int rank) {
    MUNJA_RETURN_IF_ERROR(Finish());
    return context_.Finish(layer_, value, rank);
  }

 private:
  Context& context_;
  const Layer& layer_;
};

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_WRITER_H_
