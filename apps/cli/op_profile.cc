#include "cli/op_profile.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/output.h"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

// Nodes of the same operator and shapes, or one of them. Milliseconds,
// multiply-accumulates and bytes are those of one run, of all of them.
struct OperatorTime {
  std::string op, name, shapes;
  int64_t count = 0, macs = 0, bytes = 0;
  double ms = 0;
  double least_ms = 0;
  munja_element_type type = MUNJA_TYPE_FLOAT32;  // The type of its operands.
};

const char* TypeName(munja_element_type type) {
  return type == MUNJA_TYPE_INT8    ? "int8"
         : type == MUNJA_TYPE_INT16 ? "int16"
                                    : "float32";
}

std::vector<OperatorTime> Rows(munja::Session& session,
                               const Roofline* roofline) {
  std::vector<OperatorTime> rows;
  for (const munja::NodeProfile& p : session.Profile()) {
    if (p.runs == 0) continue;
    rows.push_back({p.op, p.name, p.shapes, 1, p.multiply_accumulates, p.bytes,
                    p.milliseconds / p.runs, 0, p.type});
    // The processor's peak does not apply to operators that an accelerator ran
    // ("opencl:CONV_2D").
    if (roofline != nullptr && rows.back().op.find(':') == std::string::npos)
      rows.back().least_ms =
          roofline->LeastMilliseconds(p.multiply_accumulates, p.type, p.bytes);
  }
  return rows;
}

double PerSecond(double amount, double ms) {
  return ms > 0 ? 1e-6 * amount / ms : 0.0;
}

void AddFigures(const OperatorTime& row, double total_ms, bool has_roofline,
                Json* json) {
  (*json)["ms"] = row.ms;
  (*json)["share"] = total_ms > 0 ? row.ms / total_ms : 0.0;
  (*json)["macs"] = row.macs;
  (*json)["gflops"] = PerSecond(2.0 * static_cast<double>(row.macs), row.ms);
  if (row.macs > 0) (*json)["computes_in"] = TypeName(row.type);
  (*json)["bytes"] = row.bytes;
  (*json)["gb_per_s"] = PerSecond(static_cast<double>(row.bytes), row.ms);
  if (has_roofline && row.op.find(':') == std::string::npos)
    (*json)["share_of_peak"] = row.ms > 0 ? row.least_ms / row.ms : 0.0;
}

double TotalMilliseconds(const std::vector<OperatorTime>& rows) {
  double total = 0;
  for (const OperatorTime& row : rows) total += row.ms;
  return total;
}

void PrintFigures(const Json& row) {
  Printf("%9.3f %5.1f%%", row["ms"].get<double>(),
         100 * row["share"].get<double>());
  if (row.contains("count")) Printf(" %5d", row["count"].get<int>());
  Printf(" %8.1f %8.1f", row["macs"].get<double>() / 1e6,
         row["gflops"].get<double>());
  if (row.contains("share_of_peak"))
    Printf(" %7s %8.2f %6.1f %5.0f%%", row.value("computes_in", "-").c_str(),
           row["bytes"].get<double>() / 1e6, row["gb_per_s"].get<double>(),
           100 * row["share_of_peak"].get<double>());
}

}  // namespace

int Roofline::Measure(int threads) {
  threads_ =
      threads > 0
          ? threads
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const munja::Result<munja_machine_speed> speed =
      munja::MeasureMachine(threads);
  if (!speed.ok()) return Fail(speed.error(), Subject::kModel, "");
  speed_ = *speed;
  return kSuccess;
}

double Roofline::CopyGbPerS(int64_t bytes) const {
  const double share = static_cast<double>(bytes) / threads_;
  size_t i = 0;
  // The nearer of two sizes is taken, by their ratio to ours.
  while (i + 1 < std::size(speed_.copy_bytes) &&
         share * share > static_cast<double>(speed_.copy_bytes[i]) *
                             static_cast<double>(speed_.copy_bytes[i + 1]))
    ++i;
  return speed_.copy_gb_per_s[i];
}

double Roofline::PeakGops(munja_element_type type) const {
  return type == MUNJA_TYPE_INT8    ? speed_.int8_gops
         : type == MUNJA_TYPE_INT16 ? speed_.int16_gops
                                    : speed_.fp32_gflops;
}

