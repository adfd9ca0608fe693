// Pieces of pages as a detector's training sees them: turned, scaled, cut and
// changed, with their maps.
#ifndef MUNJA_TRAIN_PAGE_BATCH_H_
#define MUNJA_TRAIN_PAGE_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundle/fields.h"
#include "synth/random.h"
#include "synth/sample.h"

namespace munja::train {

struct PageCropSettings {
  int side = 416;         // Pixels of the square that is cut; multiple of 32.
  float smallest = 0.5f;  // Scale of the page, evenly spread ratios.
  float largest = 1.6f;
  float turn = 8;           // Degrees to either side.
  float quarter = 0.05f;    // Probability: turned by a quarter to either side.
  float contrast = 0.3f;    // Slope of the levels: 1 +- this.
  float brightness = 0.2f;  // Shift, part of the full range.
  float gamma = 0.25f;      // Exponent: 1 +- this.
  float tint = 0.06f;       // Shift of each channel by itself.
  float invert = 0.03f;     // Probability: negative picture.
  float gray = 0.1f;        // Probability: without color.
  float least_text = 6;     // Thinner lines are masked out; pixels.

  void Read(bundle::Fields& fields);
  Status Validate(const std::string& path) const;
};

// Pixels are count x side x side x 3, levels / 127.5 - 1; maps count x side x
// side (train/text_maps.h).
struct PageBatch {
  int count = 0, side = 0;
  std::vector<float> pixels;
  std::vector<float> text, text_mask, threshold, threshold_mask;
};

// `count` crops of each page.
PageBatch MakePageBatch(const std::vector<PageSample>& pages, int count,
                        const PageCropSettings& settings, Random random);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PAGE_BATCH_H_
