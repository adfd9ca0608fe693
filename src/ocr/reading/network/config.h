// Config: how the input of a pair of networks is made and how their output is
// read. It comes with the weights (bundle.json, where it is called a contract);
// callers may override every field, which has the name of its JSON key.
#ifndef MUNJA_READING_NETWORK_CONFIG_H_
#define MUNJA_READING_NETWORK_CONFIG_H_

#include <array>
#include <string>

#include "base/status.h"
#include "reading/network/rules.h"

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

struct DetectorConfig {
  LimitType limit_type = LimitType::kMax;
  int limit_side = 960;  // Pixels.
  // Pages full of text that is small at limit_side get a second,
  // high-resolution pass where they have text, with the longer side up to this;
  // 0: never. For LimitType::kMax.
  int dense_limit_side = 2048;
  // The height to which that pass brings the median box, in pixels of the
  // detector's input. Text is small below it.
  float dense_height = 12;
  int max_side = 4000;  // Whatever the limit type says, never more than this.
  int side_multiple = 32;  // Both sides are rounded to multiples of this.
  InputFit fit = InputFit::kPad;
  Normalization normalization;

  float threshold = 0.2f;       // Probability map: a pixel is text above this.
  float box_threshold = 0.45f;  // Mean of the map inside a box, at least.
  // Boxes below that, but not below this, are lines when text is read in them
  // with recognizer.faint_confidence. 1: none.
  float faint_threshold = 0.2f;
  float unclip_ratio = 1.4f;  // Boxes grow by area * ratio / perimeter.
  int max_candidates = 3000;  // Contours looked at, at most.
  float min_side = 3.0f;  // Shorter side of a box before it grows; map pixels.
  bool use_dilation = false;  // 2x2 dilation of the thresholded map.
  // Long lines on bent paper are cut into straight pieces.
  bool cut_bent = true;
  // Boxes of one to three letters lie as the long lines around them do.
  bool align_short = true;

  // Outlines of lines are fitted to their ink: they shrink where the box is too
  // large and grow where it cuts the ink. Changes no text.
  bool fit_boxes = true;
  // Pieces of one line are joined if the gap between them is at most this, in
  // heights of the line; 0: never.
  float join_gap = 0;
  Rules rules;  // Shared by the whole configuration.
};

// How lines in a script that the network does not know are treated.
enum class UnknownScript {
  kMark,      // They say so and, on pages, have no text.
  kLeaveOut,  // They are no lines of a page.
  kKeep,      // They are read like any other, and not detected.
};

struct RecognizerConfig {
  int height = 48;
  int min_width = 16;      // Narrower lines are padded.
  int max_width = 3200;    // Longer lines are read in overlapping windows.
  int width_multiple = 8;  // Input columns for one output step.
  Normalization normalization = {
      ChannelOrder::kBgr, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
  float tall_ratio =
      1.5f;  // A crop with height / width from here on is turned.
  // Lines read with less confidence are re-read, cropped a little wider, a
  // little tighter and, without a classifier, upside down; a text that comes
  // twice wins, else the one with the highest confidence. Pages with 8 such
  // lines and more, three quarters of all, are taken to be in a script that the
  // network does not know and re-read upside down only. 0: never.
  float second_look = 0.9f;
  bool use_space = true;  // The class after the dictionary is a space.
  // The network reads Hangul letter by letter (text::HangulLetters).
  bool hangul_letters = false;
  // Spaces are corrected by the gaps in the image: added where the network
  // printed none, removed where there is no gap.
  bool part_words = true;
  // Full-width signs in Latin text become ASCII ones, low-confidence characters
  // become their look-alikes that fit the word, and quotes are of one kind on a
  // page.
  bool settle_signs = true;
  // Weights of the bundle's language models and of the user's words where the
  // network has low confidence (LanguageWeights). 0: none.
  float language_weight = 0.3f;
  float words_weight = 5.0f;
  float faint_confidence = 0.8f;  // For boxes between the two thresholds.
  UnknownScript unknown_writing = UnknownScript::kMark;
  // Lines count as being in an unknown script from this likelihood on.
  float unknown_likelihood = 0.9f;
  // The confidence that is reported is calibrated to the share of such lines
  // that are right: the logistic function of slope * logit(mean probability) +
  // offset. With 1 and 0 it is the mean probability itself, which all
  // thresholds here refer to.
  float confidence_slope = 1;
  float confidence_offset = 0;
  Rules rules;  // Shared by the whole configuration.
};

struct ClassifierConfig {
  int width = 160, height = 80;
  bool keep_aspect =
      false;  // false: stretched. true: scaled to the height, cut or padded.
  Normalization normalization = {
      ChannelOrder::kBgr, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  float threshold =
      0.9f;  // A line is rotated by 180 degrees only from here on.
};

struct Config {
  std::string name = "ppocrv6";
  DetectorConfig detector;
  RecognizerConfig recognizer;
  ClassifierConfig classifier;
  // Lines read with less confidence are left out: they are hardly text, or not
  // of the dictionary's alphabet.
  float min_confidence = 0.7f;
  // Pages that are rotated by 90, 180 or 270 degrees, as a sample of their
  // lines shows, or skewed, are read upright. Boxes refer to the page as given.
  bool turn_pages = true;
};

// The configurations known by name: "ppocrv6", "ppocrv5". kNotFound names them
// all.
Result<Config> NamedConfig(const std::string& name);

// Ranges that the code relies on; kInvalidArgument names field, value and
// range.
Status Validate(const Config& config);

}  // namespace munja::ocr

#endif  // MUNJA_READING_NETWORK_CONFIG_H_