double Roofline::LeastMilliseconds(int64_t multiply_accumulates,
                                   munja_element_type type,
                                   int64_t bytes) const {
  return std::max(
      2e-6 * static_cast<double>(multiply_accumulates) / PeakGops(type),
      1e-6 * static_cast<double>(bytes) / CopyGbPerS(bytes));
}

Json Roofline::AsJson() const {
  Json json = {{"fp32_gflops", speed_.fp32_gflops},
               {"int8_gops", speed_.int8_gops},
               {"int16_gops", speed_.int16_gops},
               {"copy", Json::array()}};
  for (size_t i = 0; i < std::size(speed_.copy_bytes); ++i)
    json["copy"].push_back({{"bytes", speed_.copy_bytes[i]},
                            {"gb_per_s", speed_.copy_gb_per_s[i]}});
  return json;
}

Json OperatorTable(munja::Session& session, const Roofline* roofline) {
  std::map<std::string, OperatorTime> by_shapes;
  const std::vector<OperatorTime> nodes = Rows(session, roofline);
  for (const OperatorTime& node : nodes) {
    OperatorTime& row =
        by_shapes[node.op + " " + node.shapes + " " + TypeName(node.type)];
    row.op = node.op;
    row.shapes = node.shapes;
    row.type = node.type;
    ++row.count;
    row.macs += node.macs;
    row.bytes += node.bytes;
    row.ms += node.ms;
    row.least_ms += node.least_ms;
  }
  std::vector<OperatorTime> rows;
  for (auto& [key, row] : by_shapes) rows.push_back(std::move(row));
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const OperatorTime& x, const OperatorTime& y) { return x.ms > y.ms; });
  const double total = TotalMilliseconds(rows);
  Json table = Json::array();
  for (const OperatorTime& row : rows) {
    Json json = {{"op", row.op}, {"shapes", row.shapes}, {"count", row.count}};
    AddFigures(row, total, roofline != nullptr, &json);
    table.push_back(std::move(json));
  }
  return table;
}

Json NodeTable(munja::Session& session, const Roofline& roofline) {
  const std::vector<OperatorTime> rows = Rows(session, &roofline);
  const double total = TotalMilliseconds(rows);
  Json table = Json::array();
  for (const OperatorTime& row : rows) {
    Json json = {{"op", row.op}, {"name", row.name}, {"shapes", row.shapes}};
    AddFigures(row, total, true, &json);
    table.push_back(std::move(json));
  }
  return table;
}

void PrintOperators(const Json& report) {
  const bool has_roofline = report.contains("machine");
  if (has_roofline) {
    const Json& machine = report["machine"];
    Printf(
        "machine        %.1f GFLOP/s of FP32 multiply-adds, %.1f of int8, "
        "%.1f of int16; copies",
        machine["fp32_gflops"].get<double>(),
        machine["int8_gops"].get<double>(),
        machine["int16_gops"].get<double>());
    for (const Json& copy : machine["copy"])
      Printf(" %.1f", copy["gb_per_s"].get<double>());
    Printf(" GB/s at");
    for (const Json& copy : machine["copy"])
      Printf(" %lld",
             static_cast<long long>(copy["bytes"].get<int64_t>() / 1024));
    Printf(" KiB\n");
  }
  const char* roof_columns =
      has_roofline ? "      in       MB   GB/s  peak" : "";
  Printf("\n%9s %6s %5s %8s %8s%s  %s\n", "ms", "share", "count", "MMAC",
         "GFLOP/s", roof_columns, "operator");
  for (const Json& row : report["operators"]) {
    PrintFigures(row);
    Printf("  %s  %s\n", row["op"].get<std::string>().c_str(),
           row["shapes"].get<std::string>().c_str());
  }
  if (!report.contains("nodes")) return;
  Printf("\n%9s %6s %8s %8s%s  %s\n", "ms", "share", "MMAC", "GFLOP/s",
         roof_columns, "node, in the order of the run");
  for (const Json& row : report["nodes"]) {
    PrintFigures(row);
    Printf("  %s  %s  %s\n", row["op"].get<std::string>().c_str(),
           row["name"].get<std::string>().c_str(),
           row["shapes"].get<std::string>().c_str());
  }
}

}  // namespace munja::cli
