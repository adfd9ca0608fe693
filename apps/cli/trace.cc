#include "cli/trace.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/exit_code.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

std::string trace_path;

// Whether there is a file that no trace has been written to.
bool HoldsSomethingElse(const std::string& path) {
  constexpr std::string_view kBegin = "{\"traceEvents\"";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kBegin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  return !begin.empty() && begin != kBegin;
}

}  // namespace

void AddTraceOption(CLI::App& command) {
  command.add_option("--trace", trace_path,
                     "Write a Perfetto/Chrome trace to FILE");
}

int StartTrace() {
  if (trace_path.empty()) return kSuccess;
  if (HoldsSomethingElse(trace_path))
    return UsageError(trace_path +
                      ": this is no trace and would be replaced by one; write "
                      "to another file");
  (void)munja::StartTrace(trace_path);
  return kSuccess;
}

int FinishTrace(int code) {
  if (trace_path.empty()) return code;
  const munja::Status status = munja::FinishTrace();
  return status.ok() ? code : Fail(status, Subject::kOutput, "");
}

}  // namespace munja::cli
