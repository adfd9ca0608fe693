#include "runtime/trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "graph/graph.h"
#include "runtime/profiler.h"

namespace munja::runtime {
namespace {

using std::chrono::nanoseconds;
using TimePoint = TraceFile::Clock::time_point;

nlohmann::json EventsOf(TraceFile& trace, const std::string& path) {
  EXPECT_TRUE(trace.Finish().ok());
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok());
  return nlohmann::json::parse(*text)["traceEvents"];
}

TEST(Trace, Nested_StaysNestedInMicroseconds) {
  const std::string path = ::testing::TempDir() + "/nested_trace.json";
  TraceFile trace(path);
  const auto at = [](int64_t ns) { return TimePoint(nanoseconds(ns)); };
  trace.Add("operator", "outer", at(900), at(3000));
  trace.Add("operator", "inner", at(2000), at(3000));
  const auto events = EventsOf(trace, path);
  ASSERT_EQ(events.size(), 2u);
  const auto end = [&](int i) {
    return events[i]["ts"].get<int64_t>() + events[i]["dur"].get<int64_t>();
  };
  EXPECT_EQ(events[0]["ts"], 0);
  EXPECT_EQ(events[1]["ts"], 2);
  EXPECT_EQ(end(0), 3);
  EXPECT_EQ(end(1), 3);
}

// A thread may be held up between the end of a node and its entry here.
TEST(Trace, Operator_BeginsWhenItsNodeBegan) {
  const std::string path = ::testing::TempDir() + "/operator_trace.json";
  graph::Subgraph subgraph;
  subgraph.nodes.resize(1);
  subgraph.nodes[0].op = "TANH";
  Profiler profiler(subgraph);
  const auto trace = std::make_shared<TraceFile>(path);
  profiler.TraceTo(trace);
  const TimePoint begin(std::chrono::milliseconds(5));
  profiler.Add(0, begin, begin + std::chrono::milliseconds(2));
  const auto events = EventsOf(*trace, path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["ts"], 5000);
  EXPECT_EQ(events[0]["dur"], 2000);
  ASSERT_EQ(profiler.Rows().size(), 1u);
  EXPECT_DOUBLE_EQ(profiler.Rows()[0].milliseconds, 2.0);
}

}  // namespace
}  // namespace munja::runtime
