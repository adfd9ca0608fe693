// TextZones: where on a page a high-resolution pass pays.
#ifndef MUNJA_READING_FIND_TEXT_ZONES_H_
#define MUNJA_READING_FIND_TEXT_ZONES_H_

#include <vector>

#include "reading/find/detector.h"
#include "reading/find/probability_map.h"
#include "reading/network/config.h"

namespace munja::ocr {

// The parts of `input` in which the first pass saw text, however weak, or may
// have missed lines near it. `seen`: its map of the page, which lies in `input`
// as `place` says. The zones lie apart, their sides are multiples of the
// config's. None: they would be nearly all of the input, or the first pass saw
// nothing.
std::vector<InputZone> TextZones(const ProbabilityMap& seen,
                                 const DetectorInput& input,
                                 const Placement& place,
                                 const DetectorConfig& config);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_TEXT_ZONES_H_
