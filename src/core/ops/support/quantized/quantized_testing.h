// For tests of quantized operators: random quantized values, and the float
// operator on what they stand for as the oracle. Not part of the library.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_TESTING_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ops/expect.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {

inline Quantization Scale(float scale, int64_t zero = 0) {
  return {{scale}, {zero}, 0};
}

// Quantized value i of an integer tensor.
inline int64_t StoredValue(const TestTensor& t, size_t i) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, t.bytes.data() + i * sizeof(T), sizeof(T));
    return int64_t{value};
  };
  switch (t.type) {
    case ElementType::kInt8:
      return as(int8_t{});
    case ElementType::kUInt8:
      return as(uint8_t{});
    case ElementType::kInt16:
      return as(int16_t{});
    case ElementType::kInt32:
      return as(int32_t{});
    case ElementType::kInt64:
      return as(int64_t{});
    default:  // int4
      return ((t.bytes[i / 2] >> (i % 2 * 4) & 15) ^ 8) - 8;
  }
}

inline TestTensor StoreValues(ElementType type, const Shape& shape,
                              const std::vector<int64_t>& values) {
  const auto as = [&]<class T>(T) {
    return MakeTensor(type, shape,
                      std::vector<T>(values.begin(), values.end()));
  };
  switch (type) {
    case ElementType::kInt8:
      return as(int8_t{});
    case ElementType::kUInt8:
      return as(uint8_t{});
    case ElementType::kInt16:
      return as(int16_t{});
    case ElementType::kInt32:
      return as(int32_t{});
    case ElementType::kInt64:
      return as(int64_t{});
    default: {
      std::vector<uint8_t> bytes((values.size() + 1) / 2);
      for (size_t i = 0; i < values.size(); ++i)
        bytes[i / 2] |= static_cast<uint8_t>((values[i] & 15) << (i % 2 * 4));
      return MakeTensor(type, shape, bytes);
    }
  }
}

// Numbers in [low, high].
inline TestTensor RandomStored(ElementType type, const Shape& shape,
                               int64_t low, int64_t high, uint32_t seed) {
  const auto count = static_cast<size_t>(shape.elements());
  const std::vector<float> random = RandomFloats(count, seed);
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = low + std::llround((random[i] + 1.0) / 2.0 *
                                   static_cast<double>(high - low));
  }
  return StoreValues(type, shape, values);
}

// The dequantized tensor, in float.
inline TestTensor Dequantized(const TestTensor& t) {
  if (t.is_absent || t.type == ElementType::kFloat32 ||
      !t.quantization.is_quantized())
    return t;
  const Quantization& q = t.quantization;
  const auto count = static_cast<size_t>(t.shape.elements());
  size_t inner = 1;
  if (q.is_per_axis())
    for (int i = q.axis + 1; i < t.shape.rank(); ++i)
      inner *= static_cast<size_t>(t.shape[i]);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t c = q.is_per_axis() ? i / inner % q.scales.size() : 0;
    const int64_t zero = q.zero_points.empty() ? 0 : q.zero_points[c];
    values[i] = static_cast<float>(
        static_cast<double>(StoredValue(t, i) - zero) * q.scales[c]);
  }
  TestTensor out = Floats(t.shape, values);
  out.is_constant = t.is_constant;
  return out;
}

// The node in float: its reference implementation sums in double precision.
inline TestNode InFloat(const TestNode& node) {
  TestNode plain = node;
  for (TestTensor& t : plain.inputs) t = Dequantized(t);
  plain.outputs = {TestOutput{}};
  return plain;
}

// All ways to run give the same bits, and these are at most `steps` from what
// the float operator gives, stored.
inline void ExpectLikeFloat(const TestNode& node, double steps = 1.0) {
  TestNode plain = InFloat(node);
  for (TestTensor& t : plain.inputs) t.is_constant = true;
  const auto real = RunNode(plain, {.reference_kernels = true});
  ASSERT_TRUE(real.ok()) << real.status().message();
  const std::vector<float> want = (*real)[0].values<float>();
  const Quantization& q = node.outputs[0].quantization;
  const StoredRange range = RangeOf(node.outputs[0].type);
  std::vector<uint8_t> first;
  for (const TestOptions& way : AllWaysToRun()) {
    SCOPED_TRACE(Describe(node, way));
    const auto result = RunNode(node, way);
    ASSERT_TRUE(result.ok()) << result.status().message();
    const TestTensor& out = (*result)[0];
    ASSERT_EQ(out.shape, (*real)[0].shape);
    if (!first.empty()) {
      ASSERT_EQ(out.bytes, first);
      continue;
    }
    first = out.bytes;
    size_t saturated = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const double stored = std::clamp<double>(
          want[i] / q.scales[0] + static_cast<double>(q.zero_points[0]),
          range.low, range.high);
      const auto got = static_cast<double>(StoredValue(out, i));
      ASSERT_NEAR(got, stored, steps) << "at " << i;
      if (got <= range.low || got >= range.high) ++saturated;
    }
    // A test of clamped values would test nothing.
    EXPECT_LE(saturated, want.size() / 2);
  }
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_TESTING_H_
