// Reports of the nodes that each delegate runs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/session_options.h"
#include "munja/delegates.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::runtime::NodeOwner;

struct munja_partition_report {
  std::vector<NodeOwner> owners;
};

extern "C" {

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

}  // extern "C"
