// Contract: what a pair of networks expects of its input and how its output is
// read. Comes with the weights (bundle.json); every field may be overridden by
// the caller.
#ifndef MUNJA_OCR_CONTRACT_H_
#define MUNJA_OCR_CONTRACT_H_

#include <array>
#include <string>

#include "base/status.h"

namespace munja::ocr {

// Channel order of a network's input.
enum class ChannelOrder { kRgb, kBgr };

// Which side of the page `limit_side` bounds.
enum class LimitType {
  kMax,  // The longer side is scaled down to the limit; never up.
  kMin,  // The shorter side is scaled up to the limit; never down.
};

// How a page of another shape comes into the network's input.
enum class InputFit {
  kPad,      // Scaled evenly, centered, the rest mid-gray.
  kStretch,  // Each side scaled to its own multiple.
};

// (value / 255 - mean) / deviation, by channel in the network's order.
struct Normalization {
  ChannelOrder order = ChannelOrder::kBgr;
  std::array<float, 3> mean = {0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation = {0.229f, 0.224f, 0.225f};
};

struct DetectorContract {
  LimitType limit_type = LimitType::kMax;
  int limit_side = 960;  // Pixels.
  // Pages full of text that is small at limit_side are looked at once more,
  // with the longer side up to this; 0: never. For LimitType::kMax.
  int dense_limit_side = 0;
  int max_side = 4000;  // Whatever the limit type says, never more than this.
  int side_multiple = 32;  // Both sides are rounded to multiples of this.
  InputFit fit = InputFit::kPad;
  Normalization normalization;

  float threshold = 0.2f;       // Text map: a pixel is text above this.
  float box_threshold = 0.45f;  // Mean of the map inside a box, at least.
  float unclip_ratio = 1.4f;    // Boxes grow by area * ratio / perimeter.
  int max_candidates = 3000;    // Contours looked at, at most.
  float min_side = 3.0f;  // Shorter side of a box before it grows; map pixels.
  bool use_dilation = false;  // 2x2 dilation of the thresholded map.
};

struct RecognizerContract {
  int height = 48;
  int min_width = 16;      // Narrower lines are padded.
  int max_width = 3200;    // Longer lines are read in overlapping windows.
  int width_multiple = 8;  // Input columns for one output step.
  Normalization normalization = {
      ChannelOrder::kBgr, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
  float tall_ratio =
      1.5f;  // A crop with height / width from here on is turned.
  // Lines read with less confidence are read again, cut out a little wider, a
  // little tighter and, without a classifier, upside down; a text that comes
  // twice counts, else the surest. Pages of 8 such lines and more, three
  // quarters of all, are in a writing that the network does not know: they are
  // looked at upside down only. 0: never.
  float second_look = 0.9f;
  bool use_space = true;  // The class after the dictionary is a space.
  // Words that the picture shows apart are parted by spaces, also where the
  // network printed none.
  bool part_words = true;
  // Full-width signs in Latin text become ASCII ones, and characters that the
  // network is not sure of become their look-alikes that fit the word.
  bool settle_signs = true;
};

struct ClassifierContract {
  int width = 160, height = 80;
  bool keep_aspect =
      false;  // false: stretched. true: scaled to the height, cut or padded.
  Normalization normalization = {
      ChannelOrder::kBgr, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  float threshold = 0.9f;  // A line is turned by 180 degrees only from here on.
};

struct Contract {
  std::string name = "ppocrv6";
  DetectorContract detector;
  RecognizerContract recognizer;
  ClassifierContract classifier;
  // Lines read with less are left out: what stands there is hardly text, or
  // not of the dictionary's alphabet.
  float min_confidence = 0.4f;
};

// The contracts known by name: "ppocrv6", "ppocrv5". kNotFound names them all.
Result<Contract> NamedContract(const std::string& name);

// Ranges that the code relies on; kInvalidArgument names field, value and
// range.
Status Validate(const Contract& contract);

}  // namespace munja::ocr

#endif  // MUNJA_OCR_CONTRACT_H_
