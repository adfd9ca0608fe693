// Samples as files, to look at, to measure readers with, to train elsewhere.
#ifndef MUNJA_SYNTH_WRITE_SAMPLES_H_
#define MUNJA_SYNTH_WRITE_SAMPLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

struct SynthJob {
  std::string recipe;
  // Gets images/000000.png ... and labels/synth.jsonl, as `munja eval --labels`
  // reads them; made if it is not there. Empty: nothing but the preview.
  std::string folder;
  uint64_t count = 100;
  uint64_t seed = 1;
  bool pages = false;  // Whole pages instead of lines.
  std::string
      preview;      // PNG of the first samples with their labels; empty: none.
  int threads = 0;  // 0: one for each processor.
};

// kInvalidArgument when neither folder nor preview is given or the count is 0;
// else as LineSource::Open(), kIo. `warnings` tells which fonts and texts of
// the recipe are missing here.
Status WriteSamples(const SynthJob& job, std::vector<std::string>& warnings);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_WRITE_SAMPLES_H_
