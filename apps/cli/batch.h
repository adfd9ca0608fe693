// Many pictures, each with files of its own: several at once, and a run that
// was ended goes on where it was.
#ifndef MUNJA_CLI_BATCH_H_
#define MUNJA_CLI_BATCH_H_

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/pages.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct BatchArguments {
  std::string folder;                    // Where files are written.
  std::string name = "{folder}/{stem}";  // The files' names, without extension.
  std::vector<std::string> formats;
  int jobs = 0;  // Pictures at a time; 0: one for each processor.
  bool resumes = false;
  PageArguments pages = {};
};

// The engine is one of one thread. The exit code.
int ReadBatch(munja::Engine& engine, const BatchArguments& arguments,
              const Inputs& inputs);

}  // namespace munja::cli

#endif  // MUNJA_CLI_BATCH_H_
