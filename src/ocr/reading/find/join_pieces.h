// Pieces of one line, found apart, made one again.
#ifndef MUNJA_READING_FIND_JOIN_PIECES_H_
#define MUNJA_READING_FIND_JOIN_PIECES_H_

#include <span>
#include <vector>

#include "reading/find/boxes.h"

namespace munja::ocr {

// Boxes that follow each other on one line, about as high and with at most
// `most_gap` of their height between their outlines, become one box. Boxes that
// lie in one of `seen`, the lines that a pass at a lower resolution found
// whole, may be a height apart and lie as they like. The order of the others
// stays; a joined box takes the place of its longest part. 0: nothing is
// joined.
void JoinPieces(float most_gap, std::span<const TextBox> seen,
                std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_JOIN_PIECES_H_
