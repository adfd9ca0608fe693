// Delegates by name, the report of who runs what, and the log.
#include "munja/delegates.h"
#include "munja/devices.h"
#include "munja/log.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/delegate_args.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/linked.h"
#include "capi/runtime/session_options.h"
#include "runtime/trace.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::runtime::DelegateOption;
using munja::runtime::NodeOwner;

struct munja_partition_report {
  std::vector<NodeOwner> owners;
};

extern "C" {

const char* munja_delegate_known(int32_t index) {
  const auto delegates = munja::capi::Linked().delegates;
  return index >= 0 && static_cast<size_t>(index) < delegates.size()
             ? delegates[static_cast<size_t>(index)].name
             : nullptr;
}

munja_status munja_delegate_create(const char* name, const char* const* keys,
                                   const char* const* values, int32_t count,
                                   munja_delegate** delegate) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(name, delegate));
    MUNJA_ASSIGN_OR_RETURN(std::vector<DelegateOption> options,
                           munja::capi::ReadPairs(keys, values, count));
    // "nn:cpu" is nn with device=cpu.
    const std::string_view text(name);
    const size_t colon = std::min(text.find(':'), text.size());
    if (colon < text.size())
      options.insert(options.begin(),
                     {"device", std::string(text.substr(colon + 1))});
    std::string known;
    for (const auto& row : munja::capi::Linked().delegates) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
      if (row.name != text.substr(0, colon)) continue;
      MUNJA_ASSIGN_OR_RETURN(auto made, row.make(options));
      *delegate = new munja_delegate{std::move(made)};
      return Status();
    }
    return NotFound(
        "there is no delegate '" + std::string(name) +
        (known.empty() ? "': this library has none" : "', only " + known));
  });
}

munja_status munja_devices(const char* folders, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(json));
    const auto describe = munja::capi::Linked().describe_devices;
    const std::string text = describe == nullptr
                                 ? "{}"
                                 : describe(folders == nullptr ? "" : folders);
    return munja::capi::CopyText(text, json);
  });
}

munja_status munja_trace(const char* path) {
  return Guard([&]() -> Status {
    using munja::runtime::TraceFile;
    if (path != nullptr) {
      munja::runtime::SetProcessTrace(std::make_shared<TraceFile>(path));
      return Status();
    }
    const std::shared_ptr<TraceFile> file = munja::runtime::ProcessTrace();
    munja::runtime::SetProcessTrace(nullptr);
    return file == nullptr ? Status() : file->Finish();
  });
}

void munja_delegate_free(munja_delegate* delegate) { delete delegate; }

munja_status munja_partition_report_create(const munja_network* model,
                                           const munja_session_options* options,
                                           munja_partition_report** report) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, report));
    MUNJA_ASSIGN_OR_RETURN(const munja::capi::SessionChoices choices,
                           munja::capi::ReadSessionOptions(*model, options));
    MUNJA_ASSIGN_OR_RETURN(auto owners, munja::runtime::ReportOwners(
                                            *model->graph, choices.options));
    *report = new munja_partition_report{std::move(owners)};
    return Status();
  });
}

munja_status munja_session_partition_report(const munja_session* session,
                                            munja_partition_report** report) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, report));
    *report = new munja_partition_report{session->session->Owners()};
    return Status();
  });
}

int32_t munja_partition_report_count(const munja_partition_report* report) {
  return report ? static_cast<int32_t>(report->owners.size()) : 0;
}

munja_status munja_partition_report_row(const munja_partition_report* report,
                                        int32_t index, munja_node_owner* row) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(report, row));
    if (index < 0 || static_cast<size_t>(index) >= report->owners.size())
      return InvalidArgument("the report has no row " + std::to_string(index));
    const NodeOwner& o = report->owners[static_cast<size_t>(index)];
    return munja::capi::WriteStruct(
        munja_node_owner{0, o.subgraph, o.node, o.op.c_str(), o.name.c_str(),
                         o.owner.c_str(), o.partition, o.reason.c_str()},
        row);
  });
}

void munja_partition_report_free(munja_partition_report* report) {
  delete report;
}

void munja_set_log(munja_log log, void* user) {
  Guard([&]() -> Status {
    munja::LogSink sink;
    if (log != nullptr) {
      sink = [log, user](munja::Severity severity, std::string_view line) {
        log(user, static_cast<munja_log_severity>(severity),
            std::string(line).c_str());
      };
    }
    munja::SetLogSink(std::move(sink));
    return Status();
  });
}

}  // extern "C"
