// The layers of YOLOv7-tiny as a list. Free of libtorch.
//
// Wang, Bochkovskiy, Liao: YOLOv7: Trainable bag-of-freebies sets new
// state-of-the-art for real-time object detectors, CVPR 2023.
#ifndef MUNJA_PRUNING_STUDY_YOLO_LAYERS_H_
#define MUNJA_PRUNING_STUDY_YOLO_LAYERS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

inline constexpr char kYoloTinyName[] = "yolov7-tiny";

// Strides of 8, 16 and 32.
inline constexpr int kYoloLevels = 3;
inline constexpr int kYoloAnchors = 3;    // Anchors of each level.
inline constexpr int kYoloBoxFields = 5;  // x, y, width, height, objectness.

struct YoloLayer {
  enum class Kind : uint8_t {
    kConv,      // Convolution, batch normalization, LeakyReLU(0.1).
    kPool,      // Maximum over kernel x kernel.
    kUpsample,  // Twice the size, by nearest neighbors.
    kConcat,
  };
  Kind kind = Kind::kConv;
  std::vector<int> inputs;  // Numbers of layers; kYoloPicture.
  int filters = 0;          // Filters of a convolution.
  int kernel = 1, stride = 1;
};
inline constexpr int kYoloPicture = -1;

struct YoloLayers {
  int classes = 1;
  std::vector<YoloLayer> layers;
  // The layers that the detection outputs read, one for each stride. An output
  // is a 1x1 convolution to kYoloAnchors * (kYoloBoxFields + classes) channels
  // with an implicit addition before it and an implicit factor behind it.
  std::array<int, kYoloLevels> heads = {};

  int outputs() const { return kYoloAnchors * (kYoloBoxFields + classes); }
  // Channels of each layer's result.
  std::vector<int> Channels() const;
  // Filters of the convolutions, in order.
  std::vector<int> Filters() const;
  // kInvalidArgument: not as many numbers, or one below 1.
  Status SetFilters(const std::vector<int>& filters);
};

// `width`: channels relative to the published network, at least one each.
YoloLayers YoloTiny(int classes, double width = 1);

// "layer12", as checkpoints and graphs name it.
std::string YoloLayerName(size_t layer);

// Each convolution keeps floor(n (1 - level)) filters; the detection outputs
// keep all. kInvalidArgument names the layer that would keep none.
Result<YoloLayers> PrunedByLevel(const YoloLayers& network, double level);

// Numbers in the deployed network: weights and biases with batch normalization
// folded into them, and the implicit layers.
int64_t CountParameters(const YoloLayers& network);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_LAYERS_H_
