// Boxes whose score is too low to say that they are lines: what is read in them
// decides. Clean lines of print are among them, and a lower threshold for all
// boxes would take textures for text.
#ifndef MUNJA_READING_FIND_LOW_SCORE_BOXES_H_
#define MUNJA_READING_FIND_LOW_SCORE_BOXES_H_

#include <vector>

#include "reading/find/boxes.h"
#include "reading/network/config.h"

namespace munja::ocr {

// Takes the boxes with scores below the config's box_threshold out of
// `boxes`, the order of all others stays, and returns those of them that are
// at least faint_threshold. They are marked as such.
std::vector<TextBox> TakeLowScore(const DetectorConfig& config,
                                  std::vector<TextBox>* boxes);

// Appends those that do not lie over others.
void AddLowScore(const std::vector<TextBox>& low_score,
                 std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LOW_SCORE_BOXES_H_
