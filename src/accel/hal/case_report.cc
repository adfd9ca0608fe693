#include "hal/case_report.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "base/control.h"
#include "base/folder.h"
#include "hal/cases.h"

namespace munja::hal {
namespace {

// Folders in folders end somewhere, also where links make a circle.
constexpr int kMaxDepth = 64;

struct CaseFile {
  std::string path;
  bool is_named = false;  // By the caller; others were found in a folder.
};

bool IsFolder(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

bool HasCaseName(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

Status Search(const std::string& folder, int depth,
              std::vector<CaseFile>* files) {
  if (depth > kMaxDepth)
    return InvalidArgument(folder + ": too many folders in each other");
  MUNJA_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  for (const std::string& name : names) {
    const std::string path =
        folder.ends_with('/') ? folder + name : folder + "/" + name;
    if (IsFolder(path))
      MUNJA_RETURN_IF_ERROR(Search(path, depth + 1, files));
    else if (HasCaseName(name))
      files->push_back({path, false});
  }
  return Status();
}

void Count(CaseStatus status, CaseCounts* counts) {
  if (status == CaseStatus::kPassed) ++counts->passed;
  if (status == CaseStatus::kFailed) ++counts->failed;
  if (status == CaseStatus::kUnsupported) ++counts->unsupported;
}

Status RunCases(const Device& device, const std::string& file,
                const std::vector<Case>& cases, std::span<const Mode> modes,
                const std::function<std::string()>& said, CaseReport* report) {
  ++report->files;
  for (const Case& example : cases) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    if (said) said();
    Outcome outcome = RunCase(device, example, modes);
    const std::string operation = OperationOf(example);
    Count(outcome.status, &report->all);
    Count(outcome.status, &report->operations[operation]);
    for (const Mode mode : outcome.run) ++report->modes[mode].run;
    for (const Mode mode : outcome.lacking) ++report->modes[mode].lacking;
    if (outcome.status != CaseStatus::kFailed) continue;
    if (const std::string why = said ? said() : ""; !why.empty())
      outcome.reason += " (the driver says: " + why + ")";
    report->failures.push_back(
        {file, example.name, operation, std::move(outcome.reason)});
  }
  return Status();
}

}  // namespace

Result<CaseReport> RunCaseFiles(const Device& device,
                                const std::vector<std::string>& paths,
                                std::span<const Mode> modes,
                                const std::function<std::string()>& said) {
  std::vector<CaseFile> files;
  for (const std::string& path : paths) {
    if (IsFolder(path))
      MUNJA_RETURN_IF_ERROR(Search(path, 0, &files));
    else
      files.push_back({path, true});
  }
  CaseReport report;
  for (const Mode mode : modes) report.modes[mode];
  for (size_t i = 0; i < files.size(); ++i) {
    ReportProgress("files of cases", i, files.size());
    auto cases = ReadCases(files[i].path);
    if (cases.ok()) {
      MUNJA_RETURN_IF_ERROR(
          RunCases(device, files[i].path, *cases, modes, said, &report));
      continue;
    }
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const Code code = cases.status().code();
    // The only one: what is wrong with it is the answer.
    if (files.size() == 1 && files[0].is_named)
      return std::move(cases).TakeStatus();
    if (files[i].is_named || code != Code::kUnsupported)
      report.problems.emplace_back(cases.status().message());
  }
  const CaseCounts& all = report.all;
  if (all.passed + all.failed + all.unsupported == 0) {
    if (!report.problems.empty()) return Malformed(report.problems[0]);
    return Malformed((paths.empty() ? "" : paths[0]) +
                     ": there are no cases of operations here");
  }
  return report;
}

}  // namespace munja::hal
