// Models of others with subgraphs, variables, strings, and shapes that come
// with the run. What they compute was read off their graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/session.h"
#include "tensor/strings.h"
#include "tflite/read.h"

namespace munja::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

fs::path Shared() { return fs::path(MUNJA_SOURCE_DIR) / "../shared"; }
fs::path TestData(const char* name) {
  return Shared() / "conformance/tflite/litert_testdata" / name;
}
fs::path Small(const char* name) {
  return Shared() / "models/tflite_small" / name;
}

std::unique_ptr<runtime::Session> Load(const fs::path& path) {
  auto graph = tflite::ReadFile(path.string());
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().message();
    return nullptr;
  }
  auto session = runtime::CreateSession(std::move(*graph), {});
  if (!session.ok()) {
    ADD_FAILURE() << session.status().message();
    return nullptr;
  }
  return std::move(*session);
}

template <class T>
TensorView View(ElementType type, Shape shape, const std::vector<T>& data) {
  TensorView view;
  view.type = type;
  view.shape = shape;
  view.data = const_cast<T*>(data.data());
  view.bytes = data.size() * sizeof(T);
  return view;
}
TensorView View(Shape shape, const std::vector<float>& data) {
  return View(ElementType::kFloat32, shape, data);
}

template <class T>
std::vector<T> Values(const TensorView& view) {
  return {view.as<T>(), view.as<T>() + view.bytes / sizeof(T)};
}

class Strings {
 public:
  Strings(Shape shape, const std::vector<std::string_view>& strings)
      : bytes_(StringBytes(strings)) {
    WriteStrings(strings, bytes_.data());
    view_ = View(ElementType::kString, shape, bytes_);
  }
  const TensorView& view() const { return view_; }

 private:
  std::vector<uint8_t> bytes_;
  TensorView view_;
};

TEST(ControlFlowModels, Variables_StartAtWhatTheInitializationSays) {
  const fs::path path = TestData("call_once_mul.bin");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  // Multiplies by the variable, then keeps the input there.
  const auto run = [&](float x) {
    const std::vector<float> data = {x};
    const TensorView view = View(Shape(), data);
    auto out = session->Run({&view, 1});
    EXPECT_TRUE(out.ok()) << out.status().message();
    return out.ok() ? *(*out)[0].as<float>() : NAN;
  };
  const float start = run(1);
  EXPECT_EQ(run(3), 3);
  EXPECT_EQ(run(5), 15);
  session->ResetVariables();
  EXPECT_EQ(run(10), start * 10);
}

TEST(ControlFlowModels, Loops_InLoops) {
  const fs::path path = TestData("nested_while.bin");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  // While x = x * x: while x = x * x: x = x + x. (0 would never end.)
  for (const auto& [x, want] :
       {std::pair{1.0f, 2.0f}, {2.0f, 2.0f}, {-1.5f, -1.5f}}) {
    const std::vector<float> data = {x};
    const TensorView view = View(Shape(), data);
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ(*(*out)[0].as<float>(), want);
  }
}

TEST(ControlFlowModels, Loops_ForwardStrings) {
  const fs::path path = TestData("while_op_with_forwarding_input.bin");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  for (const int32_t iterations : {0, 1, 7}) {
    const std::vector<int32_t> count = {iterations};
    const Strings text({1}, {"a string that goes around"});
    const TensorView views[] = {View(ElementType::kInt32, {1}, count),
                                text.view()};
    auto out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    ASSERT_EQ(out->size(), 3u);
    EXPECT_EQ((*out)[2].shape, (Shape{1}));
    EXPECT_EQ(StringAt((*out)[2], 0), "a string that goes around");
    // A counter, and one step more than that.
    const int32_t counted = *(*out)[0].as<int32_t>();
    EXPECT_GE(counted, iterations);
  }
}

TEST(ControlFlowModels, Strings_PassThrough) {
  const fs::path path = TestData("string_input_model_with_signature.bin");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  const Strings text({1, 3}, {"one", "", "three"});
  auto out = session->Run({&text.view(), 1});
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ(StringAt((*out)[0], 0), "one");
  EXPECT_EQ(StringAt((*out)[0], 2), "three");
}

TEST(ControlFlowModels, Shapes_Dynamic) {
  const fs::path path = TestData("dynamic_shapes.bin");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  const std::vector<float> x(8 * 42 * 1024, 0.5f), y(90 * 1024, 0.25f);
  for (const float z : {3.0f, 1.0f, 8.0f}) {
    const std::vector<float> scalar = {z};
    const TensorView views[] = {View({8, 42, 1024}, x), View({1, 90, 1024}, y),
                                View({1, 1}, scalar)};
    auto out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape.back(), 1024);
    for (const float f : Values<float>((*out)[0]))
      ASSERT_TRUE(std::isfinite(f));
  }
}

TEST(ControlFlowModels, Composites_RunTheirDecomposition) {
  const fs::path path = Small("l2_norm_composite.tflite");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  // x / sqrt(sum of squares + a little) along one axis.
  const Shape shape = session->inputs()[0].shape;
  ASSERT_TRUE(shape.is_static());
  std::vector<float> data(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>(i % 7) - 3.0f;
  const TensorView view = View(shape, data);
  auto out = session->Run({&view, 1});
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, shape);
  const std::vector<float> got = Values<float>((*out)[0]);
  // Every element is scaled by a positive number that is the same in a row.
  double squares = 0.0;
  for (const float f : got) squares += double{f} * f;
  EXPECT_NEAR(squares, std::round(squares), 1e-3);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_GE(got[i] * data[i], 0.0f);
}

TEST(ControlFlowModels, Shapes_DataDependent) {
  const fs::path path = Small("simple_topk_op_runtime_k.tflite");
  if (!fs::exists(path)) GTEST_SKIP();
  const auto session = Load(path);
  ASSERT_NE(session, nullptr);
  ASSERT_EQ(session->inputs().size(), 2u);
  const size_t of = session->inputs()[0].type == ElementType::kInt32 ? 1 : 0;
  const Shape shape = session->inputs()[of].shape;
  std::vector<float> data(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>((i * 7) % data.size());
  for (const int32_t k : {1, 2, 1}) {
    const std::vector<int32_t> count = {k};
    TensorView views[2];
    views[of] = View(shape, data);
    views[1 - of] =
        View(ElementType::kInt32, session->inputs()[1 - of].shape, count);
    auto out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape.back(), k);
  }
}

}  // namespace
}  // namespace munja::conformance
