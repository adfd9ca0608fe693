// BoxFitter: boxes that end where the ink of their line ends. The probability
// map is coarse and its boxes are grown by a rule of thumb: around small print
// they are too large by a third of a line on each side, and they cut the
// accents of large print.
#ifndef MUNJA_READING_FIND_BOX_FIT_H_
#define MUNJA_READING_FIND_BOX_FIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/quad.h"
#include "geometry/rect.h"
#include "image/image.h"

namespace munja::ocr {

// One caller at a time; keeps its memory.
class BoxFitter {
 public:
  // The outline of the ink of the line around which `quad`, any rectangle, was
  // found, with a little ground around it; nothing where the ink cannot be told
  // from the ground. Single sides at which it cannot stay where they are.
  // Corners start where the quad's do; inside the page.
  std::optional<geometry::Quad> FitToInk(const image::ImageView& page,
                                         const geometry::Quad& quad);

 private:
  // Samples of the page in a frame along the box, `step` page pixels apart.
  struct Frame {
    geometry::Point corner, along, down;  // Unit vectors.
    float step = 1;
    int width = 0, height = 0;
    // The box in it.
    float left = 0, top = 0, right = 0, bottom = 0;
  };
  // Connected ink, in samples.
  struct Mark : geometry::Rect<int> {
    int pixels;
    int parent;  // Itself, or the mark that it is part of.
  };
  struct Run {
    int left, right, mark;
  };

  bool Sample(const image::ImageView& page, const geometry::Quad& quad);
  bool Separate();
  void FindMarks();
  int Root(int mark);
  bool Bounds(Frame* bounds) const;

  Frame frame_;
  std::vector<uint8_t> gray_;
  // Ink is below (or above) this.
  int threshold_ = 0;
  bool is_light_ = false;
  std::vector<Run> above_, here_;
  std::vector<Mark> marks_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_BOX_FIT_H_
