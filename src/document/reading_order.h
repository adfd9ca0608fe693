// The order in which a person reads boxes on a page.
#ifndef MUNJA_DOCUMENT_READING_ORDER_H_
#define MUNJA_DOCUMENT_READING_ORDER_H_

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/quad.h"

namespace munja::document {

// Indices of `quads` in reading order, each once. Depends on the geometry
// only, not on the order in which the boxes are given (but for boxes that
// coincide).
std::vector<size_t> ReadingOrder(std::span<const geometry::Quad> quads);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_READING_ORDER_H_
