// Many pictures, each with files of its own: several at once, and a run that
// was ended goes on where it was.
#ifndef MUNJA_CLI_BATCH_H_
#define MUNJA_CLI_BATCH_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct BatchArguments {
  std::string folder;                    // Where files are written.
  std::string name = "{folder}/{stem}";  // The files' names, without extension.
  std::vector<std::string> formats;
  int jobs = 0;  // Pictures at a time; 0: one for each processor.
  bool resumes = false;
  bool is_line = false;
  bool all_frames = false;  // All frames of animations are read.
  std::optional<float> min_confidence;
};

// The engine is one of one thread. The exit code.
int ReadBatch(munja_engine* engine, const BatchArguments& arguments,
              const Inputs& inputs);

}  // namespace munja::cli

#endif  // MUNJA_CLI_BATCH_H_
