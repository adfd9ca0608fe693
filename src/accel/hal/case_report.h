// Files of cases, run one after the other on a device, and how many passed.
#ifndef MUNJA_HAL_CASE_REPORT_H_
#define MUNJA_HAL_CASE_REPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/case_runner.h"
#include "hal/device.h"

namespace munja::hal {

struct CaseCounts {
  int64_t passed = 0, failed = 0, unsupported = 0;
};

// Counts of one mode: cases run in it, and cases that the device has no such
// mode for.
struct ModeCounts {
  int64_t run = 0, lacking = 0;
};

struct CaseFailure {
  std::string file, name, operation, reason;
};

struct CaseReport {
  CaseCounts all;
  std::map<std::string, CaseCounts> operations;  // By OperationOf().
  std::map<Mode, ModeCounts> modes;              // Each that was asked for.
  std::vector<CaseFailure> failures;
  std::vector<std::string> problems;  // Files that cannot be read, and why.
  int64_t files = 0;                  // That were read.
};

// paths: files of cases, or folders, which are searched deep for *.json and
// *.json.gz; those in a folder that are of another kind are passed over.
// said: what the driver has said since it was asked last, for reasons of
// failures. kNotFound, kIo: a path; kMalformed: there is no case at all.
Result<CaseReport> RunCaseFiles(const Device& device,
                                const std::vector<std::string>& paths,
                                std::span<const Mode> modes,
                                const std::function<std::string()>& said = {});

}  // namespace munja::hal

#endif  // MUNJA_HAL_CASE_REPORT_H_
