// Where a frame differs from an earlier one, by tiles.
#ifndef MUNJA_TRACK_CHANGE_H_
#define MUNJA_TRACK_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/rect.h"
#include "track/affine.h"
#include "track/gray_frame.h"

namespace munja::track {

struct ChangeMap {
  static constexpr int kTile = 8;  // Pixels of the small frame.
  int columns = 0, rows = 0;
  int factor = 1;              // From pixels of the small frame to the frame's.
  std::vector<uint8_t> tiles;  // Nonzero: changed, or not in the earlier frame.

  bool Any() const;
  // Any changed tile that touches this part of the frame.
  bool AnyIn(const geometry::Rect<float>& box) const;
  // Clears all tiles outside of this part of the frame.
  void KeepOnly(const geometry::Rect<float>& box);
};

// `to_before`: where pixels of the small frame lie in the earlier one. A tile
// changed if its pixels differ by more than noise, what a wrong estimate of the
// motion by half a pixel explains, and a change of exposure.
ChangeMap FindChanges(const GrayFrame& now, const GrayFrame& before,
                      const Affine& to_before);

}  // namespace munja::track

#endif  // MUNJA_TRACK_CHANGE_H_
