#include "train/commands.h"

#include <memory>
#include <string>
#include <vector>

#include "train/detector_trainer.h"
#include "train/recognizer_trainer.h"
#include "train/synth/line_source.h"
#include "train/synth/page_source.h"

namespace munja::train {
namespace {

// Seeds given on the command line are small.
constexpr uint64_t kHeldOutSeed = 0x8E1D'0077'0000'0000u;

void Warn(const TrainOptions& options, const std::vector<std::string>& notes) {
  if (!options.echo) return;
  for (const std::string& note : notes)
    std::fprintf(options.echo, "note: %s\n", note.c_str());
}

}  // namespace

Status RunDetect(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<PageSource> training,
                         PageSource::Open(options.recipe, options.seed));
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<PageSource> held_out,
                         PageSource::Open(options.recipe, kHeldOutSeed));
  Warn(options, training->warnings());
  DetectorData data;
  data.training = [&](uint64_t index) { return training->Make(index); };
  data.held_out = [&](uint64_t index) { return held_out->Make(index); };
  return TrainDetector(options, data);
}

Status RunRecognize(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> training,
                         LineSource::Open(options.recipe, options.seed));
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> held_out,
                         LineSource::Open(options.recipe, kHeldOutSeed));
  Warn(options, training->warnings());
  RecognizerData data;
  data.alphabet = training->alphabet();
  data.training = [&](uint64_t index) { return training->Make(index); };
  data.held_out = [&](uint64_t index) { return held_out->Make(index); };
  return TrainRecognizer(options, data);
}

}  // namespace munja::train
