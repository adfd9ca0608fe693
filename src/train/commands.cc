#include "train/commands.h"

#include <memory>
#include <utility>

#include "train/recognizer_trainer.h"
#include "train/synth/line_source.h"

namespace munja::train {
namespace {

// Seeds given on the command line are small.
constexpr uint64_t kHeldOutSeed = 0x8E1D'0077'0000'0000u;

}  // namespace

Status RunRecognize(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> training,
                         LineSource::Open(options.recipe, options.seed));
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> held_out,
                         LineSource::Open(options.recipe, kHeldOutSeed));
  for (const std::string& warning : training->warnings())
    if (options.echo)
      std::fprintf(options.echo, "note: %s\n", warning.c_str());
  RecognizerData data;
  data.alphabet = training->alphabet();
  data.training = [&](uint64_t index) { return training->Make(index); };
  data.held_out = [&](uint64_t index) { return held_out->Make(index); };
  return TrainRecognizer(options, data);
}

}  // namespace munja::train
