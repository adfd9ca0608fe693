#include "train/nets/export.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "text/hangul_letters.h"
#include "train/nets/graph_writer.h"
#include "train/nets/torch_weights.h"

namespace munja::train {
namespace {

using graph::ValueId;

constexpr std::array kHeadParts = {"head", "initials", "vowels", "finals"};

ValueId WriteBlock(GraphWriter& writer, const std::string& name, ValueId x,
                   const ConvBlock& block) {
  const ConvBlockOptions& o = block->options();
  return writer.Conv(name, x, Arranged(block->Fold(), o.depthwise),
                     {o.stride_h, o.stride_w, o.depthwise, o.activation});
}

ValueId WriteConv(GraphWriter& writer, const std::string& name, ValueId x,
                  const torch::nn::Conv2d& conv) {
  return writer.Conv(name, x, Arranged({conv->weight, conv->bias}, false), {});
}

ValueId WriteHead(GraphWriter& writer, ValueId x, const RecognizerNet& net) {
  if (!net->config().hangul_letters) {
    return writer.Softmax(
        "probabilities",
        writer.DropHeight("logits", WriteConv(writer, "head", x, net->head)));
  }
  // A convolution for each part, which has a softmax of its own.
  std::vector<ValueId> parts;
  const std::vector<int64_t> sizes = net->parts();
  const auto weights = net->head->weight.split_with_sizes(sizes);
  const auto biases = net->head->bias.split_with_sizes(sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ValueId scores = writer.Conv(
        kHeadParts[i], x, Arranged({weights[i], biases[i]}, false), {});
    parts.push_back(
        writer.Softmax(std::string(kHeadParts[i]) + "/softmax", scores));
  }
  return writer.DropHeight("probabilities",
                           writer.Concat("classes", std::move(parts)));
}

}  // namespace

Result<graph::Graph> ExportRecognizer(const RecognizerNet& net) {
  GraphWriter writer;
  ValueId x = writer.Input("pictures", {1, kDynamic, kDynamic, 3});
  for (size_t i = 0; i < net->column.size(); ++i)
    x = WriteBlock(writer, "column" + std::to_string(i), x, net->column[i]);
  x = writer.MeanOfHeight("mean", x);
  for (size_t i = 0; i < net->context.size(); ++i) {
    const ContextBlock& block = net->context[i];
    const std::string name = "context" + std::to_string(i);
    ValueId y = WriteBlock(writer, name + "/depthwise", x, block->depthwise);
    y = WriteBlock(writer, name + "/expand", y, block->expand);
    y = WriteBlock(writer, name + "/project", y, block->project);
    x = writer.Add(name, y, x);
  }
  if (!net->bottleneck.is_empty())
    x = WriteConv(writer, "bottleneck", x, net->bottleneck);
  x = WriteHead(writer, x, net);
  graph::Graph graph = writer.Finish({x}, "Munja text recognizer");
  const std::string height = std::to_string(net->config().height);
  graph.metadata[kLineHeightEntry] = {height.begin(), height.end()};
  if (net->config().hangul_letters)
    graph.metadata[text::kHangulLettersEntry] = {'1'};
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  return graph;
}

Result<graph::Graph> ExportDetector(const DetectorNet& net) {
  GraphWriter writer;
  ValueId x = writer.Input("pictures", {1, kDynamic, kDynamic, 3});
  x = WriteBlock(writer, "stem", x, net->stem);
  std::vector<ValueId> levels;
  for (size_t s = 0; s < net->stages.size(); ++s) {
    for (size_t i = 0; i < net->stages[s].size(); ++i)
      x = WriteBlock(writer,
                     "stage" + std::to_string(s + 1) + "_" + std::to_string(i),
                     x, net->stages[s][i]);
    levels.push_back(x);
  }
  if (!net->context.is_empty())
    levels.back() = WriteBlock(writer, "context", x, net->context);
  ValueId sum = graph::kNoValue;
  for (size_t i = levels.size(); i-- > 0;) {
    const std::string name = "lateral" + std::to_string(i + 1);
    const ValueId lateral =
        WriteBlock(writer, name, levels[i], net->laterals[i]);
    sum = sum == graph::kNoValue
              ? lateral
              : writer.Add(name + "/sum", lateral,
                           writer.ResizeLike(name + "/above", sum, lateral));
  }
  x = WriteBlock(writer, "smooth", sum, net->probability->smooth);
  x = WriteConv(writer, "pixels", x, net->probability->pixels);
  // Before the pixels are rearranged the convolution can do it on the way.
  x = writer.Logistic("pixels/logistic", x);
  x = writer.DepthToSpace("probability", x, kHeadStride);
  graph::Graph graph = writer.Finish({x}, "Munja text detector");
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  return graph;
}

}  // namespace munja::train
