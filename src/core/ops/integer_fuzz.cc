// Quantized operators of random small shapes, types, zero points and scales:
// with every SIMD target, on one thread and three, they write the bytes that
// their reference kernels write.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernels/differential_fuzz.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;
using kernels::CaseBytes;

// Keeps an input within milliseconds.
constexpr int64_t kMostMultiplyAccumulates = 200000;

struct Range {
  int64_t low, high;
};

Range RangeOfType(ElementType type) {
  switch (type) {
    case kInt4:
      return {-8, 7};
    case kInt8:
      return {-128, 127};
    case kUInt8:
      return {0, 255};
    case kInt16:
      return {-32768, 32767};
    default:
      return {INT32_MIN, INT32_MAX};
  }
}

// Noise, that of one case in four at both ends of the range only: the largest
// sums that there are.
TestTensor AnyStored(CaseBytes& bytes, ElementType type, const Shape& shape,
                     const Range& range) {
  const int32_t kind = bytes.Between(0, 3);
  uint32_t state = static_cast<uint32_t>(bytes.Byte() * 256 + bytes.Byte());
  const auto next = [&] {
    return (state = state * 1664525u + 1013904223u) >> 8;
  };
  const auto count = static_cast<size_t>(shape.elements());
  const auto span = static_cast<uint64_t>(range.high - range.low) + 1;
  TestTensor t;
  t.type = type;
  t.shape = shape;
  t.bytes.resize(type == kInt4 ? (count + 1) / 2 : count * ElementSize(type));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t x = uint64_t{next()} << 24 | next();
    const int64_t value = kind == 0
                              ? (x % 8 < 7 ? range.low : range.high)
                              : range.low + static_cast<int64_t>(x % span);
    if (type == kInt4) {
      t.bytes[i / 2] |= static_cast<uint8_t>((value & 15) << (i % 2 * 4));
    } else {
      // The machine is little-endian, as the formats are.
      std::memcpy(&t.bytes[i * ElementSize(type)], &value, ElementSize(type));
    }
  }
  return t;
}

float AnyScale(CaseBytes& bytes) {
  return bytes.Pick({1.0f / 64, 0.0371f, 1.0f, 0.00092f, 3.3f});
}

int64_t AnyZero(CaseBytes& bytes, ElementType type) {
  if (type == kInt16) return 0;
  const Range range = RangeOfType(type);
  return range.low + bytes.Byte() % (range.high - range.low + 1);
}

TestTensor AnyInput(CaseBytes& bytes, ElementType type, const Shape& shape) {
  if (type == kFloat32)
    return Floats(shape, bytes.Numbers(static_cast<size_t>(shape.elements())));
  TestTensor t = AnyStored(bytes, type, shape, RangeOfType(type));
  t.quantization = {{AnyScale(bytes)}, {AnyZero(bytes, type)}, 0};
  return t;
}

// Sums of `terms` products of numbers that are stored with scales of product
// `unit` fill the range of the output; or they pass it, or use little of it.
TestOutput AnyOutput(CaseBytes& bytes, ElementType type, double unit,
                     double largest_product, int64_t terms) {
  const double sum =
      unit * largest_product * std::sqrt(static_cast<double>(terms) + 1);
  const Range range = RangeOfType(type);
  const auto scale = static_cast<float>(
      sum / static_cast<double>(range.high) *
      static_cast<double>(bytes.Pick({0.5f, 0.5f, 0.5f, 0.01f, 7.0f})));
  return {type, {{scale}, {AnyZero(bytes, type)}, 0}};
}

std::string AnyClamp(CaseBytes& bytes) {
  constexpr const char* kNames[] = {"NONE", "RELU", "NONE", "RELU6",
                                    "RELU_N1_TO_1"};
  return bytes.Pick(kNames);
}

std::string ToString(const TestNode& node) {
  std::string text = node.op;
  for (const TestTensor& t : node.inputs) {
    text += t.is_absent
                ? " -"
                : std::string(" ") + std::string(ElementTypeName(t.type)) +
                      "[" + t.shape.ToString() + "]" +
                      (t.is_constant ? " constant" : "");
  }
  return text + " -> " + std::string(ElementTypeName(node.outputs[0].type));
}

