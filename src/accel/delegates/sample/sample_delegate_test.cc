#include "delegates/sample/sample_delegate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "runtime/session.h"
#include "runtime/test_network.h"

namespace munja::delegates::sample {
namespace {

using graph::ValueId;
using runtime::DelegateOption;
using runtime::Session;
using runtime::SessionOptions;
using runtime::testing::Network;
using ::testing::HasSubstr;

// Each operator that the sample has, and MAX_POOL_2D, which it has not.
Network AllOperators() {
  using std::string;
  Network n;
  const ValueId x = n.Value({1, kDynamic, kDynamic, 3});
  n.sub().inputs = {x};
  const Shape shape{1, kDynamic, kDynamic, 4};
  ValueId v =
      n.Add("CONV_2D", {x, n.Floats({4, 3, 2, 3}), n.Floats({4})}, shape,
            {{"padding", string("SAME")},
             {"stride_h", int64_t{2}},
             {"stride_w", int64_t{1}},
             {"fused_activation_function", string("RELU6")}});
  v = n.Add("MUL", {v, n.Floats({4})}, shape);
  v = n.Add("MAX_POOL_2D", {v}, shape,
            {{"filter_height", int64_t{2}}, {"filter_width", int64_t{2}}});
  v = n.Add("CONV_2D", {v, n.Floats({4, 1, 2, 4})}, shape,
            {{"dilation_w_factor", int64_t{2}}});
  ValueId w = n.Add("LOGISTIC", {v}, shape);
  w = n.Add("ADD", {w, n.Floats({4, 1, 1, 1})}, {4, kDynamic, kDynamic, 4});
  w = n.Add("SUB", {n.Floats({1}), w}, {4, kDynamic, kDynamic, 4});
  w = n.Add("TANH", {w}, {4, kDynamic, kDynamic, 4});
  const ValueId mean =
      n.Add("MEAN", {w, n.Ints({1, -2})}, {4, 4}, {{"keep_dims", false}});
  const ValueId kept = n.Add("MEAN", {v, n.Ints({-1})},
                             {1, kDynamic, kDynamic, 1}, {{"keep_dims", true}});
  n.sub().outputs = {n.Add("RELU", {mean}, {4, 4}),
                     n.Add("RELU6", {kept}, {1, kDynamic, kDynamic, 1})};
  return n;
}

std::unique_ptr<Session> MakeSession(const Network& network,
                                     std::vector<DelegateOption> given) {
  auto delegate = Make(given);
  EXPECT_TRUE(delegate.ok());
  SessionOptions options;
  options.delegates = {*delegate};
  auto session = runtime::CreateSession(network.graph(), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return std::move(*session);
}

std::vector<std::vector<float>> Outputs(Session& session, int height,
                                        int width) {
  std::vector<float> data(static_cast<size_t>(height * width * 3));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = std::cos(static_cast<float>(i));
  TensorView in;
  in.shape = {1, height, width, 3};
  in.data = data.data();
  in.bytes = data.size() * sizeof(float);
  auto out = session.Run({&in, 1});
  EXPECT_TRUE(out.ok()) << out.status().message();
  std::vector<std::vector<float>> results;
  if (!out.ok()) return results;
  for (const TensorView& view : *out)
    results.emplace_back(view.as<float>(),
                         view.as<float>() + view.bytes / sizeof(float));
  return results;
}

TEST(SampleDelegate, AgreesWithTheCpuWhateverItTakesAndWhereverItFails) {
  const Network network = AllOperators();
  auto cpu = runtime::CreateSession(network.graph(), {});
  ASSERT_TRUE(cpu.ok()) << cpu.status().message();
  const std::vector<std::vector<DelegateOption>> cases = {
      {},
      {{"operators", "CONV_2D,MEAN"}},
      {{"max_partitions", "1"}},
      {{"min_nodes", "4"}},
      {{"fail_in", "judge"}},
      {{"fail_in", "compile"}},
      {{"fail_in", "prepare"}},
      {{"fail_in", "eval"}}};
  for (const auto& options : cases) {
    const std::string label =
        options.empty() ? "" : options[0].key + "=" + options[0].value;
    const auto session = MakeSession(network, options);
    for (const auto& [height, width] : {std::pair(6, 7), std::pair(9, 5)}) {
      const auto want = Outputs(**cpu, height, width);
      const auto got = Outputs(*session, height, width);
      ASSERT_EQ(got.size(), want.size()) << label;
      for (size_t o = 0; o < want.size(); ++o) {
        ASSERT_EQ(got[o].size(), want[o].size()) << label;
        for (size_t i = 0; i < want[o].size(); ++i)
          EXPECT_NEAR(got[o][i], want[o][i], 1e-5) << label;
      }
    }
    const bool fails = !options.empty() && options[0].key == "fail_in";
    EXPECT_EQ(session->Owners()[0].owner == "cpu",
              fails || label == "max_partitions=1" || label == "min_nodes=4")
        << label;
    EXPECT_EQ(session->Owners()[2].owner, "cpu") << label;
  }
}

TEST(SampleDelegate, SaysWhyItRefuses) {
  Network n;
  const ValueId x = n.Value({1, 4, 4, 4});
  const ValueId weights = n.Value({4, 1, 1, 4});
  n.sub().inputs = {x, weights};
  const ValueId bytes = n.Value({1, 4, 4, 4}, ElementType::kUInt8);
  const auto same = Shape{1, 4, 4, 4};
  n.Add("CONV_2D", {x, weights}, same);
  n.Add("CONV_2D", {x, n.Floats({4, 1, 1, 2})}, same);
  n.Add("ADD", {x, x}, same,
        {{"fused_activation_function", std::string("TANH")}});
  n.Add("ADD", {x, bytes}, same);
  n.Add("RELU", {x, x}, same);
  n.Add("SOFTMAX", {x}, same);
  n.Add("MEAN", {x, weights}, same);
  n.Add("RELU", {x}, same);
  n.sub().nodes.back().is_custom = true;
  const std::vector<std::string> reasons = {
      "its weights are not constant",
      "convolutions in groups are not supported",
      "the fused activation TANH is not supported",
      "an input is uint8",
      "the number of its inputs is not supported",
      "the operator is not supported",
      "its axes are not constant",
      "the operator is not supported"};
  const auto support =
      SampleDelegate(Options()).CheckSupport(*n.graph(), n.sub());
  ASSERT_TRUE(support.ok());
  ASSERT_EQ(support->size(), reasons.size());
  for (size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_FALSE((*support)[i].is_supported) << reasons[i];
    EXPECT_EQ((*support)[i].reason, reasons[i]);
  }
}

TEST(SampleDelegate, RefusesOptionsThatItDoesNotKnow) {
  for (const auto& [key, value, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"speed", "high", "has no option 'speed'"},
           {"operators", "ADD,SOFTMAX", "wants operators that it has"},
           {"operators", "", "wants operators that it has"},
           {"max_partitions", "-1", "wants a whole number"},
           {"min_nodes", "many", "wants a whole number"},
           {"fail_in", "sleep", "wants judge, compile"}}) {
    const DelegateOption option{key, value};
    const auto made = Make({&option, 1});
    ASSERT_FALSE(made.ok()) << key;
    EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace munja::delegates::sample
