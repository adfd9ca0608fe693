#include "train/commands.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "synth/line_source.h"
#include "synth/page_source.h"
#include "train/detector_trainer.h"
#include "train/real_lines.h"
#include "train/recognizer_trainer.h"

namespace munja::train {
namespace {

// Seeds given on the command line are small.
constexpr uint64_t kHeldOutSeed = 0x8E1D'0077'0000'0000u;

// The maker owns its source.
template <class Maker, class Source>
Result<Maker> MakerOf(Result<std::unique_ptr<Source>> source) {
  if (!source.ok()) return std::move(source).TakeStatus();
  const std::shared_ptr<const Source> owned = std::move(source).value();
  return Maker([owned](uint64_t index) { return owned->Make(index); });
}

void Warn(const TrainOptions& options, const std::vector<std::string>& notes) {
  if (!options.echo) return;
  for (const std::string& note : notes)
    std::fprintf(options.echo, "note: %s\n", note.c_str());
}

}  // namespace

Status RunDetect(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<PageSource> training,
                         PageSource::Open(options.recipe, options.seed));
  Warn(options, training->warnings());
  DetectorData data;
  data.training = [&](uint64_t index) { return training->Make(index); };
  data.open_held_out = [&] {
    return MakerOf<PageFeeder::Maker>(
        PageSource::Open(options.recipe, kHeldOutSeed));
  };
  return TrainDetector(options, data);
}

Status RunRecognize(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> training,
                         LineSource::Open(options.recipe, options.seed));
  Warn(options, training->warnings());
  RecognizerData data;
  data.alphabet = training->alphabet();
  data.training = [&](uint64_t index) { return training->Make(index); };
  if (!options.real_lines.empty()) {
    auto real =
        RealLines::Open(options.real_lines, data.alphabet, options.seed);
    if (!real.ok()) return std::move(real).TakeStatus();
    const auto lines = std::make_shared<const RealLines>(std::move(*real));
    if (options.echo) {
      std::fprintf(options.echo, "note: %zu real lines, %zu left out\n",
                   lines->size(), lines->left_out());
    }
    data.training = MixLines(
        std::move(data.training),
        [lines](uint64_t index) { return lines->Make(index); },
        options.real_share, options.seed);
  }
  data.open_held_out = [&] {
    return MakerOf<LineFeeder::Maker>(
        LineSource::Open(options.recipe, kHeldOutSeed));
  };
  return TrainRecognizer(options, data);
}

}  // namespace munja::train
