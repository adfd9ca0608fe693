#include "cli/tools/calibration_images.h"

#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {

int FindPictures(const std::vector<std::string>& arguments,
                 std::vector<std::string>* files, bool* are_lines) {
  std::vector<std::string> plain;
  for (const std::string& argument : arguments) {
    if (!argument.ends_with(".jsonl")) {
      plain.push_back(argument);
      continue;
    }
    const auto labels = munja::Evaluation::Create(argument);
    if (!labels.ok()) return Fail(labels.error(), Subject::kInput, argument);
    for (int i = 0; i < labels->count(); ++i) {
      files->push_back(labels->image(i));
      *are_lines |= labels->is_crop(i);
    }
  }
  const Inputs inputs = ExpandInputs(plain);
  if (inputs.errors > 0) return kBadInput;
  files->insert(files->end(), inputs.files.begin(), inputs.files.end());
  return kSuccess;
}

}  // namespace munja::cli
