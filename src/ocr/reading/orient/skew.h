// Pages whose lines do not run along the sides of the image.
#ifndef MUNJA_READING_ORIENT_SKEW_H_
#define MUNJA_READING_ORIENT_SKEW_H_

#include <span>

#include "reading/find/boxes.h"
#include "reading/network/config.h"

namespace munja::ocr {

// By how many radians, clockwise, the lines of most of the page are skewed
// against the page's sides, between an eighth turn either way; 0 where it is
// too little to harm, or the lines do not run alike.
float Skew(std::span<const TextBox> boxes, const RecognizerConfig& config);

// The same, but only where a page is far skewed, by all boxes, also short ones
// and those with low scores: what of the lines is found there is mostly pieces.
// A guess; the deskewed page says whether it was right.
float ApproximateSkew(std::span<const TextBox> boxes);

// Whether the skew is so large that boxes are too rough to be read, and show it
// only roughly.
bool IsFarSkewed(float skew);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_SKEW_H_
