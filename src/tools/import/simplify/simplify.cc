#include "import/simplify/simplify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "import/ir/rewriter.h"
#include "import/ir/window.h"
#include "import/simplify/gpu_safe.h"

namespace munja::importer {

Result<Simplification> Simplify(Model* model, const SimplifyOptions& options) {
  Simplification done;
  for (Node& node : model->nodes)
    for (std::shared_ptr<const Model>& body : node.bodies) {
      auto simple = std::make_shared<Model>(*body);
      MUNJA_RETURN_IF_ERROR(Simplify(simple.get(), options).TakeStatus());
      body = std::move(simple);
    }
  RecognizeActivations(model);
  RemoveDeadNodes(model);
  if (options.gpu_safe) done.hard_sigmoids = DecomposeHardSigmoid(model);
  ExpandNormalizations(model);
  MUNJA_RETURN_IF_ERROR(FoldAffine(model));
  // A sum that became a convolution may have a normalization behind it.
  while (const int merged = MergeBranches(model)) {
    done.merged_branches += merged;
    MUNJA_RETURN_IF_ERROR(FoldAffine(model));
  }
  if (options.gpu_safe) {
    done.resizes = UseAsymmetricResize(model);
    done.transposed = RewriteTransposedConvolutions(model);
  }
  MUNJA_RETURN_IF_ERROR(FoldPadding(model));
  RemoveDeadNodes(model);
  return done;
}

namespace {

Node Step(const char* op, const std::string& name, std::vector<ValueId> inputs,
          ValueId output) {
  Node node;
  node.op = op;
  node.name = name;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

}  // namespace

void ExpandNormalizations(Model* model) {
  Rewriter rewriter(model);
  std::vector<Node> nodes = std::move(model->nodes);
  std::vector<Node> out;
  for (Node& node : nodes) {
    const std::string name = node.name;
    if (node.op == "HardSigmoid") {
      const double alpha = node.attributes.Float("alpha", 0.2).value();
      const double beta = node.attributes.Float("beta", 0.5).value();
      const ValueId scaled = rewriter.AddLike(name + "/scaled", node.inputs[0]);
      const ValueId moved = rewriter.AddLike(name + "/moved", node.inputs[0]);
      const ValueId a = rewriter.AddConstant(
          name + "/alpha", Tensor::Floats({}, {static_cast<float>(alpha)}));
      const ValueId b = rewriter.AddConstant(
          name + "/beta", Tensor::Floats({}, {static_cast<float>(beta)}));
      out.push_back(Step("Mul", name, {node.inputs[0], a}, scaled));
      out.push_back(Step("Add", name, {scaled, b}, moved));
      out.push_back(Step("Clip", name, {moved}, node.outputs[0]));
      out.back().attributes.Set("min", 0.0);
      out.back().attributes.Set("max", 1.0);
    } else if (node.op == "BatchNormalization") {
      const double epsilon = node.attributes.Float("epsilon", 1e-5).value();
      const Tensor* p[5];
      bool known = true;
      for (int i = 1; i < 5; ++i) {
        p[i] = rewriter.constant(node.inputs[i]);
        known = known && p[i] != nullptr;
      }
      if (!known) {
        out.push_back(std::move(node));
        continue;
      }
      const size_t n = p[1]->floats.size();
      std::vector<float> factors(n), offsets(n);
      for (size_t c = 0; c < n; ++c) {
        const double f = p[1]->floats[c] / std::sqrt(p[4]->floats[c] + epsilon);
        factors[c] = static_cast<float>(f);
        offsets[c] = static_cast<float>(p[2]->floats[c] - f * p[3]->floats[c]);
      }
      Dims shape(model->values[node.inputs[0]].shape.size(), 1);
      shape[1] = static_cast<int64_t>(n);
      const ValueId scaled = rewriter.AddLike(name + "/scaled", node.inputs[0]);
      const ValueId f = rewriter.AddConstant(
          name + "/factor", Tensor::Floats(shape, std::move(factors)));
      const ValueId o = rewriter.AddConstant(
          name + "/offset", Tensor::Floats(shape, std::move(offsets)));
      out.push_back(Step("Mul", name, {node.inputs[0], f}, scaled));
      out.push_back(Step("Add", name, {scaled, o}, node.outputs[0]));
    } else {
      out.push_back(std::move(node));
    }
  }
  model->nodes = std::move(out);
}

Status FoldPadding(Model* model) {
  Rewriter rewriter(model);
  for (Node& node : model->nodes) {
    const bool pool = node.op == "MaxPool";
    if (!pool && node.op != "Conv") continue;
    Node* pad = rewriter.Producer(node.inputs[0], "Pad");
    if (pad == nullptr) continue;
    MUNJA_ASSIGN_OR_RETURN(const Dims pads, pad->attributes.Ints("pads"));
    MUNJA_ASSIGN_OR_RETURN(const double value,
                           pad->attributes.Float("value", 0));
    MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                           pad->attributes.Text("mode", "constant"));
    MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
    if (!pool) {
      const Dims& w = model->values[node.inputs[1]].shape;
      window.kernel = {w[2], w[3]};
    }
    // Padding never wins a maximum when it is the lowest float.
    const bool fits = pool ? value <= -3.4e38 : value == 0;
    if (!fits || mode != "constant" || pads.size() != 8 || pads[0] != 0 ||
        pads[1] != 0 || pads[4] != 0 || pads[5] != 0 ||
        window.pad_mode != PadMode::kExplicit || window.ceil_mode)
      continue;
    const Dims total = {window.before[0] + pads[2], window.before[1] + pads[3],
                        window.after[0] + pads[6], window.after[1] + pads[7]};
    // A window must keep touching the input.
    if (pool && (std::max(total[0], total[2]) >= window.Extent(0) ||
                 std::max(total[1], total[3]) >= window.Extent(1)))
      continue;
    node.attributes.Set("pads", total);
    node.inputs[0] = pad->inputs[0];
  }
  return {};
}

}  // namespace munja::importer
