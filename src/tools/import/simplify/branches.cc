// Re-parameterization: parallel branches that are added up become one
// convolution.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/rewriter.h"
#include "import/ir/window.h"
#include "import/simplify/simplify.h"

namespace munja::importer {
namespace {

// A branch as weights [O, I, kh, kw] and a bias of a convolution of `input`.
struct Branch {
  ValueId input = kNoValue;
  Window window;
  int64_t group = 1;
  const Tensor* weights = nullptr;  // Null: one factor for each channel.
  std::vector<float> factor;        // Per channel when there is no convolution.
  std::vector<float> bias;          // Empty: zeros.
};

// The constant as one value per channel of a tensor of rank 4.
std::optional<std::vector<float>> PerChannel(const Tensor& t,
                                             int64_t channels) {
  if (t.is_integer) return std::nullopt;
  if (t.floats.size() == 1) return std::vector<float>(channels, t.floats[0]);
  if (t.shape.size() < 3 || t.shape.size() > 4 ||
      t.shape[t.shape.size() - 3] != channels ||
      static_cast<int64_t>(t.floats.size()) != channels)
    return std::nullopt;
  return t.floats;
}

std::optional<Branch> ReadConvolution(Rewriter& rewriter, const Node& conv) {
  Branch b;
  b.input = conv.inputs[0];
  b.weights = rewriter.constant(conv.inputs[1]);
  const Result<Window> window = ReadWindow(conv.attributes);
  const Result<int64_t> group = conv.attributes.Int("group", 1);
  if (b.weights == nullptr || !window.ok() || !group.ok() ||
      window->pad_mode != PadMode::kExplicit || window->ceil_mode)
    return std::nullopt;
  b.window = *window;
  b.window.kernel = {b.weights->shape[2], b.weights->shape[3]};
  b.group = *group;
  if (conv.inputs.size() > 2 && conv.inputs[2] != kNoValue) {
    const Tensor* bias = rewriter.constant(conv.inputs[2]);
    if (bias == nullptr) return std::nullopt;
    b.bias = bias->floats;
  }
  return b;
}

// x, factor * x, or factor * x + offset, by channel: a 1x1 convolution.
std::optional<Branch> ReadAffine(Rewriter& rewriter, const Model& model,
                                 ValueId id, ValueId input) {
  Branch b;
  b.input = input;
  const Dims& shape = model.values[input].shape;
  if (shape.size() != 4 || shape[1] < 1) return std::nullopt;
  b.factor.assign(shape[1], 1.0f);
  for (const char* op : {"Add", "Mul"}) {
    if (id == input) break;
    const Node* node = rewriter.Producer(id, op);
    if (node == nullptr) continue;
    if (!rewriter.ReadOnce(id)) return std::nullopt;
    for (int i = 0; i < 2; ++i) {
      const Tensor* t = rewriter.constant(node->inputs[i]);
      if (t == nullptr) continue;
      const auto numbers = PerChannel(*t, shape[1]);
      if (!numbers) return std::nullopt;
      (op[0] == 'A' ? b.bias : b.factor) = *numbers;
      id = node->inputs[1 - i];
      break;
    }
  }
  if (id != input) return std::nullopt;
  return b;
}

// The position of the first tap of `small` in the window of `large`; false
// unless it gives the same positions for inputs of every size.
bool Fits(const Window& large, const Window& small, int64_t offset[2]) {
  if (large.stride != small.stride) return false;
  for (int i = 0; i < 2; ++i) {
    const bool dilated = large.dilation[i] != 1 || small.dilation[i] != 1;
    offset[i] = large.before[i] - small.before[i];
    if (offset[i] < 0 || offset[i] + small.kernel[i] > large.kernel[i] ||
        large.after[i] - small.after[i] !=
            large.kernel[i] - small.kernel[i] - offset[i] ||
        (dilated && large.kernel[i] != 1))
      return false;
  }
  return true;
}

// Adds the branch into weights and bias of the larger one; false when it does
// not fit.
bool AddInto(const Branch& b, const Branch& large, Tensor* weights,
             std::vector<float>* bias) {
  int64_t offset[2];
  const int64_t filters = weights->shape[0], per_group = weights->shape[1];
  const int64_t kh = weights->shape[2], kw = weights->shape[3];
  if (!Fits(large.window, b.window, offset)) return false;
  if (b.weights != nullptr) {
    const Dims& s = b.weights->shape;
    if (b.group != large.group || s[0] != filters || s[1] != per_group)
      return false;
    for (int64_t p = 0; p < filters * per_group; ++p)
      for (int64_t y = 0; y < s[2]; ++y)
        for (int64_t x = 0; x < s[3]; ++x)
          weights->floats[(p * kh + y + offset[0]) * kw + x + offset[1]] +=
              b.weights->floats[(p * s[2] + y) * s[3] + x];
  } else {
    if (static_cast<int64_t>(b.factor.size()) != filters ||
        filters != per_group * large.group)
      return false;
    // Filter o reads input channel o: the o-th modulo its group's channels.
    for (int64_t o = 0; o < filters; ++o)
      weights->floats[((o * per_group + o % per_group) * kh + offset[0]) * kw +
                      offset[1]] += b.factor[o];
  }
  for (size_t o = 0; o < b.bias.size(); ++o) (*bias)[o] += b.bias[o];
  return true;
}

bool MergeSum(Rewriter& rewriter, Model* model, Node* node) {
  for (int i = 0; i < 2; ++i) {
    const ValueId mine = node->inputs[i], other = node->inputs[1 - i];
    const Node* conv = rewriter.Producer(mine, "Conv");
    if (conv == nullptr || !rewriter.ReadOnce(mine)) continue;
    const auto large = ReadConvolution(rewriter, *conv);
    if (!large) continue;
    std::optional<Branch> small;
    if (const Node* second = rewriter.Producer(other, "Conv")) {
      if (rewriter.ReadOnce(other)) small = ReadConvolution(rewriter, *second);
    } else if (rewriter.constant(other) == nullptr) {
      small = ReadAffine(rewriter, *model, other, large->input);
    }
    if (!small || small->input != large->input) continue;
    Tensor weights = *large->weights;
    std::vector<float> bias = large->bias;
    bias.resize(weights.shape[0], 0.0f);
    if (!AddInto(*small, *large, &weights, &bias)) continue;
    const int64_t filters = weights.shape[0];
    node->op = "Conv";
    node->attributes = conv->attributes;
    node->inputs = {
        large->input,
        rewriter.AddConstant(node->name + "/weights", std::move(weights)),
        rewriter.AddConstant(node->name + "/bias",
                             Tensor::Floats({filters}, std::move(bias)))};
    return true;
  }
  return false;
}

}  // namespace

int MergeBranches(Model* model) {
  Rewriter rewriter(model);
  int merged = 0;
  for (Node& node : model->nodes)
    if (node.op == "Add" && node.inputs.size() == 2)
      merged += MergeSum(rewriter, model, &node);
  RemoveDeadNodes(model);
  return merged;
}

}  // namespace munja::importer
