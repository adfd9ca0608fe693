#include "pruning_study/yolo_layers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compress/pruning/level.h"

namespace munja::train {
namespace {

using Kind = YoloLayer::Kind;

// Appends layers; each gives the number of what it appended.
class Builder {
 public:
  explicit Builder(double width) : width_(width) {}

  int Conv(int input, int filters, int kernel, int stride = 1) {
    const int scaled = std::max(1, static_cast<int>(filters * width_));
    return Append({Kind::kConv, {input}, scaled, kernel, stride});
  }
  int Pool(int input, int kernel, int stride) {
    return Append({Kind::kPool, {input}, 0, kernel, stride});
  }
  int Upsample(int input) { return Append({Kind::kUpsample, {input}}); }
  int Concat(std::vector<int> inputs) {
    return Append({Kind::kConcat, std::move(inputs)});
  }

  // Two 1x1 convolutions side by side, two of 3x3 behind the second, and one
  // that joins all four.
  int Elan(int input, int inner, int outer) {
    const int a = Conv(input, inner, 1);
    const int b = Conv(input, inner, 1);
    const int c = Conv(b, inner, 3);
    const int d = Conv(c, inner, 3);
    return Conv(Concat({d, c, b, a}), outer, 1);
  }

  std::vector<YoloLayer> Take() { return std::move(layers_); }

 private:
  int Append(YoloLayer layer) {
    layers_.push_back(std::move(layer));
    return static_cast<int>(layers_.size()) - 1;
  }

  double width_;
  std::vector<YoloLayer> layers_;
};

}  // namespace

YoloLayers YoloTiny(int classes, double width) {
  Builder b(width);
  // Backbone.
  int x = b.Conv(kYoloPicture, 32, 3, 2);
  x = b.Conv(x, 64, 3, 2);
  x = b.Elan(x, 32, 64);
  const int third = b.Elan(b.Pool(x, 2, 2), 64, 128);
  const int fourth = b.Elan(b.Pool(third, 2, 2), 128, 256);
  x = b.Elan(b.Pool(fourth, 2, 2), 256, 512);
  // Pooling by windows of several sizes.
  const int beside = b.Conv(x, 256, 1);
  x = b.Conv(x, 256, 1);
  const int small = b.Pool(x, 5, 1);
  const int middle = b.Pool(x, 9, 1);
  const int large = b.Pool(x, 13, 1);
  x = b.Conv(b.Concat({large, middle, small, x}), 256, 1);
  const int top = b.Conv(b.Concat({x, beside}), 256, 1);
  // From coarse to fine.
  x = b.Upsample(b.Conv(top, 128, 1));
  const int route4 = b.Conv(fourth, 128, 1);
  const int down4 = b.Elan(b.Concat({route4, x}), 64, 128);
  x = b.Upsample(b.Conv(down4, 64, 1));
  const int route3 = b.Conv(third, 64, 1);
  const int out3 = b.Elan(b.Concat({route3, x}), 32, 64);
  // And back.
  x = b.Conv(out3, 128, 3, 2);
  const int out4 = b.Elan(b.Concat({x, down4}), 64, 128);
  x = b.Conv(out4, 256, 3, 2);
  const int out5 = b.Elan(b.Concat({x, top}), 128, 256);
  YoloLayers network;
  network.classes = classes;
  network.heads[0] = b.Conv(out3, 128, 3);
  network.heads[1] = b.Conv(out4, 256, 3);
  network.heads[2] = b.Conv(out5, 512, 3);
  network.layers = b.Take();
  return network;
}

std::string YoloLayerName(size_t layer) {
  return "layer" + std::to_string(layer);
}

std::vector<int> YoloLayers::Channels() const {
  std::vector<int> channels;
  for (const YoloLayer& layer : layers) {
    int sum = layer.filters;
    if (layer.kind != Kind::kConv)
      for (const int input : layer.inputs)
        sum += channels[static_cast<size_t>(input)];
    channels.push_back(sum);
  }
  return channels;
}

std::vector<int> YoloLayers::Filters() const {
  std::vector<int> filters;
  for (const YoloLayer& layer : layers)
    if (layer.kind == Kind::kConv) filters.push_back(layer.filters);
  return filters;
}

Status YoloLayers::SetFilters(const std::vector<int>& filters) {
  if (filters.size() != Filters().size())
    return InvalidArgument(
        "the network has " + std::to_string(Filters().size()) +
        " convolutions, not " + std::to_string(filters.size()));
  size_t next = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].kind != Kind::kConv) continue;
    if (filters[next] < 1)
      return InvalidArgument("'" + YoloLayerName(i) + "' has no filters");
    layers[i].filters = filters[next++];
  }
  return Status();
}

Result<YoloLayers> PrunedByLevel(const YoloLayers& network, double level) {
  YoloLayers pruned = network;
  for (size_t i = 0; i < pruned.layers.size(); ++i) {
    YoloLayer& layer = pruned.layers[i];
    if (layer.kind != Kind::kConv) continue;
    MUNJA_RETURN_IF_ERROR(
        compress::CheckLevel(level, YoloLayerName(i), layer.filters));
    layer.filters = compress::KeptFilters(layer.filters, level);
  }
  return pruned;
}

int64_t CountParameters(const YoloLayers& network) {
  const std::vector<int> channels = network.Channels();
  const auto channels_of = [&](int layer) -> int64_t {
    constexpr int kColors = 3;
    return layer == kYoloPicture ? kColors
                                 : channels[static_cast<size_t>(layer)];
  };
  int64_t count = 0;
  for (const YoloLayer& layer : network.layers) {
    if (layer.kind != Kind::kConv) continue;
    const int64_t inputs = channels_of(layer.inputs[0]);
    count += layer.filters * (inputs * layer.kernel * layer.kernel + 1);
  }
  for (const int head : network.heads) {
    const int64_t inputs = channels_of(head), outputs = network.outputs();
    const int64_t implicit = inputs + outputs;
    count += outputs * (inputs + 1) + implicit;
  }
  return count;
}

}  // namespace munja::train