[[noreturn]] void Differs(const TestNode& node, int threads,
                          const std::string& what) {
  std::fprintf(stderr, "%s, %s, %d threads: %s\n", ToString(node).c_str(),
               kernels::SimdName().c_str(), threads, what.c_str());
  std::abort();
}

// Why it is refused, or nothing.
std::string RefusalOf(const Result<std::vector<TestTensor>>& result) {
  return result.ok() ? "" : std::string(result.status().message());
}

// tolerance: of an element of float32, relative to the largest one.
void Compare(const TestNode& node, float tolerance = 0) {
  const auto want = RunNode(node, {.reference_kernels = true});
  if (!want.ok() && want.status().code() == Code::kInternal)
    Differs(node, 1, RefusalOf(want));
  kernels::OnEveryTarget([&] {
    for (const int threads : {1, 3}) {
      const auto got = RunNode(node, {.threads = threads});
      if (RefusalOf(got) != RefusalOf(want))
        Differs(node, threads,
                "the reference says: '" + RefusalOf(want) + "', the kernel: '" +
                    RefusalOf(got) + "'");
      if (!got.ok()) continue;
      const TestTensor &a = (*got)[0], &b = (*want)[0];
      if (a.shape != b.shape) Differs(node, threads, "another shape");
      if (a.type == kFloat32) {
        const auto numbers = b.values<float>();
        const float allowed = tolerance * kernels::Largest(numbers);
        kernels::ExpectNear(ToString(node), a.values<float>(), numbers,
                            [&](size_t) { return allowed; });
        continue;
      }
      const auto differing = std::mismatch(a.bytes.begin(), a.bytes.end(),
                                           b.bytes.begin(), b.bytes.end());
      if (differing.first != a.bytes.end())
        Differs(node, threads,
                "byte " + std::to_string(differing.first - a.bytes.begin()) +
                    " is " + std::to_string(*differing.first) +
                    ", the reference says " +
                    std::to_string(*differing.second));
    }
  });
}

// Types that go together.
struct LinearTypes {
  ElementType input, weights, bias, output;
};

LinearTypes AnyLinearTypes(CaseBytes& bytes) {
  constexpr LinearTypes kTypes[] = {
      {kInt8, kInt8, kInt32, kInt8},
      {kInt16, kInt8, kInt64, kInt16},
      {kInt8, kInt8, kInt32, kInt8},
      {kInt16, kInt8, kInt32, kInt16},
      {kInt8, kInt4, kInt32, kInt8},
      {kInt16, kInt4, kInt64, kInt16},
      {kUInt8, kUInt8, kInt32, kUInt8},
      {kUInt8, kUInt8, kInt32, kInt16},
      {kFloat32, kInt8, kFloat32, kFloat32},
      {kFloat32, kInt4, kFloat32, kFloat32},
  };
  return bytes.Pick(kTypes);
}

// Input, weights whose output channels are dimension `axis`, and a bias.
TestNode LinearNode(CaseBytes& bytes, const char* op, const Shape& input,
                    const Shape& weights, int axis, int64_t terms) {
  const LinearTypes types = AnyLinearTypes(bytes);
  const int32_t channels = weights[axis];
  TestNode node;
  node.op = op;
  TestTensor in = AnyInput(bytes, types.input, input);
  // Weights of int8 have no zero point where each channel has its scale.
  const bool is_per_axis = types.weights != kUInt8 && bytes.Flag();
  TestTensor w =
      AnyStored(bytes, types.weights, weights, RangeOfType(types.weights));
  const float scale = bytes.Pick({1.0f / 256, 0.0123f});
  w.quantization.axis = axis;
  for (int32_t c = 0; c < (is_per_axis ? channels : 1); ++c) {
    w.quantization.scales.push_back(scale *
                                    (1.0f + 0.25f * static_cast<float>(c % 5)));
    w.quantization.zero_points.push_back(0);
  }
  if (!is_per_axis && types.input != kFloat32 &&
      (types.weights == kUInt8 || bytes.Byte() % 4 == 0))
    w.quantization.zero_points[0] = AnyZero(bytes, types.weights);
  w.is_constant = bytes.Byte() % 4 != 0;
  TestTensor bias = Absent();
  if (bytes.Byte() % 4 != 0) {
    if (types.bias == kFloat32) {
      bias = Floats({channels}, bytes.Numbers(static_cast<size_t>(channels)));
    } else {
      const int64_t most = bytes.Pick({1000, 100000, 1 << 29});
      bias = AnyStored(bytes, types.bias, {channels}, {-most, most});
    }
    bias.is_constant = w.is_constant || bytes.Flag();
  }
  if (types.input == kFloat32) {
    node.attributes.Set("asymmetric_quantize_inputs", bytes.Flag());
    node.outputs = {TestOutput{}};
  } else {
    const double product = static_cast<double>(RangeOfType(types.input).high *
                                               RangeOfType(types.weights).high);
    node.outputs = {AnyOutput(bytes, types.output,
                              double{in.quantization.scales[0]} * double{scale},
                              product / 3, terms)};
    node.attributes.Set("fused_activation_function", AnyClamp(bytes));
  }
  node.inputs = {std::move(in), std::move(w), std::move(bias)};
  return node;
}

