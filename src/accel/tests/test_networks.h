// Networks for the tests of the delegate, and how they are run.
#ifndef MUNJA_TESTS_TEST_NETWORKS_H_
#define MUNJA_TESTS_TEST_NETWORKS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delegates/nn/nn_delegate.h"
#include "drivers/built_in/built_in_drivers.h"
#include "runtime/session.h"
#include "runtime/test_network.h"
#include "tests/testing.h"

namespace munja::delegates::nn {

using graph::AttributeValue;
using graph::ValueId;
using runtime::DelegateOption;
using runtime::Session;
using runtime::SessionOptions;
using runtime::testing::Network;

// Operators that the schema and the HAL define differently: layers without
// bias, outputs of more than two dimensions, slices that shrink, composed
// functions.
inline Network OfFloats() {
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
  v = n.Add("DEPTHWISE_CONV_2D", {v, n.Floats({1, 3, 3, 4})}, shape,
            {{"padding", string("SAME")},
             {"dilation_w_factor", int64_t{2}},
             {"dilation_h_factor", int64_t{1}}});
  v = n.Add("HARD_SWISH", {v}, shape);
  v = n.Add("LEAKY_RELU", {v}, shape, {{"alpha", 0.125}});
  const ValueId gate =
      n.Add("MEAN", {v, n.Ints({1, -2})}, {1, 1, 1, 4}, {{"keep_dims", true}});
  const ValueId factor = n.Add("LOGISTIC", {gate}, {1, 1, 1, 4});
  v = n.Add("MUL", {v, factor}, shape);
  v = n.Add("FULLY_CONNECTED", {v, n.Floats({5, 4}), n.Floats({5})},
            {1, kDynamic, kDynamic, 5}, {{"keep_num_dims", true}});
  v = n.Add("RESIZE_BILINEAR", {v, n.Ints({6, 10})}, {1, 6, 10, 5},
            {{"half_pixel_centers", true}});
  v = n.Add(
      "STRIDED_SLICE",
      {v, n.Ints({0, -2, 0, 0}), n.Ints({0, 0, 0, 0}), n.Ints({1, 1, 2, 1})},
      {1, 5, 5},
      {{"begin_mask", int64_t{4}},
       {"end_mask", int64_t{13}},
       {"shrink_axis_mask", int64_t{2}}});
  v = n.Add("TRANSPOSE", {v, n.Ints({0, 2, 1})}, {1, 5, 5});
  v = n.Add("PAD", {v, n.Ints({0, 0, 1, 2, 0, 1}, {3, 2})}, {1, 8, 6});
  v = n.Add("SQUARED_DIFFERENCE", {v, n.Floats({6})}, {1, 8, 6});
  const ValueId sum =
      n.Add("SUM", {v, n.Ints({0, 1, 2})}, Shape(), {{"keep_dims", false}});
  n.sub().outputs = {n.Add("SOFTMAX", {v}, {1, 8, 6}, {{"beta", 0.5}}),
                     n.Add("SQRT", {sum}, Shape())};
  return n;
}

inline std::vector<float> Image(int height, int width) {
  std::vector<float> image(static_cast<size_t>(height * width * 3));
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = std::cos(static_cast<float>(i) * 0.37f);
  return image;
}

inline std::unique_ptr<Session> SessionOf(const graph::Graph& graph,
                                          std::vector<DelegateOption> options) {
  SessionOptions choices;
  if (!options.empty()) {
    auto delegate = Make(options, drivers::Devices());
    EXPECT_TRUE(delegate.ok()) << delegate.status().message();
    choices.delegates = {std::move(delegate).value()};
  }
  auto session =
      CreateSession(std::make_shared<const graph::Graph>(graph), choices);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return std::move(session).value();
}

inline std::vector<std::vector<float>> Outputs(Session& session, Shape shape,
                                               std::vector<float> data) {
  TensorView view;
  view.shape = shape;
  view.data = data.data();
  view.bytes = data.size() * sizeof(float);
  auto outputs = session.Run(std::vector<TensorView>{view});
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  std::vector<std::vector<float>> result;
  if (!outputs.ok()) return result;
  for (const TensorView& output : *outputs)
    result.emplace_back(output.as<float>(),
                        output.as<float>() + output.bytes / sizeof(float));
  return result;
}

inline void ExpectNear(const std::vector<std::vector<float>>& got,
                       const std::vector<std::vector<float>>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t o = 0; o < got.size(); ++o) {
    ASSERT_EQ(got[o].size(), wanted[o].size());
    // Kernels of other kinds add in other orders.
    for (size_t i = 0; i < got[o].size(); ++i)
      EXPECT_NEAR(got[o][i], wanted[o][i],
                  1e-5f + 1e-5f * std::abs(wanted[o][i]))
          << "output " << o << " at " << i;
  }
}

using testing::Behavior;
using testing::OpenTestDevice;

inline std::shared_ptr<Behavior> Named(const char* name,
                                       std::set<int32_t> operations = {}) {
  auto behavior = std::make_shared<Behavior>();
  behavior->name = name;
  behavior->operations = std::move(operations);
  return behavior;
}

inline std::unique_ptr<Session> SessionOn(
    const graph::Graph& graph,
    const std::vector<std::shared_ptr<Behavior>>& behaviors,
    Options options = {}) {
  for (const auto& behavior : behaviors)
    options.devices.push_back(OpenTestDevice(behavior));
  options.names = "test";
  SessionOptions choices;
  choices.delegates = {std::make_shared<NnDelegate>(std::move(options))};
  auto session =
      CreateSession(std::make_shared<const graph::Graph>(graph), choices);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return std::move(session).value();
}

inline std::map<std::string, int> OwnersOf(const Session& session) {
  std::map<std::string, int> owners;
  for (const auto& owner : session.Owners()) ++owners[owner.owner];
  return owners;
}

inline const Shape kShape{1, 12, 9, 3};

class Devices : public ::testing::Test {
 protected:
  const Network network_ = OfFloats();
  const graph::Graph& graph_ = *network_.graph();
  const std::vector<float> image_ = Image(12, 9);
  const std::vector<std::vector<float>> wanted_ =
      Outputs(*SessionOf(graph_, {}), kShape, image_);
};

}  // namespace munja::delegates::nn

#endif  // MUNJA_TESTS_TEST_NETWORKS_H_
