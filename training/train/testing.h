// Lines for tests that need no fonts: every character is a pattern of bars.
#ifndef MUNJA_TRAIN_TESTING_H_
#define MUNJA_TRAIN_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "train/line_feeder.h"

namespace munja::train {

// "0" to "9".
std::vector<std::string> BarAlphabet();

// Three to five digits a line, each a pattern of 10 x 24 pixels; dark on light
// with grain.
LineFeeder::Maker BarLines(uint64_t seed);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TESTING_H_
