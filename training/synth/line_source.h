// LineSource: pictures of single lines of text with what they say, made by a
// recipe.
#ifndef MUNJA_SYNTH_LINE_SOURCE_H_
#define MUNJA_SYNTH_LINE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "synth/sample.h"

namespace munja::train {

class LineSource {
 public:
  // Reads the recipe's sections "alphabet", "fonts", "text" and "line":
  //   "sceneries": {"document", "receipt", "scene", "screen": weight}; those
  //       left out do not come
  //   "size": [from, to], em in pixels before scaling to the line's height
  //   "margin": [from, to], around the ink, as a part of its height; below 0
  //       cuts into it
  //   "effects": 0 (clean) to 2, 1 is what phones do
  //   "typeset": share of the lines in documents and scenes whose quotes and
  //       dashes are those of typesetting (typography.h)
  // kNotFound, kIo, kMalformed name the file and the key.
  static Result<std::unique_ptr<LineSource>> Open(
      const std::string& recipe_path, uint64_t seed);
  ~LineSource();

  // Sample `index` of the endless row that the seed stands for: the same bytes
  // every time. Thread-safe.
  Result<LineSample> Make(uint64_t index) const;

  // The text in plain type, black on white, `size` pixels; "?" for what cannot
  // be set. For previews.
  Result<image::Image> Caption(const std::string& text, int size) const;

  // One UTF-8 character an entry, in the order of the network's classes; the
  // space is not among them.
  const std::vector<std::string>& alphabet() const;
  // See Alphabet::LabelOf().
  std::string LabelOf(const std::string& text) const;
  // Fonts and texts that the recipe names and this machine lacks, and
  // characters that no font has: to be shown once.
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  explicit LineSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The line at the recognizer's height, interpolated as the cropper does it when
// text is read; its width follows and is at most `most_columns` (longer lines
// are squeezed).
Result<image::Image> ScaleToHeight(const image::ImageView& line, int height,
                                   int most_columns);

// A scaled line as a network wants it: three planes of height x `columns`
// floats, R, G, B, each value / 255 minus 0.5 divided by 0.5; the plane of a
// channel starts `plane_stride` floats after the one before. Columns right of
// the picture repeat its last one, as when text is read. `columns` >=
// line.width.
void WritePlanes(const image::ImageView& line, int columns, size_t plane_stride,
                 float* out);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LINE_SOURCE_H_
