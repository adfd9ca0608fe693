// Dense pages: full of text that is small at the size the detector saw, also
// where they fill but a part of the image.
#ifndef MUNJA_READING_FIND_DENSE_PAGE_H_
#define MUNJA_READING_FIND_DENSE_PAGE_H_

#include <optional>
#include <span>

#include "reading/find/boxes.h"
#include "reading/network/config.h"

namespace munja::ocr {

// The limit of the longer side for a high-resolution pass, if `boxes`, found in
// a page of page_width x page_height brought to config.limit_side, show that it
// pays: half of them are small, and the page has more pixels. At this limit, at
// most config.dense_limit_side, the middle one is as high as the detector needs
// it (config.dense_height), and no higher: more pixels take more time, in the
// square, and find no more text.
std::optional<int> DenseLimit(std::span<const TextBox> boxes,
                              const DetectorConfig& config, int page_width,
                              int page_height);

// Whether the boxes of that pass replace those of the first one. If these are
// few, which may be no page, clearly more text must be found.
bool HighResolutionCounts(std::span<const TextBox> closer,
                          std::span<const TextBox> first);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_DENSE_PAGE_H_