// Sums of integers are exact; then they are scaled twice and a bias is added,
// in one rounding more or less, of numbers no larger than the largest result
// and the bias together.
constexpr float kHybridTolerance = 64 * kernels::kEpsilon;

struct Axis {
  int32_t in, kernel, stride, dilation;
};

Axis AnyAxis(CaseBytes& bytes, bool may_dilate) {
  Axis axis;
  // Long lines are cut into tiles.
  axis.in = bytes.Between(1, bytes.Pick({20, 20, 90}));
  axis.kernel = bytes.Pick({1, 3, 2, 3, 1, 4, 5, 7});
  axis.stride = bytes.Pick({1, 1, 2, 3});
  axis.dilation = may_dilate ? bytes.Pick({1, 1, 1, 2, 3}) : 1;
  return axis;
}

void SetWindow(CaseBytes& bytes, const Axis& y, const Axis& x, TestNode* node) {
  graph::Attributes& a = node->attributes;
  constexpr const char* kNames[] = {"SAME", "VALID", "EXPLICIT"};
  const std::string padding = bytes.Pick(kNames);
  a.Set("padding", padding);
  a.Set("stride_h", int64_t{y.stride});
  a.Set("stride_w", int64_t{x.stride});
  a.Set("dilation_h_factor", int64_t{y.dilation});
  a.Set("dilation_w_factor", int64_t{x.dilation});
  if (padding != "EXPLICIT") return;
  for (const char* side : {"pad_top", "pad_bottom"})
    a.Set(side, int64_t{bytes.Between(0, y.kernel - 1)});
  for (const char* side : {"pad_left", "pad_right"})
    a.Set(side, int64_t{bytes.Between(0, x.kernel - 1)});
}

// Channels on both sides of the widths of vectors and tiles.
int32_t AnyChannels(CaseBytes& bytes) {
  return bytes.Flag()
             ? bytes.Between(1, 70)
             : bytes.Pick({1, 3, 4, 8, 12, 16, 24, 32, 48, 64, 96, 130});
}

// Halves the largest of the sizes until the work is not too much.
template <class Work>
void Shrink(std::initializer_list<int32_t*> sizes, const Work& work) {
  const auto is_less = [](const int32_t* a, const int32_t* b) {
    return *a < *b;
  };
  while (work() > kMostMultiplyAccumulates) {
    int32_t* const largest =
        *std::max_element(sizes.begin(), sizes.end(), is_less);
    *largest = (*largest + 1) / 2;
  }
}

int64_t Places(const Axis& y, const Axis& x) {
  const auto places = [](const Axis& axis) {
    return (int64_t{axis.in} + axis.kernel) / axis.stride + 1;
  };
  return places(y) * places(x);
}

void Conv2dCase(CaseBytes& bytes) {
  Axis y = AnyAxis(bytes, true), x = AnyAxis(bytes, true);
  const int32_t batch = bytes.Pick({1, 1, 2});
  const int32_t groups = bytes.Pick({1, 1, 1, 2, 3});
  int32_t group_in = AnyChannels(bytes), group_out = AnyChannels(bytes);
  const auto terms = [&] { return int64_t{y.kernel} * x.kernel * group_in; };
  Shrink({&y.in, &x.in, &group_in, &group_out},
         [&] { return Places(y, x) * batch * groups * terms() * group_out; });
  TestNode node = LinearNode(
      bytes, "CONV_2D", {batch, y.in, x.in, groups * group_in},
      {groups * group_out, y.kernel, x.kernel, group_in}, 0, terms());
  SetWindow(bytes, y, x, &node);
  Compare(node, kHybridTolerance);
}

