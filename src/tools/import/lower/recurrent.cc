#include <algorithm>
#include <string>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {
namespace {

// The neutral order of the gates is input, output, forget, content; that of
// .tflite input, forget, content, output.
constexpr int kGate[] = {0, 2, 3, 1};

class LstmLowering {
 public:
  LstmLowering(LoweringContext& context, const Node& node)
      : context_(context),
        node_(node),
        weights_(*context.constant(node.inputs[1])),
        recurrent_(*context.constant(node.inputs[2])),
        bias_(node.inputs.size() > 3 ? context.constant(node.inputs[3])
                                     : nullptr),
        hidden_(recurrent_.shape[2]) {}

  // Weights, recurrent weights, absent peepholes, biases, absent projection.
  void AppendWeights(int64_t d, std::vector<graph::ValueId>* inputs) {
    for (const int gate : kGate)
      inputs->push_back(Rows("weights", weights_, d, gate));
    for (const int gate : kGate)
      inputs->push_back(Rows("recurrent", recurrent_, d, gate));
    inputs->insert(inputs->end(), 3, graph::kNoValue);
    for (const int gate : kGate) inputs->push_back(Bias(d, gate));
    inputs->insert(inputs->end(), 2, graph::kNoValue);
  }
  // The state that a direction keeps while it runs.
  void AppendStates(int64_t batch, std::vector<graph::ValueId>* inputs) {
    for (const char* what : {"/output_state", "/cell_state"}) {
      const graph::ValueId id = context_.NewValue(
          node_.name + what, ElementType::kFloat32, {batch, hidden_});
      context_.subgraph.values[id].is_variable = true;
      inputs->push_back(id);
    }
  }

 private:
  graph::ValueId Rows(const char* what, const Tensor& t, int64_t d, int gate) {
    const int64_t width = t.shape[2];
    const auto first = t.floats.begin() + (d * 4 + gate) * hidden_ * width;
    return context_.Floats(node_.name + "/" + what, {hidden_, width},
                           {first, first + hidden_ * width});
  }
  graph::ValueId Bias(int64_t d, int gate) {
    std::vector<float> sum(hidden_, 0.0f);
    for (int64_t i = 0; bias_ != nullptr && i < hidden_; ++i)
      sum[i] = bias_->floats[(d * 8 + gate) * hidden_ + i] +
               bias_->floats[(d * 8 + 4 + gate) * hidden_ + i];
    return context_.Floats(node_.name + "/bias", {hidden_}, sum);
  }

  LoweringContext& context_;
  const Node& node_;
  const Tensor &weights_, &recurrent_;
  const Tensor* bias_;
  int64_t hidden_;
};

}  // namespace

Status LowerLstm(LoweringContext& context, const Node& node) {
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNoValue && !context.constant(node.inputs[i]))
      return Unsupported("weights computed at run time");
  MUNJA_ASSIGN_OR_RETURN(const int64_t reverse,
                         node.attributes.Int("reverse", 0));
  const ValueId x = node.inputs[0];
  const Dims& shape = context.ShapeOf(x);
  const int64_t batch = shape[1];
  if (batch < 0)
    return Unsupported("a batch of unknown size: the state must be planned");
  const bool both = context.ShapeOf(node.inputs[1])[0] == 2;
  // Steps first, or the batch first, as it comes.
  const Layout given = context.LayoutOf(x);
  const bool time_major = given == Layout{0, 1, 2};
  const Layout layout = time_major ? Layout{0, 1, 2} : Layout{1, 0, 2};
  MUNJA_ASSIGN_OR_RETURN(graph::ValueId in, context.In(x, layout));
  const graph::ValueId steps_axis =
      context.Ints(node.name + "/axis", {time_major ? 0 : 1});
  if (reverse != 0)
    in = context.Step(node, "turned_input", "REVERSE_V2", {in, steps_axis},
                      Arrange(shape, layout));
  LstmLowering lowering(context, node);
  std::vector<graph::ValueId> inputs = {in};
  lowering.AppendWeights(0, &inputs);
  graph::Attributes a;
  a.Set("fused_activation_function", std::string("TANH"));
  a.Set("cell_clip", 0.0);
  a.Set("proj_clip", 0.0);
  a.Set("time_major", time_major);
  a.Set("asymmetric_quantize_inputs", false);
  if (both) {
    lowering.AppendWeights(1, &inputs);
    lowering.AppendStates(batch, &inputs);
    lowering.AppendStates(batch, &inputs);
    // No second input and no weights for it.
    inputs.insert(inputs.end(), 9, graph::kNoValue);
    a.Set("merge_outputs", true);
    context.EmitTo(node, "BIDIRECTIONAL_SEQUENCE_LSTM", std::move(inputs),
                   layout, std::move(a));
    return {};
  }
  lowering.AppendStates(batch, &inputs);
  inputs.insert(inputs.end(), 4, graph::kNoValue);
  if (reverse == 0) {
    context.EmitTo(node, "UNIDIRECTIONAL_SEQUENCE_LSTM", std::move(inputs),
                   layout, std::move(a));
    return {};
  }
  const graph::ValueId turned = context.Step(
      node, "turned_output", "UNIDIRECTIONAL_SEQUENCE_LSTM", std::move(inputs),
      Arrange(context.ShapeOf(node.outputs[0]), layout), std::move(a));
  context.EmitTo(node, "REVERSE_V2", {turned, steps_axis}, layout);
  return {};
}

}  // namespace munja::importer
