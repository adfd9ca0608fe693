// The places of characters in the image of their line: near the steps that read
// them, between the ends of their ink.
#ifndef MUNJA_READING_READ_CHARACTER_PLACES_H_
#define MUNJA_READING_READ_CHARACTER_PLACES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/quad.h"
#include "image/image.h"
#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::ocr {

// Keeps its memory from line to line; one caller at a time.
class CharacterPlaces {
 public:
  explicit CharacterPlaces(const text::Dictionary& dictionary);

  // Sets left, top, right and bottom of each mark: characters follow each other
  // without overlap, spaces fill what is between words. `line`: an upright RGB
  // or BGR line, as the network read it; step i lies on the columns
  // [i, i + 1) * columns_per_step, and may lie beyond the image.
  void Find(const image::ImageView& line, int columns_per_step,
            std::span<text::CtcMark> marks);

 private:
  bool FindInk(const image::ImageView& line);
  int Boundary(int left_middle, int right_middle) const;
  struct Gap {
    int begin, end;
  };
  Gap WidestGap(int begin, int end) const;
  void FitToInk(const image::ImageView& line, text::CtcMark* mark, int left,
                int right) const;

  std::vector<bool> is_space_;     // By class.
  std::vector<uint8_t> is_ink_;    // By pixel, rows one after the other.
  std::vector<uint16_t> columns_;  // How much ink is in each column.
  std::vector<int> middles_, bounds_;
};

// Moves the marks of a line that was cropped from a box grown by `growth`
// pixels on all sides to where they lie in the box itself. `cut`: the grown
// box.
void PlaceInBox(const geometry::Quad& cut, float growth,
                std::span<text::CtcMark> marks);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_CHARACTER_PLACES_H_
