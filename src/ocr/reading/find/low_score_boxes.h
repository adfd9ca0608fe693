// Faint boxes: the text map is too weak in them to say that they are lines, but
// what is read in them may. Clean lines of print are among them, and a lower
// threshold for all boxes would take textures for text.
#ifndef MUNJA_READING_FIND_LOW_SCORE_BOXES_H_
#define MUNJA_READING_FIND_LOW_SCORE_BOXES_H_

#include <vector>

#include "reading/find/boxes.h"
#include "reading/network/config.h"
#include "reading/retry/line_retries.h"

namespace munja::ocr {

// Takes the boxes with scores below the contract's box_threshold out of
// `boxes`, the order of all others stays, and returns those of them that are
// at least faint_threshold. They are marked as faint.
std::vector<TextBox> TakeFaint(const DetectorContract& contract,
                               std::vector<TextBox>* boxes);

// Appends the faint boxes that do not lie over others.
void AddFaint(const std::vector<TextBox>& faint, std::vector<TextBox>* boxes);

// Whether a faint box has no room for a line: it need not be read, for
// KeepWhatReads() would remove it.
bool IsFaintSpeck(const TextBox& box, const RecognizerContract& contract);

// Removes the faint boxes, and their readings, in which no text is read with
// the confidence of the contract's faint_confidence.
void KeepWhatReads(const Contract& contract, std::vector<TextBox>* boxes,
                   std::vector<Reading>* readings);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LOW_SCORE_BOXES_H_
