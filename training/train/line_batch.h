// Line pictures as a recognizer's training sees them: one height, grouped by
// width, changed a little each time.
#ifndef MUNJA_TRAIN_LINE_BATCH_H_
#define MUNJA_TRAIN_LINE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundle/fields.h"
#include "image/image.h"
#include "synth/random.h"
#include "train/character_classes.h"

namespace munja::train {

// Input columns of one output step.
inline constexpr int kStepColumns = 4;

// A picture of the network's height and the classes it shows.
struct ScaledLine {
  image::Image picture;
  std::vector<int32_t> label;
  std::string text;
  LabelFreedom freedom;
};

// `pixels` is count x height x width x 3, levels / 127.5 - 1; narrower lines
// are padded to the right by repeating their last column, as the reading
// pipeline does.
struct LineBatch {
  int count = 0, height = 0, width = 0;
  std::vector<float> pixels;
  std::vector<std::vector<int32_t>> labels;
  std::vector<LabelFreedom> freedoms;  // One for each label.
};

// Changes that cost next to nothing, drawn anew each time a line is used.
struct LineChanges {
  float contrast = 0.25f;    // Slope of the levels: 1 +- this.
  float brightness = 0.15f;  // Shift, part of the full range.
  float gamma = 0.2f;        // Exponent: 1 +- this.
  float tint = 0.04f;        // Shift of each channel by itself.
  float invert = 0.03f;      // Probability: negative picture.
  float shift = 0.6f;        // Probability: moved by up to 2 columns, 1 row.
  float noise = 0.3f;        // Probability: grain of up to 6 % of the range.
  float erase = 0.1f;        // Probability: a spot of up to 6 x 6 pixels.

  void Read(bundle::Fields& fields);
  Status Validate(const std::string& path) const;
  static LineChanges None() { return {0, 0, 0, 0, 0, 0, 0, 0}; }
};

// Scales to `height`, keeping the shape. The width is at most `max_width`:
// pictures up to a quarter longer are squeezed, others give kUnsupported.
Result<image::Image> ScaleLine(const image::ImageView& line, int height,
                               int max_width);

// The width that `lines` share in a batch: the widest, and room for the steps
// each label needs; a multiple of 16.
int BatchWidth(std::span<const ScaledLine* const> lines);

// All lines have height `height`.
LineBatch MakeLineBatch(std::span<const ScaledLine* const> lines, int height,
                        const LineChanges& changes, Random random);

// Groups of lines of nearly the same width: each at most `max_columns` columns
// (padding counted) and `max_lines` lines. Empty pictures are left out. The
// groups' order and their borders depend on `random`.
std::vector<std::vector<uint32_t>> GroupByWidth(
    std::span<const ScaledLine> lines, int max_columns, int max_lines,
    Random random);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_LINE_BATCH_H_
