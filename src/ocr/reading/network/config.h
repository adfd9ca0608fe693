// Config: what a pair of networks expects of its input and how its output is
// read. Comes with the weights (bundle.json); every field may be overridden by
// the caller.
#ifndef MUNJA_READING_NETWORK_CONFIG_H_
#define MUNJA_READING_NETWORK_CONFIG_H_

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

struct DetectorConfig {
  LimitType limit_type = LimitType::kMax;
  int limit_side = 960;  // Pixels.
  // Pages full of text that is small at limit_side are looked at once more,
  // where they have text, with the longer side up to this; 0: never. For
  // LimitType::kMax.
  int dense_limit_side = 2048;
  // The height that the middle box of such a page is brought to, in pixels of
  // the detector's input; lower ones than that are small.
  float dense_height = 12;
  int max_side = 4000;  // Whatever the limit type says, never more than this.
  int side_multiple = 32;  // Both sides are rounded to multiples of this.
  InputFit fit = InputFit::kPad;
  Normalization normalization;

  float threshold = 0.2f;       // Text map: a pixel is text above this.
  float box_threshold = 0.45f;  // Mean of the map inside a box, at least.
  // Boxes below that, but not below this, are lines when text is read in them
  // with recognizer.faint_confidence. 1: none.
  float faint_threshold = 0.2f;
  float unclip_ratio = 1.4f;  // Boxes grow by area * ratio / perimeter.
  int max_candidates = 3000;  // Contours looked at, at most.
  float min_side = 3.0f;  // Shorter side of a box before it grows; map pixels.
  bool use_dilation = false;  // 2x2 dilation of the thresholded map.
  // Lines whose regions hang together are parted where the map is weaker.
  bool part_touching = true;
  // Long lines on bent paper are read in straight pieces.
  bool cut_bent = true;
  // Boxes of one to three letters lie as the long lines around them do.
  bool align_short = true;

  // Lines are said to be where their ink is: outlines of boxes that stand out
  // over it are drawn in, those of boxes that cut it grow. Changes no text.
  bool fit_boxes = true;
  // Pieces of one line with at most so much between them, in heights of the
  // line, are read as one, and wider ones where a closer look at a dense page
  // takes apart what was one line before; 0: never.
  float join_gap = 0;
};

// What becomes of lines in a writing that the network does not know.
enum class UnknownScript {
  kMark,      // They say so and, on pages, have no text.
  kLeaveOut,  // They are no lines of a page.
  kKeep,      // They are read like any other; nobody looks whether there are.
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
  // Lines read with less confidence are read again, cut out a little wider, a
  // little tighter and, without a classifier, upside down; a text that comes
  // twice counts, else the surest. Pages of 8 such lines and more, three
  // quarters of all, are in a writing that the network does not know: they are
  // looked at upside down only. 0: never.
  float second_look = 0.9f;
  bool use_space = true;  // The class after the dictionary is a space.
  // Spaces stand where the picture shows words apart, also where the network
  // printed none, and not where it shows no gap.
  bool part_words = true;
  // Full-width signs in Latin text become ASCII ones, and characters that the
  // network is not sure of become their look-alikes that fit the word; quotes
  // are of one kind on a page.
  bool settle_signs = true;
  // How much the language models of the bundle and the user's words have to say
  // where the network is in doubt (text::LanguageWeights). 0: nothing.
  float language_weight = 0.3f;
  float words_weight = 5.0f;
  float faint_confidence = 0.8f;  // Of detector.faint_threshold.
  UnknownScript unknown_writing = UnknownScript::kMark;
  // Lines that are so likely to be in an unknown writing count as such.
  float unknown_likelihood = 0.9f;
  // A line's confidence is said as the share of lines that are right: the
  // logistic function of slope * logit(mean probability) + offset. 1 and 0 say
  // the mean probability itself, which all thresholds here mean.
  float confidence_slope = 1;
  float confidence_offset = 0;
};

struct ClassifierConfig {
  int width = 160, height = 80;
  bool keep_aspect =
      false;  // false: stretched. true: scaled to the height, cut or padded.
  Normalization normalization = {
      ChannelOrder::kBgr, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  float threshold = 0.9f;  // A line is turned by 180 degrees only from here on.
};

struct Config {
  std::string name = "ppocrv6";
  DetectorConfig detector;
  RecognizerConfig recognizer;
  ClassifierConfig classifier;
  // Lines read with less are left out: what stands there is hardly text, or
  // not of the dictionary's alphabet.
  float min_confidence = 0.7f;
  // Pages that are turned by 90, 180 or 270 degrees, as a few of their lines
  // show, or skewed, are read upright. Boxes stay where they are in the page as
  // given.
  bool turn_pages = true;
};

// The configs known by name: "ppocrv6", "ppocrv5". kNotFound names them all.
Result<Config> NamedConfig(const std::string& name);

// Ranges that the code relies on; kInvalidArgument names field, value and
// range.
Status Validate(const Config& config);

}  // namespace munja::ocr

#endif  // MUNJA_READING_NETWORK_CONFIG_H_
