// The sizes of the two networks, as a recipe gives them. Free of libtorch.
#ifndef MUNJA_TRAIN_NETS_NETWORK_CONFIG_H_
#define MUNJA_TRAIN_NETS_NETWORK_CONFIG_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

// kLeakyRelu: a tenth of what is below 0.
enum class Activation { kNone, kRelu, kHardSwish, kLeakyRelu };

// A column of four stages of 3x3 convolutions, the mean over the height, then
// context blocks along the line and the classifying head.
struct RecognizerConfig {
  int height = 32;  // Pixels of line pictures and of the exported input.
  // The stem (stride 2), then stages of stride 2, (2, 1) and (2, 1).
  std::vector<int> channels = {24, 40, 80, 144};
  // Further convolutions of stride 1 in the three stages after the stem.
  std::vector<int> blocks = {1, 1, 0};
  int context_blocks = 2;
  int context_kernel = 9;  // Output steps that a context block sees; odd.
  int context_expand = 2;  // Inner channels of a context block, relative.
  // Channels of a linear layer before the classes; 0: none. With thousands of
  // classes the head is most of the work, and their scores live in few
  // dimensions.
  int bottleneck = 0;
  // Hangul is read letter by letter (text::HangulLetters): all 11,172 syllables
  // for 69 classes. The alphabet then lists all of them.
  bool hangul_letters = false;
  float dropout = 0.1f;  // Before the head; training only.
  Activation activation = Activation::kRelu;

  // Reads "recognizer.network" of a recipe; members that are absent keep their
  // defaults, null keeps all. kMalformed names a member that is not known or
  // out of range.
  static Result<RecognizerConfig> FromRecipe(const nlohmann::json& network);
  nlohmann::json ToJson() const;
};

// A backbone of five strides, a top-down sum at a quarter of the picture's
// size, and heads whose channels are the 4 x 4 pixels of each position.
struct DetectorConfig {
  // Stages of stride 2 each: 1/2 (the stem), 1/4, 1/8, 1/16, 1/32.
  std::vector<int> channels = {16, 32, 64, 96, 112};
  // Further convolutions of stride 1 in the four stages after the stem.
  std::vector<int> blocks = {1, 1, 1, 1};
  int context_kernel = 7;  // Depthwise, at 1/32; odd; 0: none.
  int pyramid_channels = 32;
  int head_channels = 32;
  Activation activation = Activation::kRelu;

  // Reads "detector.network".
  static Result<DetectorConfig> FromRecipe(const nlohmann::json& network);
  nlohmann::json ToJson() const;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_NETWORK_CONFIG_H_
