#include <algorithm>
#include <string>
#include <utility>

#include "import/paddle/context.h"

namespace munja::importer::paddle {
namespace {

// Paddle's gates come as input, forget, content, output.
constexpr int64_t kOrder[] = {0, 3, 1, 2};

// The rows of each gate in the neutral order: input, output, forget, content.
Status AppendGates(const Operation& op, const Tensor* t, int64_t hidden,
                   int64_t width, std::vector<float>* to) {
  if (t == nullptr || t->is_integer ||
      static_cast<int64_t>(t->floats.size()) != 4 * hidden * width)
    return Malformed(op, ": weights that do not fit hidden_size ", hidden);
  for (const int64_t gate : kOrder) {
    const auto first = t->floats.begin() + gate * hidden * width;
    to->insert(to->end(), first, first + hidden * width);
  }
  return {};
}

}  // namespace

// LSTM of several layers, each forward or in both directions.
Status Rnn(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text("mode", "LSTM"));
  if (mode != "LSTM") return Unsupported(op, ": mode ", mode);
  MUNJA_ASSIGN_OR_RETURN(const bool test, Flag(op, {"is_test"}, true));
  MUNJA_ASSIGN_OR_RETURN(const double dropout,
                         op.attributes.Float("dropout_prob", 0));
  if (!test && dropout != 0) return Unsupported(op, ": a program for training");
  if (op.inputs.contains("SequenceLength"))
    return Unsupported(op, ": lengths of sequences");
  MUNJA_ASSIGN_OR_RETURN(const bool both, Flag(op, {"is_bidirec"}, false));
  MUNJA_ASSIGN_OR_RETURN(const int64_t layers,
                         op.attributes.Int("num_layers", 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t hidden,
                         op.attributes.Int("hidden_size", 0));
  if (layers < 1 || layers > 64 || hidden < 1 || hidden > (1 << 16))
    return Malformed(op, ": ", layers, " layers of size ", hidden);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> states,
                         context.All(op, "PreState"));
  for (const ValueId v : states) {
    const Tensor* t = context.builder.constant(v);
    if (t == nullptr || std::any_of(t->floats.begin(), t->floats.end(),
                                    [](float f) { return f != 0; }))
      return Unsupported(op, ": a first state that is not zero");
  }
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> weights,
                         context.All(op, "WeightList"));
  const int64_t directions = both ? 2 : 1, cells = layers * directions;
  // Weights of all cells, two each, then their biases, two each.
  if (static_cast<int64_t>(weights.size()) != 4 * cells)
    return Unsupported(op, ": ", weights.size(), " weights for ", cells,
                       " cells");
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "Input"));
  for (int64_t layer = 0; layer < layers; ++layer) {
    const Dims& shape = context.ShapeOf(x);
    if (shape.size() != 3 || shape[2] < 1)
      return Malformed(op, ": input of shape ", ToString(shape));
    const int64_t width = shape[2];
    std::vector<float> w, r, b;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t cell = 2 * (layer * directions + d);
      const auto tensor = [&](int64_t i) {
        return context.builder.constant(weights[i]);
      };
      MUNJA_RETURN_IF_ERROR(AppendGates(op, tensor(cell), hidden, width, &w));
      MUNJA_RETURN_IF_ERROR(
          AppendGates(op, tensor(cell + 1), hidden, hidden, &r));
      for (int64_t i = 0; i < 2; ++i)
        MUNJA_RETURN_IF_ERROR(
            AppendGates(op, tensor(2 * cells + cell + i), hidden, 1, &b));
    }
    const auto add = [&](const char* what, Dims dims, std::vector<float> v) {
      return context.builder.AddConstant(
          op.name + "/" + what, Tensor::Floats(std::move(dims), std::move(v)));
    };
    const ValueId inputs[] = {
        x, add("weights", {directions, 4 * hidden, width}, std::move(w)),
        add("recurrent", {directions, 4 * hidden, hidden}, std::move(r)),
        add("bias", {directions, 8 * hidden}, std::move(b))};
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "layer", "LSTM",
                        {std::begin(inputs), std::end(inputs)}));
  }
  return context.Bind(op, "Out", x);
}

}  // namespace munja::importer::paddle
