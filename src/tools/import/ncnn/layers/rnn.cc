// Recurrent layers.
#include <string>
#include <utility>
#include <vector>

#include "import/ncnn/context.h"
#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {

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
  // The neutral operator has a second bias after each.
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

namespace {

// RNN and GRU by the library's operator of the same gates. `from`: the gate of
// ncnn's weights for each of the operator's.
Status Recurrent(Context& context, const Layer& layer, const char* kind,
                 const Int64s& from, const char* activations) {
  Writer w(context, layer);
  const int64_t hidden = w.Given(layer.Int(0, 0));
  const int64_t count = w.Given(layer.Int(1, 0));
  const int direction = w.Given(layer.Int(2, 0));
  if (w.Given(layer.Int(8, 0)) != 0) w.Refuse("int8 weights");
  if (w.in_rank() != 2) w.Refuse("an input that is not rows");
  if (direction < 0 || direction > 2) w.Damaged("direction ", direction);
  if (hidden < 1 || hidden > kMaxOutputs) w.Damaged(hidden, " outputs");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const auto gates = static_cast<int64_t>(from.size());
  const int64_t directions = direction == 2 ? 2 : 1;
  const int64_t all = directions * gates * hidden;
  const int64_t width = count / all;
  if (count < all || count % all != 0)
    w.Damaged(count, " weights for ", hidden, " outputs");
  const auto read = [&](int64_t columns) {
    const std::vector<float> stored = w.Tagged(all * columns);
    std::vector<float> turned;
    if (!w.ok()) return turned;
    for (int64_t d = 0; d < directions; ++d) {
      for (const int64_t gate : from) {
        const auto first =
            stored.begin() + (d * gates + gate) * hidden * columns;
        turned.insert(turned.end(), first, first + hidden * columns);
      }
    }
    return turned;
  };
  std::vector<float> weights = read(width);
  // GRU: one bias for each gate, and a second one for the content's state.
  const int64_t biases = gates == 3 ? 4 : 1;
  const std::vector<float> stored = w.Tagged(directions * biases * hidden);
  std::vector<float> recurrent = read(hidden);
  if (!w.ok()) return w.Done(kNoValue, 2);
  std::vector<float> bias;  // For the input, then for the state.
  for (int64_t d = 0; d < directions; ++d) {
    const auto row = [&](int64_t i) {
      const auto first = stored.begin() + (d * biases + i) * hidden;
      bias.insert(bias.end(), first, first + hidden);
    };
    for (const int64_t gate : from) row(gate);
    bias.insert(bias.end(), static_cast<size_t>((gates - 1) * hidden), 0.0f);
    if (biases == 4)
      row(3);
    else
      bias.insert(bias.end(), static_cast<size_t>(hidden), 0.0f);
  }
  graph::Attributes options;
  options.Set("kind", std::string(kind));
  options.Set("reverse", int64_t{direction == 1});
  options.Set("clip", 0.0);
  options.Set("linear_before_reset", int64_t{1});
  options.Set("coupled", int64_t{0});
  std::string names = activations;
  if (directions == 2) names += std::string(" ") + activations;
  options.Set("activations", names);
  const size_t functions =
      static_cast<size_t>(directions) * (gates == 3 ? 2 : 1);
  options.Set("alpha", std::vector<double>(functions, 0.0));
  options.Set("beta", std::vector<double>(functions, 0.0));
  const Values y = w.CustomMany(
      "MunjaRecurrent",
      {w.Transpose(w.in(), {1, 0, 2}),
       w.Constant(Tensor::Floats({directions, gates * hidden, width},
                                 std::move(weights))),
       w.Constant(Tensor::Floats({directions, gates * hidden, hidden},
                                 std::move(recurrent))),
       w.Constant(
           Tensor::Floats({directions, 2 * gates * hidden}, std::move(bias)))},
      {kF32, kF32, kF32}, options);
  // [steps, directions, 1, hidden]
  const ValueId rows = w.Transpose(y[0], {2, 0, 1, 3});
  return w.Done(w.Reshape(rows, {1, -1, directions * hidden}), 2);
}

}  // namespace

Status Gru(Context& context, const Layer& layer) {
  // ncnn: reset, update, content; the operator: update, reset, content.
  return Recurrent(context, layer, "GRU", {1, 0, 2}, "sigmoid tanh");
}

Status Rnn(Context& context, const Layer& layer) {
  return Recurrent(context, layer, "RNN", {0}, "tanh");
}

}  // namespace munja::importer::ncnn
