#include <utility>

#include "import/ncnn/context.h"

namespace munja::foreign::ncnn {

// ncnn's gates come as input, forget, output, content; weights, biases and
// recurrent weights lie one after the other, each for all directions.
Status Lstm(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int outputs, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int count, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int direction, layer.Int(2, 0));
  MUNJA_ASSIGN_OR_RETURN(const int hidden_size, layer.Int(3, outputs));
  MUNJA_ASSIGN_OR_RETURN(const int int8, layer.Int(8, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t hidden,
                         Positive(layer, outputs, "outputs"));
  if (hidden_size != outputs || int8 != 0 || direction < 0 || direction > 2)
    return Unsupported(layer, ": a projection, int8 weights or direction ",
                       direction);
  const int64_t directions = direction == 2 ? 2 : 1;
  const int64_t width = count / (directions * 4 * hidden);
  if (width < 1 || count % (directions * 4 * hidden) != 0)
    return Malformed(layer, ": ", count, " weights for ", hidden, " outputs");
  const Blob& in = context.In(layer);
  if (in.rank != 2) return Unsupported(layer, ": an input of rank ", in.rank);
  const auto read = [&](int64_t columns) -> Result<std::vector<float>> {
    MUNJA_ASSIGN_OR_RETURN(
        const std::vector<float> stored,
        context.weights.Tagged(directions * 4 * hidden * columns));
    std::vector<float> turned;
    turned.reserve(stored.size());
    for (int64_t d = 0; d < directions; ++d) {
      for (const int64_t gate : {0, 2, 1, 3}) {
        const auto first = stored.begin() + (d * 4 + gate) * hidden * columns;
        turned.insert(turned.end(), first, first + hidden * columns);
      }
    }
    return turned;
  };
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> weights, read(width));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<float> once, read(1));
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> recurrent, read(hidden));
  // The neutral operator has a second bias beside each.
  std::vector<float> bias;
  for (int64_t d = 0; d < directions; ++d) {
    const auto first = once.begin() + d * 4 * hidden;
    bias.insert(bias.end(), first, first + 4 * hidden);
    bias.insert(bias.end(), 4 * hidden, 0.0f);
  }
  graph::Attributes turn, back, a;
  turn.Set("perm", std::vector<int64_t>{1, 0, 2});
  back.Set("perm", std::vector<int64_t>{1, 0, 2});
  a.Set("reverse", int64_t{direction == 1});
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId steps,
      context.Step(layer, "steps", "Transpose", {in.value}, std::move(turn)));
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(
          layer, "sequence", "LSTM",
          {steps,
           context.Constant(layer, "weights", {directions, 4 * hidden, width},
                            std::move(weights)),
           context.Constant(layer, "recurrent",
                            {directions, 4 * hidden, hidden},
                            std::move(recurrent)),
           context.Constant(layer, "bias", {directions, 8 * hidden},
                            std::move(bias))},
          std::move(a)));
  return context.Emit(layer, "Transpose", {y}, std::move(back), 2);
}

}  // namespace munja::foreign::ncnn
