#include "cli/trace.h"

#include <string>

#include "cli/exit_code.h"
#include "munja/delegates.h"
#include "munja/devices.h"
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
  if (!trace_path.empty()) munja_trace(trace_path.c_str());
}

int FinishTrace(int code) {
  if (trace_path.empty()) return code;
  const munja_status status = munja_trace(nullptr);
  return status == MUNJA_OK ? code : Fail(status, Subject::kOutput, "");
}

}  // namespace munja::cli
