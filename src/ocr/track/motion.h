// Motion of the camera between two frames, estimated from their pixels.
#ifndef MUNJA_TRACK_MOTION_H_
#define MUNJA_TRACK_MOTION_H_

#include <optional>
#include <span>

#include "track/affine.h"
#include "track/gray_frame.h"

namespace munja::track {

// Where points of `from` lie in `to`, in pixels of the small frames' first
// level. Blocks are matched from the smallest level to the largest; the map
// fits most of them (RANSAC, then least squares). `guess` is where the search
// starts; it reaches 48 pixels. Nothing if no map explains half of the blocks,
// or too few of them have structure. Deterministic. Both frames have the same
// size.
std::optional<Affine> EstimateMotion(const GrayFrame& from, const GrayFrame& to,
                                     const Affine& guess = {});

}  // namespace munja::track

#endif  // MUNJA_TRACK_MOTION_H_
