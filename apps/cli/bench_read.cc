// munja bench-read: many pictures in one process; does memory grow?
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/system_memory.h"
#include "cli/usage.h"

namespace munja::cli {
namespace {

struct BenchReadArguments {
  EngineArguments engine;
  std::vector<std::string> files;
  int pictures = 1000;
};

int BenchRead(const BenchReadArguments& a) {
  const Inputs inputs = ExpandInputs(a.files);
  if (inputs.files.empty()) return kBadInput;
  std::optional<munja::Engine> engine;
  if (const int code = CreateEngine(a.engine, &engine); code != kSuccess)
    return code;
  Printf("%8s %12s %12s %12s\n", "pictures", "resident MB", "peak MB",
         "ms/picture");
  auto start = std::chrono::steady_clock::now();
  int since = 0, read = 0, first_failure = kSuccess;
  for (int i = 0; i < a.pictures; ++i) {
    const std::string& file =
        inputs.files[static_cast<size_t>(i) % inputs.files.size()];
    RestartTime();
    const munja::Result<munja::Image> image = LoadImage(file, a.engine.threads);
    const munja::Status status =
        image.ok() ? engine->Read(*image).error() : image.error();
    // A picture that cannot be read belongs to the mix; it is told once.
    if (status.ok()) ++read;
    if (!status.ok() && static_cast<size_t>(i) < inputs.files.size()) {
      const int code = image.ok() ? FailRead(status, file)
                                  : Fail(status, Subject::kInput, file);
      if (first_failure == kSuccess) first_failure = code;
    }
    if (Interrupted() != 0) return kUnavailable;
    ++since;
    if ((i + 1) % 100 != 0 && i + 1 != a.pictures) continue;
    const auto now = std::chrono::steady_clock::now();
    Printf(
        "%8d %12.1f %12.1f %12.2f\n", i + 1,
        static_cast<double>(ResidentBytes()) / 1e6,
        static_cast<double>(PeakResidentBytes()) / 1e6,
        std::chrono::duration<double, std::milli>(now - start).count() / since);
    if (const int code = FinishOutput(); code != kSuccess) return code;
    start = now;
    since = 0;
  }
  if (first_failure != kSuccess)
    return FinishWith(read > 0 ? static_cast<int>(kSomeFailed) : first_failure);
  return FinishOutput();
}

}  // namespace

void AddBenchRead(CLI::App& app, Action* action) {
  auto a = std::make_shared<BenchReadArguments>();
  CLI::App* command = app.add_subcommand(
      "bench-read", "Read many images in one process and print its memory");
  command->add_option("FILE", a->files, "Images or directories of images")
      ->required();
  AddEngineOptions(*command, &a->engine);
  command
      ->add_option("--count", a->pictures,
                   "Number of images to read, starting over if there are fewer "
                   "(default: 1000)")
      ->check(Between(1, 100000000));
  command->footer(
      "Example:\n"
      "  munja bench-read --model ppocrv6_tiny --count 1000 pictures/");
  command->callback([a, action] { *action = [a] { return BenchRead(*a); }; });
}

}  // namespace munja::cli
