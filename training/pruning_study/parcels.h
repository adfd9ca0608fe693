// Pictures of one kind of object for detectors: parcels on a conveyor belt.
#ifndef MUNJA_PRUNING_STUDY_PARCELS_H_
#define MUNJA_PRUNING_STUDY_PARCELS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace munja::train {

// In pixels.
struct ObjectBox {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
  float area() const { return width() * height(); }
};

// The common area of two boxes as a share of all that they cover.
float IntersectionOverUnion(const ObjectBox& a, const ObjectBox& b);

struct ParcelSample {
  image::Image picture;
  std::vector<ObjectBox> boxes;
};

// A square of `side` pixels: a worn belt between rails with shadows, cables,
// wrappings and round lids on it, which are no parcels, and one to five cartons
// and bags with tape and labels, which are; they may lie over one another.
// A parcel of which less than a third is visible has no box. The same seed and
// index give the same picture.
Result<ParcelSample> MakeParcels(int side, uint64_t seed, uint64_t index);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_PARCELS_H_
