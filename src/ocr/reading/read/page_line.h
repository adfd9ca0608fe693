// PageLine: a line of a page on its way through the stages.
#ifndef MUNJA_READING_READ_PAGE_LINE_H_
#define MUNJA_READING_READ_PAGE_LINE_H_

#include <string_view>

#include "reading/find/boxes.h"
#include "reading/network/config.h"
#include "reading/read/cropper.h"
#include "reading/read/reading.h"

namespace munja::ocr {

struct PageLine {
  TextBox box;
  // Upright. Without pixels unless all lines were cropped before one is read.
  LineImage crop = {};
  Reading reading = {};
  bool is_read = false;         // The reading is that of the first pass.
  bool is_upside_down = false;  // By the classifier; the crop is turned then.
};

// The outline of the line's box, from where the text starts that was read in
// it.
geometry::Quad OutlineOf(const PageLine& line);

// How many letters and digits a text has.
int LettersAndDigits(std::string_view text);

// Whether a box with a low score has no room for a line. It is not read, since
// IsText() would say no.
bool IsLowScoreSpeck(const TextBox& box, const RecognizerConfig& config);

// Whether the line, once it is read, is one: if its box has a low score, text
// must be read in it with the confidence of the config's faint_confidence; so
// must large letters, which drawings are taken for.
bool IsText(const PageLine& line, const RecognizerConfig& config);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_PAGE_LINE_H_