void DepthwiseCase(CaseBytes& bytes) {
  Axis y = AnyAxis(bytes, true), x = AnyAxis(bytes, true);
  const int32_t batch = bytes.Pick({1, 1, 2});
  int32_t in_c = AnyChannels(bytes);
  const int32_t times = bytes.Pick({1, 1, 1, 2, 3});
  const int64_t terms = int64_t{y.kernel} * x.kernel;
  Shrink({&y.in, &x.in, &in_c},
         [&] { return Places(y, x) * batch * terms * in_c * times; });
  TestNode node =
      LinearNode(bytes, "DEPTHWISE_CONV_2D", {batch, y.in, x.in, in_c},
                 {1, y.kernel, x.kernel, in_c * times}, 3, terms);
  SetWindow(bytes, y, x, &node);
  Compare(node, kHybridTolerance);
}

void TransposeConvCase(CaseBytes& bytes) {
  Axis y = AnyAxis(bytes, false), x = AnyAxis(bytes, false);
  const int32_t batch = bytes.Pick({1, 1, 2});
  int32_t in_c = AnyChannels(bytes), out_c = AnyChannels(bytes);
  const auto terms = [&] { return int64_t{y.kernel} * x.kernel * in_c; };
  Shrink({&y.in, &x.in, &in_c, &out_c},
         [&] { return int64_t{y.in} * x.in * batch * terms() * out_c; });
  TestNode node = LinearNode(bytes, "TRANSPOSE_CONV", {batch, y.in, x.in, in_c},
                             {out_c, y.kernel, x.kernel, in_c}, 0, terms());
  const bool is_same = bytes.Flag();
  const auto size = [&](const Axis& axis) {
    return is_same ? axis.in * axis.stride
                   : (axis.in - 1) * axis.stride + axis.kernel;
  };
  TestTensor sizes = Ints({4}, {batch, size(y), size(x), out_c}).Constant();
  std::vector<TestTensor> inputs = {std::move(sizes), node.inputs[1],
                                    node.inputs[0], node.inputs[2]};
  node.inputs = std::move(inputs);
  node.attributes.Set("padding", std::string(is_same ? "SAME" : "VALID"));
  node.attributes.Set("stride_h", int64_t{y.stride});
  node.attributes.Set("stride_w", int64_t{x.stride});
  Compare(node, kHybridTolerance);
}

void FullyConnectedCase(CaseBytes& bytes) {
  int32_t rows = bytes.Between(1, 130), in_c = bytes.Between(1, 200),
          out_c = bytes.Between(1, 150);
  Shrink({&rows, &in_c, &out_c}, [&] { return int64_t{rows} * in_c * out_c; });
  Compare(LinearNode(bytes, "FULLY_CONNECTED", {rows, in_c}, {out_c, in_c}, 0,
                     in_c),
          kHybridTolerance);
}

void BatchMatMulCase(CaseBytes& bytes) {
  constexpr LinearTypes kTypes[] = {
      {kInt8, kInt8, kInt32, kInt8},       {kInt16, kInt8, kInt32, kInt16},
      {kInt8, kInt8, kInt32, kInt32},      {kInt16, kInt16, kInt32, kInt16},
      {kFloat32, kInt8, kInt32, kFloat32},
  };
  const LinearTypes types = bytes.Pick(kTypes);
  const int32_t batch = bytes.Between(1, 3);
  int32_t m = bytes.Between(1, 100), k = bytes.Between(1, 100),
          n = bytes.Between(1, 100);
  Shrink({&m, &k, &n}, [&] { return int64_t{batch} * m * k * n; });
  const bool turns_x = bytes.Flag(), turns_y = bytes.Flag(),
             is_shared = bytes.Flag();
  TestTensor x = AnyInput(bytes, types.input,
                          turns_x ? Shape{batch, k, m} : Shape{batch, m, k});
  const int32_t right = is_shared ? 1 : batch;
  TestTensor y = AnyInput(bytes, types.weights,
                          turns_y ? Shape{right, n, k} : Shape{right, k, n});
  if (types.input == kFloat32) y.quantization.zero_points[0] = 0;
  y.is_constant = bytes.Flag();
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.attributes.Set("adj_x", turns_x);
  node.attributes.Set("adj_y", turns_y);
  node.outputs = {TestOutput{types.output, {}}};
  if (types.input == kFloat32) {
    node.attributes.Set("asymmetric_quantize_inputs", bytes.Flag());
  } else if (types.output != kInt32) {
    const double product = static_cast<double>(RangeOfType(types.input).high *
                                               RangeOfType(types.weights).high);
    node.outputs = {AnyOutput(
        bytes, types.output,
        double{x.quantization.scales[0]} * double{y.quantization.scales[0]},
        product / 3, k)};
  }
  node.inputs = {std::move(x), std::move(y)};
  Compare(node, kHybridTolerance);
}

