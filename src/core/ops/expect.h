// For tests: runs a node in every way there is and compares with what the
// specification says. Not part of the library.
#ifndef MUNJA_OPS_EXPECT_H_
#define MUNJA_OPS_EXPECT_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ops/testing.h"

namespace munja::ops {

// Fast and reference kernels, one and three threads, apart and in place.
inline std::vector<TestOptions> AllWaysToRun() {
  std::vector<TestOptions> ways;
  for (const bool reference_kernels : {false, true})
    for (const int threads : {1, 3})
      for (const bool in_place : {false, true})
        ways.push_back({reference_kernels, threads, in_place});
  return ways;
}

inline std::string Describe(const TestNode& node, const TestOptions& way) {
  return node.op + (way.reference_kernels ? ", reference" : "") +
         (way.in_place ? ", in place, " : ", ") + std::to_string(way.threads) +
         " threads";
}

// The outputs of the node are `shapes` and hold `values`. `tolerance` is
// absolute plus relative to the value; 0: equal.
template <class T>
void ExpectOutputs(const TestNode& node, const std::vector<Shape>& shapes,
                   const std::vector<std::vector<T>>& values,
                   double tolerance = 0.0) {
  for (const TestOptions& way : AllWaysToRun()) {
    SCOPED_TRACE(Describe(node, way));
    const Result<std::vector<TestTensor>> result = RunNode(node, way);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_EQ(result->size(), shapes.size());
    for (size_t k = 0; k < shapes.size(); ++k) {
      const TestTensor& out = (*result)[k];
      EXPECT_EQ(out.shape.ToString(), shapes[k].ToString());
      const std::vector<T> got = out.template values<T>();
      ASSERT_EQ(got.size(), values[k].size());
      for (size_t i = 0; i < got.size(); ++i) {
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(values[k][i])) {
            EXPECT_TRUE(std::isnan(got[i])) << "output " << k << " at " << i;
            continue;
          }
          if (tolerance > 0.0 && std::isfinite(values[k][i])) {
            EXPECT_NEAR(got[i], values[k][i],
                        tolerance * (1.0 + std::abs(values[k][i])))
                << "output " << k << " at " << i;
            continue;
          }
        }
        EXPECT_EQ(got[i], values[k][i]) << "output " << k << " at " << i;
      }
    }
  }
}

template <class T>
void ExpectOutput(const TestNode& node, const Shape& shape,
                  const std::vector<T>& values, double tolerance = 0.0) {
  ExpectOutputs<T>(node, {shape}, {values}, tolerance);
}

// The fast kernel on one thread, the fast one on several (bit for bit the
// same) and the reference agree.
inline void ExpectTwinsAgree(const TestNode& node, double tolerance) {
  const auto fast = RunNode(node, {});
  ASSERT_TRUE(fast.ok()) << fast.status().message();
  for (const int threads : {2, 5}) {
    const auto shared = RunNode(node, {.threads = threads});
    ASSERT_TRUE(shared.ok()) << shared.status().message();
    for (size_t k = 0; k < fast->size(); ++k)
      EXPECT_EQ((*fast)[k].bytes, (*shared)[k].bytes) << threads << " threads";
  }
  const auto slow = RunNode(node, {.reference_kernels = true});
  ASSERT_TRUE(slow.ok()) << slow.status().message();
  for (size_t k = 0; k < fast->size(); ++k) {
    const std::vector<float> a = (*fast)[k].values<float>();
    const std::vector<float> b = (*slow)[k].values<float>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], tolerance * (1.0 + std::abs(b[i]))) << "at " << i;
  }
}

// The node is refused with this code, by Make, Prepare or Eval, and the
// message has `text` in it.
inline void ExpectRefused(const TestNode& node, Code code,
                          std::string_view text) {
  const auto result = RunNode(node, {});
  ASSERT_FALSE(result.ok()) << node.op;
  EXPECT_EQ(result.status().code(), code) << result.status().message();
  EXPECT_NE(result.status().message().find(text), std::string_view::npos)
      << result.status().message();
}

// A change after which a valid node is refused with this code.
struct Refusal {
  const char* what;
  Code code;
  std::function<void(TestNode&)> change;
};
inline void ExpectAllRefused(const TestNode& valid,
                             std::initializer_list<Refusal> refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.what);
    TestNode node = valid;
    refusal.change(node);
    ExpectRefused(node, refusal.code, "");
  }
}

// Attributes in one expression.
inline graph::Attributes Options(
    std::initializer_list<std::pair<std::string_view, graph::AttributeValue>>
        entries) {
  graph::Attributes attributes;
  for (const auto& [name, value] : entries) attributes.Set(name, value);
  return attributes;
}

// 0, 1, 2, ... as floats: every element tells where it came from.
inline std::vector<float> Count(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_EXPECT_H_
