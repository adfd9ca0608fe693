#include "delegates/opencl/testing.h"

#include <cmath>

namespace munja::delegates::opencl {

std::vector<std::vector<float>> Outputs(runtime::Session& session) {
  std::vector<std::vector<float>> data;
  std::vector<TensorView> in;
  for (const runtime::TensorInfo& info : session.inputs()) {
    TensorView& view = in.emplace_back();
    view.shape = info.shape;
    data.emplace_back(static_cast<size_t>(info.shape.elements()));
    for (size_t i = 0; i < data.back().size(); ++i)
      data.back()[i] = std::cos(static_cast<float>(i * 3 + data.size()));
    view.data = data.back().data();
    view.bytes = data.back().size() * sizeof(float);
  }
  const auto out = session.Run(in);
  EXPECT_TRUE(out.ok()) << out.status().message();
  std::vector<std::vector<float>> numbers;
  if (!out.ok()) return numbers;
  for (const TensorView& view : *out)
    numbers.emplace_back(view.as<float>(),
                         view.as<float>() + view.shape.elements());
  return numbers;
}

void ExpectNear(const std::vector<std::vector<float>>& got,
                const std::vector<std::vector<float>>& want, float tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t o = 0; o < want.size(); ++o) {
    ASSERT_EQ(got[o].size(), want[o].size());
    float largest = 0;
    for (const float v : want[o]) largest = std::max(largest, std::abs(v));
    for (size_t i = 0; i < want[o].size(); ++i)
      ASSERT_NEAR(got[o][i], want[o][i], tolerance * largest)
          << "output " << o << ", number " << i;
  }
}

Net Convolutions() {
  Net net({2, 9, 7, 6});
  const int64_t two = 2;
  const graph::ValueId a =
      net.Add("CONV_2D", {net.x(), net.Floats({10, 3, 2, 6}), net.Floats({10})},
              {{"padding", "SAME"_s},
               {"stride_h", two},
               {"fused_activation_function", "RELU6"_s}});
  const graph::ValueId b =
      net.Add("CONV_2D", {a, net.Floats({8, 1, 1, 10})},
              {{"fused_activation_function", "RELU_N1_TO_1"_s}});
  const graph::ValueId c = net.Add("CONV_2D", {b, net.Floats({8, 2, 3, 8})},
                                   {{"padding", "SAME"_s},
                                    {"dilation_h_factor", two},
                                    {"dilation_w_factor", two}});
  const graph::ValueId d = net.Add("CONV_2D", {c, net.Floats({6, 3, 3, 4})},
                                   {{"padding", "SAME"_s}});
  const graph::ValueId e = net.Add(
      "DEPTHWISE_CONV_2D", {d, net.Floats({1, 3, 3, 6}), net.Floats({6})},
      {{"padding", "SAME"_s}, {"depth_multiplier", int64_t{1}}});
  const graph::ValueId f =
      net.Add("DEPTHWISE_CONV_2D", {e, net.Floats({1, 2, 2, 12})},
              {{"stride_w", two}, {"depth_multiplier", two}});
  net.Output(net.Add("ADD", {c, b}));
  net.Output(net.Add(
      "TRANSPOSE_CONV",
      {net.Ints({2, 8, 6, 5}), net.Floats({5, 2, 2, 12}), f, net.Floats({5})},
      {{"padding", "VALID"_s}, {"stride_h", two}, {"stride_w", two}}));
  net.Output(net.Add("MAX_POOL_2D", {a},
                     {{"filter_height", two},
                      {"filter_width", two},
                      {"stride_h", two},
                      {"padding", "SAME"_s}}));
  net.Output(net.Add("AVERAGE_POOL_2D", {a},
                     {{"filter_height", int64_t{3}},
                      {"filter_width", two},
                      {"padding", "SAME"_s}}));
  return net;
}

}  // namespace munja::delegates::opencl
