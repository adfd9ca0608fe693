#include "pruning_study/yolo_net.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "train/nets/graph_writer.h"
#include "train/nets/torch_weights.h"

namespace munja::train {
namespace {

using Kind = YoloLayer::Kind;
using graph::ValueId;

std::string HeadName(int level) {
  return "stride" + std::to_string(8 << level);
}

// The shift that the implicit addition causes behind the convolution.
torch::Tensor Shift(const YoloHeadImpl& head) {
  return torch::matmul(head.conv->weight.flatten(1), head.add.view({-1}));
}

// The value that an upsampled map is beside: of the other convolution of the
// concatenation that reads both, which has the size of its input.
int BesideUpsampled(const YoloLayers& network, int upsampled) {
  for (const YoloLayer& layer : network.layers) {
    if (layer.kind != Kind::kConcat) continue;
    bool reads = false;
    int other = kYoloPicture;
    for (const int input : layer.inputs) {
      reads |= input == upsampled;
      if (input != upsampled) other = input;
    }
    if (reads && other != kYoloPicture)
      return network.layers[static_cast<size_t>(other)].inputs[0];
  }
  return kYoloPicture;
}

}  // namespace

YoloHeadImpl::YoloHeadImpl(int inputs, int outputs) {
  conv = register_module(
      "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, 1)));
  add = register_parameter("add", torch::randn({1, inputs, 1, 1}) * 0.02);
  factor =
      register_parameter("factor", 1 + torch::randn({1, outputs, 1, 1}) * 0.02);
  torch::NoGradGuard no_gradients;
  conv->weight.normal_(0, 0.01);
  torch::Tensor bias = conv->bias.view({kYoloAnchors, outputs / kYoloAnchors});
  bias.zero_();
  constexpr int kObjectness = 4;
  bias.narrow(1, kObjectness, 1).fill_(std::log(kYoloPriorOdds));
}

torch::Tensor YoloHeadImpl::forward(torch::Tensor x) {
  return conv->forward(x + add) * factor;
}

FoldedConv YoloHeadImpl::Fold() const {
  torch::NoGradGuard no_gradients;
  const torch::Tensor scale = factor.view({-1});
  return {conv->weight * scale.view({-1, 1, 1, 1}),
          (conv->bias + Shift(*this)) * scale};
}

YoloNetImpl::YoloNetImpl(const YoloLayers& layers) : layers_(layers) {
  const std::vector<int> channels = layers_.Channels();
  const auto channels_of = [&](int layer) {
    return layer == kYoloPicture ? 3 : channels[static_cast<size_t>(layer)];
  };
  for (size_t i = 0; i < layers_.layers.size(); ++i) {
    const YoloLayer& layer = layers_.layers[i];
    ConvBlock block{nullptr};
    if (layer.kind == Kind::kConv) {
      ConvBlockOptions o;
      o.in = channels_of(layer.inputs[0]);
      o.out = layer.filters;
      o.kernel_h = o.kernel_w = layer.kernel;
      o.stride_h = o.stride_w = layer.stride;
      o.has_branches = false;
      o.activation = Activation::kLeakyRelu;
      block = register_module(YoloLayerName(i), ConvBlock(o));
    }
    blocks.push_back(block);
  }
  for (int level = 0; level < kYoloLevels; ++level) {
    const auto l = static_cast<size_t>(level);
    heads[l] = register_module(
        HeadName(level),
        YoloHead(channels_of(layers_.heads[l]), layers_.outputs()));
  }
}

std::array<torch::Tensor, kYoloLevels> YoloNetImpl::forward(
    torch::Tensor pictures) {
  pictures = pictures.contiguous(torch::MemoryFormat::ChannelsLast);
  std::vector<torch::Tensor> maps;
  const auto map = [&](int layer) {
    return layer == kYoloPicture ? pictures : maps[static_cast<size_t>(layer)];
  };
  for (size_t i = 0; i < layers_.layers.size(); ++i) {
    const YoloLayer& layer = layers_.layers[i];
    const torch::Tensor x = map(layer.inputs[0]);
    switch (layer.kind) {
      case Kind::kConv:
        maps.push_back(blocks[i]->forward(x));
        break;
      case Kind::kPool: {
        const int pad = layer.stride == 1 ? layer.kernel / 2 : 0;
        maps.push_back(torch::max_pool2d(x, layer.kernel, layer.stride, pad));
        break;
      }
      case Kind::kUpsample:
        maps.push_back(
            torch::upsample_nearest2d(x, {x.size(2) * 2, x.size(3) * 2}));
        break;
      case Kind::kConcat: {
        std::vector<torch::Tensor> parts;
        for (const int input : layer.inputs) parts.push_back(map(input));
        maps.push_back(torch::cat(parts, 1));
        break;
      }
    }
  }
  std::array<torch::Tensor, kYoloLevels> outputs;
  for (size_t l = 0; l < outputs.size(); ++l)
    outputs[l] = heads[l]->forward(map(layers_.heads[l]));
  return outputs;
}

Result<graph::Graph> ExportYolo(const YoloNet& net, int side) {
  const YoloLayers& network = net->layers();
  GraphWriter writer;
  const ValueId pictures = writer.Input("pictures", {1, side, side, 3});
  std::vector<ValueId> maps;
  const auto map = [&](int layer) {
    return layer == kYoloPicture ? pictures : maps[static_cast<size_t>(layer)];
  };
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const YoloLayer& layer = network.layers[i];
    const std::string name = YoloLayerName(i);
    const ValueId x = map(layer.inputs[0]);
    switch (layer.kind) {
      case Kind::kConv: {
        const ConvBlockOptions& o = net->blocks[i]->options();
        maps.push_back(
            writer.Conv(name, x, Arranged(net->blocks[i]->Fold(), false),
                        {o.stride_h, o.stride_w, false, o.activation}));
        break;
      }
      case Kind::kPool:
        maps.push_back(writer.MaxPool(name, x, layer.kernel, layer.stride));
        break;
      case Kind::kUpsample:
        maps.push_back(writer.ResizeLike(
            name, x, map(BesideUpsampled(network, static_cast<int>(i)))));
        break;
      case Kind::kConcat: {
        std::vector<ValueId> parts;
        for (const int input : layer.inputs) parts.push_back(map(input));
        maps.push_back(writer.Concat(name, parts));
        break;
      }
    }
  }
  std::vector<ValueId> outputs;
  for (int level = 0; level < kYoloLevels; ++level) {
    const auto l = static_cast<size_t>(level);
    const std::string name = HeadName(level);
    outputs.push_back(writer.Logistic(
        name + "/probabilities",
        writer.Conv(name, map(network.heads[l]),
                    Arranged(net->heads[l]->Fold(), false), {})));
  }
  graph::Graph graph = writer.Finish(outputs, "Munja detector of objects");
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  return graph;
}

Status CutYolo(const YoloNet& from,
               const std::vector<compress::PrunedLayer>& cut, YoloNet& to) {
  std::map<std::string, const compress::PrunedLayer*> by_name;
  for (const compress::PrunedLayer& layer : cut) by_name[layer.name] = &layer;
  const auto find =
      [&](const std::string& name) -> Result<const compress::PrunedLayer*> {
    const auto found = by_name.find(name);
    if (found == by_name.end())
      return Internal("the exported network has no layer '" + name + "'");
    return found->second;
  };
  for (size_t i = 0; i < from->blocks.size(); ++i) {
    if (from->blocks[i].is_empty()) continue;
    MUNJA_ASSIGN_OR_RETURN(const auto* layer, find(YoloLayerName(i)));
    MUNJA_RETURN_IF_ERROR(
        to->blocks[i]
            ->SetCut(*from->blocks[i], layer->kept, layer->kept_inputs)
            .With(layer->name));
  }
  torch::NoGradGuard no_gradients;
  for (int level = 0; level < kYoloLevels; ++level) {
    MUNJA_ASSIGN_OR_RETURN(const auto* layer, find(HeadName(level)));
    const YoloHead& old_head = from->heads[static_cast<size_t>(level)];
    YoloHead& head = to->heads[static_cast<size_t>(level)];
    const torch::Tensor inputs = IndexOf(layer->kept_inputs);
    if (head->add.size(1) != inputs.size(0))
      return Internal(layer->name + " has another number of inputs");
    head->conv->weight.copy_(old_head->conv->weight.index_select(1, inputs));
    head->add.copy_(old_head->add.index_select(1, inputs));
    // The term added to the removed inputs is the same everywhere.
    head->conv->bias.copy_(old_head->conv->bias + Shift(*old_head) -
                           Shift(*head));
    head->factor.copy_(old_head->factor);
  }
  return Status();
}

}  // namespace munja::train
