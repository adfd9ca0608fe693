// Pieces of one line, found apart, made one again.
#ifndef MUNJA_READING_FIND_JOIN_PIECES_H_
#define MUNJA_READING_FIND_JOIN_PIECES_H_

#include <vector>

#include "reading/find/boxes.h"

namespace munja::ocr {

// Boxes that follow each other on one line, about as high and with at most
// `most_gap` of their height between their outlines, become one box. The order
// of the others stays; a joined box takes the place of its longest part. 0:
// nothing is joined.
void JoinPieces(float most_gap, std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_JOIN_PIECES_H_
