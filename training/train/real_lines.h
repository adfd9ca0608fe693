// RealLines: labeled pictures of lines, taken among the drawn ones.
#ifndef MUNJA_TRAIN_REAL_LINES_H_
#define MUNJA_TRAIN_REAL_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "synth/sample.h"
#include "train/line_feeder.h"

namespace munja::train {

class RealLines {
 public:
  // Crops of files of JSON Lines, document::ReadLabels() has their form. These
  // members of a line say how far its label can be trusted:
  //   "dev": true      kept for measuring: left out
  //   "ci": true       the label's case is not the picture's
  //   "spaces": false  the label lacks the picture's spaces
  // Left out are labels that are null, "###" or not of the alphabet, too.
  // Pictures are held as they are stored. kNotFound, kMalformed name the file;
  // kMalformed when nothing is left.
  static Result<RealLines> Open(const std::vector<std::string>& label_files,
                                const std::vector<std::string>& alphabet,
                                uint64_t seed);

  // One of them, seen from elsewhere, in other light and sharpness: the same
  // for the same index. Thread-safe.
  Result<LineSample> Make(uint64_t index) const;

  size_t size() const { return crops_.size(); }
  size_t left_out() const { return left_out_; }

 private:
  struct Crop {
    std::vector<uint8_t> file;
    LineSample label;  // Without the picture.
  };

  Status Read(const std::string& label_file,
              const std::vector<std::string>& alphabet);

  uint64_t seed_ = 0;
  std::vector<Crop> crops_;
  size_t left_out_ = 0;
};

// A share of what comes is made by `real`, the rest by `drawn`.
LineFeeder::Maker MixLines(LineFeeder::Maker drawn, LineFeeder::Maker real,
                           float share, uint64_t seed);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_REAL_LINES_H_
