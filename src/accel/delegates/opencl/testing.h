// Networks for the tests of the delegate, run on a device and by the plain
// kernels.
#ifndef MUNJA_DELEGATES_OPENCL_TESTING_H_
#define MUNJA_DELEGATES_OPENCL_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "delegates/opencl/opencl_delegate.h"
#include "delegates/opencl/steps/steps.h"
#include "runtime/session.h"
#include "runtime/test_network.h"

namespace munja::delegates::opencl {

// A network of one node or more with shapes that are all known.
class Net : public runtime::testing::Network {
 public:
  explicit Net(Shape input) { sub().inputs = {Value(input)}; }
  graph::ValueId x() { return sub().inputs[0]; }
  graph::ValueId Input(Shape shape) {
    sub().inputs.push_back(Value(shape));
    return sub().inputs.back();
  }
  // The first of the outputs, whose shapes the session finds out.
  graph::ValueId Add(std::string op, std::vector<graph::ValueId> inputs,
                     std::vector<std::pair<std::string, graph::AttributeValue>>
                         attributes = {},
                     int outputs = 1) {
    std::vector<graph::ValueId> made;
    for (int i = 0; i < outputs; ++i) {
      made.push_back(Value(Shape()));
      sub().values.back().has_shape = false;
    }
    Network::Add(std::move(op), std::move(inputs), made[0],
                 std::move(attributes));
    sub().nodes.back().outputs = made;
    return made[0];
  }
  void Output(graph::ValueId v) { sub().outputs.push_back(v); }
};

inline std::string operator""_s(const char* text, size_t size) {
  return {text, size};
}

// The outputs for fixed inputs.
std::vector<std::vector<float>> Outputs(runtime::Session& session);

// The tolerance is relative to the largest value of an output.
void ExpectNear(const std::vector<std::vector<float>>& got,
                const std::vector<std::vector<float>>& want, float tolerance);

// Convolutions of every kind, with channels that are no multiple of four.
Net Convolutions();

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto device = GetDevice("");
    if (!device.ok())
      GTEST_SKIP() << device.status().message()
                   << ": tools/install-packages test installs one";
    SetLogSink([this](Severity, std::string_view line) {
      log_ += std::string(line) + "\n";
    });
  }
  void TearDown() override { SetLogSink({}); }

  std::unique_ptr<runtime::Session> MakeSession(
      const Net& net, std::vector<runtime::DelegateOption> given = {}) {
    given.push_back({"islands", "1"});
    const auto or_else = [&](const char* key, const char* value) {
      if (std::ranges::find(given, key, &runtime::DelegateOption::key) ==
          given.end())
        given.push_back({key, value});
    };
    or_else("cache", "off");
    or_else("tune_ms", "0");
    auto delegate = Make(given);
    EXPECT_TRUE(delegate.ok()) << delegate.status().message();
    runtime::SessionOptions options;
    options.delegates = {*delegate};
    auto session = runtime::CreateSession(net.graph(), options);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return std::move(*session);
  }
  static std::vector<std::vector<float>> OnCpu(const Net& net) {
    runtime::SessionOptions options;
    options.reference_kernels = true;
    auto session = runtime::CreateSession(net.graph(), options);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return Outputs(**session);
  }
  // All nodes are on the device, and give what the plain kernels give.
  void ExpectSame(const Net& net,
                  std::vector<runtime::DelegateOption> given = {},
                  float tolerance = 1e-5f) {
    given.push_back({"check", "never"});
    given.push_back({"timeout_ms", "600000"});  // A simulator takes its time.
    auto session = MakeSession(net, given);
    const auto got = Outputs(*session);
    EXPECT_EQ(log_, "");
    for (const runtime::NodeOwner& owner : session->Owners())
      EXPECT_EQ(owner.owner, "opencl") << owner.op << ": " << owner.reason;
    ExpectNear(got, OnCpu(net), tolerance);
  }

  std::string log_;
};

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_TESTING_H_
