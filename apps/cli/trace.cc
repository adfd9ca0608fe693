#include "cli/trace.h"

#include <string>

#include "cli/exit_code.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

std::string trace_path;

}  // namespace

void AddTraceOption(CLI::App& command) {
  command.add_option("--trace", trace_path,
                     "Write a Perfetto/Chrome trace to FILE");
}

void StartTrace() {
  if (!trace_path.empty()) (void)munja::StartTrace(trace_path);
}

int FinishTrace(int code) {
  if (trace_path.empty()) return code;
  const munja::Status status = munja::FinishTrace();
  return status.ok() ? code : Fail(status, Subject::kOutput, "");
}

}  // namespace munja::cli