void PoolCase(CaseBytes& bytes) {
  Axis y = AnyAxis(bytes, false), x = AnyAxis(bytes, false);
  const ElementType type = bytes.Pick({kInt8, kInt16, kUInt8});
  TestNode node;
  node.op = bytes.Flag() ? "MAX_POOL_2D" : "AVERAGE_POOL_2D";
  SetWindow(bytes, y, x, &node);
  node.attributes.Set("filter_height", int64_t{y.kernel});
  node.attributes.Set("filter_width", int64_t{x.kernel});
  node.attributes.Set("fused_activation_function", AnyClamp(bytes));
  const int32_t batch = bytes.Pick({1, 1, 2});
  int32_t channels = AnyChannels(bytes);
  Shrink({&y.in, &x.in, &channels},
         [&] { return Places(y, x) * batch * y.kernel * x.kernel * channels; });
  TestTensor in = AnyInput(bytes, type, {batch, y.in, x.in, channels});
  node.outputs = {{type, in.quantization}};
  node.inputs = {std::move(in)};
  Compare(node);
}

void BinaryCase(CaseBytes& bytes) {
  constexpr const char* kOps[] = {"ADD", "SUB", "MUL", "PRELU",
                                  "SQUARED_DIFFERENCE"};
  TestNode node;
  node.op = bytes.Pick(kOps);
  const bool is_prelu = node.op == "PRELU";
  ElementType type = bytes.Pick({kInt8, kInt16, kUInt8});
  if (node.op == "SQUARED_DIFFERENCE") type = kInt8;
  const Shape shape{bytes.Between(1, 3), bytes.Between(1, 9),
                    bytes.Between(1, 140)};
  // Every dimension of an operand may be repeated.
  const auto operand = [&](bool is_whole) {
    Shape part = shape;
    for (int d = 0; d < 3; ++d)
      if (!is_whole && bytes.Byte() % 4 == 0) part[d] = 1;
    return AnyInput(bytes, type, part);
  };
  node.inputs = {operand(is_prelu), operand(false)};
  const double a = node.inputs[0].quantization.scales[0],
               b = node.inputs[1].quantization.scales[0];
  const auto high = static_cast<double>(RangeOfType(type).high);
  node.outputs = {
      AnyOutput(bytes, type,
                node.op == "ADD" || node.op == "SUB" ? std::max(a, b) : a * b,
                node.op == "ADD" || node.op == "SUB" ? high : high * high, 1)};
  if (type == kInt16) {
    node.attributes.Set("pot_scale_int16", bytes.Flag());
    if (bytes.Flag()) {  // Scales that are powers of two.
      for (TestTensor& t : node.inputs)
        t.quantization.scales[0] = bytes.Pick({0.25f, 0.5f, 0.125f});
      node.outputs[0].quantization.scales[0] = bytes.Pick({0.25f, 0.5f});
    }
  }
  if (!is_prelu && node.op != "SQUARED_DIFFERENCE")
    node.attributes.Set("fused_activation_function", AnyClamp(bytes));
  Compare(node);
}

void AnyCase(CaseBytes bytes) {
  switch (bytes.Byte() % 9) {
    case 0:
    case 1:
      Conv2dCase(bytes);
      break;
    case 2:
    case 3:
      DepthwiseCase(bytes);
      break;
    case 4:
      TransposeConvCase(bytes);
      break;
    case 5:
      FullyConnectedCase(bytes);
      break;
    case 6:
      BatchMatMulCase(bytes);
      break;
    case 7:
      PoolCase(bytes);
      break;
    default:
      BinaryCase(bytes);
      break;
  }
}

}  // namespace
}  // namespace munja::ops

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::ops::AnyCase(munja::kernels::CaseBytes(data, size));
  return 0;
}
