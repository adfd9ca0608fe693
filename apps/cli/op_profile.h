// Where the time of a model goes: tables of its operators, and how near they
// come to what the machine can do.
#ifndef MUNJA_CLI_OP_PROFILE_H_
#define MUNJA_CLI_OP_PROFILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {

// The least time that work takes on this machine: its multiply-accumulates at
// the peak rate of the numbers that are multiplied, or its bytes at the speed
// of a copy as large, whichever is longer.
class Roofline {
 public:
  // Threads as in --threads. On failure a message and an exit code.
  int Measure(int threads);
  double LeastMilliseconds(int64_t multiply_accumulates,
                           munja_element_type type, int64_t bytes) const;
  // {"fp32_gflops": 117.2, "int8_gops": 468.1, "int16_gops": 234.3,
  //  "copy": [{"bytes": 16384, "gb_per_s": 160.1}, ...]}
  nlohmann::ordered_json AsJson() const;

 private:
  double CopyGbPerS(int64_t bytes) const;
  double PeakGops(munja_element_type type) const;
  int threads_ = 1;
  munja_machine_speed speed_ = {};
};

// Nodes with the same operator and shapes are one row, the longest time first.
// Without a roofline (null) rows lack what is compared with it.
nlohmann::ordered_json OperatorTable(munja::Session& session,
                                     const Roofline* roofline);
// Each node that ran, in the order of the run; a delegate's partition is one.
nlohmann::ordered_json NodeTable(munja::Session& session,
                                 const Roofline& roofline);

// "machine", "operators" and "nodes" of a report, as far as it has them.
void PrintOperators(const nlohmann::ordered_json& report);

}  // namespace munja::cli

#endif  // MUNJA_CLI_OP_PROFILE_H_
