// Each field of an options struct changes something that a caller sees: here
// those of sessions.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capi/tools/testing.h"
#include "kernels/gemm/half_gemm.h"
#include "munja/delegates.h"
#include "munja/operators.h"
#include "munja/runtime.h"
#include "tests/counted_allocations.h"
#include "tflite/write.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

template <class T, void (*kFree)(T*)>
struct Freer {
  void operator()(T* p) const { kFree(p); }
};
using Model =
    std::unique_ptr<munja_network, Freer<munja_network, munja_network_free>>;
using Session =
    std::unique_ptr<munja_session, Freer<munja_session, munja_session_free>>;

constexpr int kIn = 48, kClasses = 64;

// "main": softmax(relu(x * w + b)); "negated": -x.
Model MakeModel() {
  graph::Graph graph;
  graph.subgraphs.resize(2);
  graph::Subgraph& main = graph.main();
  std::vector<float> weights, bias(kClasses, 0.3f);
  for (int i = 0; i < kIn * kClasses; ++i)
    weights.push_back(static_cast<float>((i * 37) % 101) / 101 - 0.5f);
  const auto x = AddValue(main, "x", {kDynamic, kIn});
  const auto w = AddValue(main, "w", {kClasses, kIn}, weights);
  const auto b = AddValue(main, "b", {kClasses}, bias);
  const auto h = AddValue(main, "h", {kDynamic, kClasses});
  const auto r = AddValue(main, "r", {kDynamic, kClasses});
  const auto y = AddValue(main, "y", {kDynamic, kClasses});
  AddNode(main, "FULLY_CONNECTED", {x, w, b}, h);
  AddNode(main, "RELU", {h}, r);
  AddNode(main, "SOFTMAX", {r}, y);
  main.nodes.back().attributes.Set("beta", 1.0);
  main.inputs = {x};
  main.outputs = {y};
  graph::Subgraph& other = graph.subgraphs[1];
  const auto in = AddValue(other, "in", {kDynamic, kIn});
  const auto out = AddValue(other, "out", {kDynamic, kIn});
  AddNode(other, "NEG", {in}, out);
  other.inputs = {in};
  other.outputs = {out};
  graph.signatures = {{"main", 0, {{"x", x}}, {{"y", y}}},
                      {"negated", 1, {{"x", in}}, {{"y", out}}}};
  const auto bytes = tflite::Write(graph);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  munja_network* model = nullptr;
  EXPECT_EQ(munja_network_load_bytes(bytes->data(), bytes->size(), &model),
            MUNJA_OK)
      << munja_last_error();
  return Model(model);
}

class SessionOptions : public ::testing::Test {
 protected:
  SessionOptions() { o_.struct_size = sizeof o_; }
  Session Create() {
    munja_session* session = nullptr;
    status_ = munja_session_create(model_.get(), &o_, &session);
    return Session(session);
  }
  // The result for so many rows; its last size goes to width_.
  std::vector<float> Run(munja_session* session, int rows = 3) {
    EXPECT_NE(session, nullptr) << munja_last_error();
    if (session == nullptr) return {};
    std::vector<float> x;
    for (int i = 0; i < rows * kIn; ++i)
      x.push_back(static_cast<float>((i * 29) % 97) / 31 - 1.5f);
    munja_tensor input = {};
    input.type = MUNJA_TYPE_FLOAT32;
    input.rank = 2;
    input.dims[0] = rows;
    input.dims[1] = kIn;
    input.data = x.data();
    input.bytes = 4 * x.size();
    EXPECT_EQ(munja_session_run(session, &input, 1), MUNJA_OK)
        << munja_last_error();
    munja_tensor result = {};
    EXPECT_EQ(munja_session_output_tensor(session, 0, &result), MUNJA_OK);
    width_ = result.dims[result.rank - 1];
    const auto* y = static_cast<const float*>(result.data);
    return {y, y + result.bytes / 4};
  }
  std::vector<float> RunNew() { return Run(Create().get()); }
  // Heap allocations of a run when two shapes take turns.
  int64_t AllocationsOfTurns() {
    const Session session = Create();
    for (int i = 0; i < 4; ++i) Run(session.get(), 2 + i % 2);
    const int64_t before = allocations;
    for (int i = 0; i < 4; ++i) Run(session.get(), 2 + i % 2);
    return allocations - before;
  }
  static ptrdiff_t Threads() {
    return std::distance(fs::directory_iterator("/proc/self/task"), {});
  }

  const Model model_ = MakeModel();
  munja_session_options o_ = {};
  munja_status status_ = MUNJA_OK;
  int32_t width_ = 0;
};

TEST_F(SessionOptions, EachField_ChangesSomething) {
  o_.threads = 1;
  const munja_session_options plain = o_;
  const std::vector<float> result = RunNew();
  ASSERT_EQ(result.size(), 3u * kClasses);
  const auto rows_of_profile = [&] {
    o_.profile = 1;
    const Session session = Create();
    Run(session.get());
    return munja_session_profile(session.get());
  };
  const int32_t profile_rows = rows_of_profile();
  const std::map<std::string, std::function<void()>> rows = {
      {"threads",
       [&] {
         const Session one = Create();
         const ptrdiff_t before = Threads();
         o_.threads = 3;
         const Session three = Create();
         EXPECT_EQ(Run(three.get()), result);
         EXPECT_EQ(Threads(), before + 2);
         o_.threads = -1;
         EXPECT_EQ(Create(), nullptr);
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"max_plans",
       [&] {
         o_.max_plans = 2;
         const int64_t of_two = AllocationsOfTurns();
         o_.max_plans = 1;
         const int64_t of_one = AllocationsOfTurns();
         if (kCountsAllocations) {
           EXPECT_GT(of_one, of_two + 4);
         }
         o_.max_plans = -1;
         EXPECT_EQ(Create(), nullptr);
       }},
      {"profile",
       [&] {
         const Session session = Create();
         Run(session.get());
         EXPECT_EQ(munja_session_profile(session.get()), 0);
         EXPECT_GT(profile_rows, 0);
       }},
      {"reference_kernels",
       [&] {
         o_.reference_kernels = 1;
         // Sums in double: the same but for the last bits.
         const std::vector<float> slow = RunNew();
         EXPECT_NE(slow, result);
         for (size_t i = 0; i < slow.size(); ++i)
           EXPECT_NEAR(slow[i], result[i], 1e-6f);
       }},
      {"disable_optimizations",
       [&] {
         o_.disable_optimizations = 1;
         EXPECT_GT(rows_of_profile(), profile_rows);
       }},
      {"resolver",
       [&] {
         munja_resolver* resolver = nullptr;
         ASSERT_EQ(munja_resolver_create_empty(&resolver), MUNJA_OK);
         o_.resolver = resolver;
         EXPECT_EQ(Create(), nullptr);
         EXPECT_EQ(status_, MUNJA_UNSUPPORTED);
         munja_resolver_free(resolver);
       }},
      {"signature",
       [&] {
         o_.signature = "negated";
         RunNew();
         EXPECT_EQ(width_, kIn);
         o_.signature = "absent";
         EXPECT_EQ(Create(), nullptr);
         EXPECT_EQ(status_, MUNJA_NOT_FOUND);
       }},
      {"precision",
       [&] {
         o_.precision = MUNJA_PRECISION_FLOAT16;
         const bool has_halves =
             kernels::HalfTypeInUse() != ElementType::kFloat32;
         EXPECT_EQ(RunNew() != result, has_halves);
         o_.precision = static_cast<munja_precision>(7);
         EXPECT_EQ(Create(), nullptr);
         o_.precision = MUNJA_PRECISION_MIXED;  // For engines only.
         EXPECT_EQ(Create(), nullptr);
         o_.precision = MUNJA_PRECISION_FLOAT32;
         EXPECT_EQ(RunNew(), result);
       }},
      {"no_winograd",
       [&] {
         o_.no_winograd = 1;
         EXPECT_EQ(RunNew(), result);  // No layer has enough channels.
         o_.precision = MUNJA_PRECISION_FLOAT16;
         EXPECT_EQ(Create(), nullptr);
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"top_k",
       [&] {
         o_.top_k = 1;
         RunNew();
         EXPECT_EQ(width_, 2);
         o_.top_k = 3;
         RunNew();
         EXPECT_EQ(width_, 6);
         for (const int32_t wrong : {-1, 6}) {
           o_.top_k = wrong;
           EXPECT_EQ(Create(), nullptr);
         }
       }},
      {"delegates",
       [&] {
         int judged = 0;
         munja_delegate_callbacks callbacks = {};
         callbacks.struct_size = sizeof callbacks;
         callbacks.name = "counts";
         callbacks.user = &judged;
         callbacks.check_support = [](void* user, munja_op_context*) {
           ++*static_cast<int*>(user);
           return MUNJA_UNSUPPORTED;
         };
         callbacks.compile = [](void*, munja_partition*, munja_operator*) {
           return MUNJA_UNSUPPORTED;
         };
         munja_delegate* delegate = nullptr;
         ASSERT_EQ(munja_delegate_define(&callbacks, &delegate), MUNJA_OK);
         o_.delegates = &delegate;
         RunNew();
         EXPECT_EQ(judged, 0);  // None of them counts.
         o_.delegate_count = 1;
         EXPECT_EQ(RunNew(), result);
         EXPECT_GT(judged, 0);
         o_.delegates = nullptr;
         EXPECT_EQ(Create(), nullptr);
         munja_delegate_free(delegate);
       }},
      {"delegate_count", [] {}},  // With the delegates.
      {"control",
       [&] {
         munja_control* control = nullptr;
         ASSERT_EQ(munja_control_create(nullptr, &control), MUNJA_OK);
         o_.control = control;
         EXPECT_EQ(RunNew(), result);
         munja_control_cancel(control);
         EXPECT_EQ(Create(), nullptr);
         EXPECT_EQ(status_, MUNJA_CANCELLED);
         munja_control_free(control);
       }},
  };
  CheckAll("runtime.h", "munja_session_options", rows, [&] { o_ = plain; });
}

// A caller built with older headers has a shorter struct: what lies behind it
// is not read.
TEST_F(SessionOptions, FieldsBehindTheStruct_AreNotRead) {
  o_.threads = 1;
  o_.top_k = 1;
  RunNew();
  EXPECT_EQ(width_, 2);
  o_.struct_size = offsetof(munja_session_options, top_k);
  RunNew();
  EXPECT_EQ(width_, kClasses);
  o_.struct_size = 0;
  EXPECT_EQ(Create(), nullptr);
}

// A fork runs the signature of its session, by the signature's names.
TEST_F(SessionOptions, Fork_HasTheSignature) {
  o_.signature = "negated";
  const Session session = Create();
  ASSERT_NE(session, nullptr);
  munja_session* raw = nullptr;
  ASSERT_EQ(munja_session_fork(session.get(), 1, &raw), MUNJA_OK);
  const Session fork(raw);
  int32_t index = -1;
  EXPECT_EQ(munja_session_find_input(fork.get(), "x", &index), MUNJA_OK);
  EXPECT_EQ(index, 0);
  EXPECT_EQ(munja_session_find_output(fork.get(), "y", &index), MUNJA_OK);
  Run(fork.get());
  EXPECT_EQ(width_, kIn);
}

TEST_F(SessionOptions, FailedRun_LeavesNoResults) {
  const Session session = Create();
  Run(session.get());
  EXPECT_EQ(munja_session_run(session.get(), nullptr, 0),
            MUNJA_INVALID_ARGUMENT);
  munja_tensor result = {};
  EXPECT_EQ(munja_session_output_tensor(session.get(), 0, &result),
            MUNJA_INVALID_ARGUMENT);
}

// a + 2 b, by the names of the inputs in any order; each of them once.
TEST(RunNamed, EachInput_IsGivenOnce) {
  graph::Graph graph;
  graph.subgraphs.resize(1);
  graph::Subgraph& main = graph.main();
  const auto a = AddValue(main, "a", {1}), b = AddValue(main, "b", {1});
  const auto twice = AddValue(main, "twice", {1}),
             sum = AddValue(main, "sum", {1});
  AddNode(main, "ADD", {b, b}, twice);
  AddNode(main, "ADD", {a, twice}, sum);
  main.inputs = {a, b};
  main.outputs = {sum};
  const auto bytes = tflite::Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  munja_network* loaded = nullptr;
  ASSERT_EQ(munja_network_load_bytes(bytes->data(), bytes->size(), &loaded),
            MUNJA_OK);
  const Model model(loaded);
  munja_session* created = nullptr;
  ASSERT_EQ(munja_session_create(model.get(), nullptr, &created), MUNJA_OK);
  const Session session(created);
  float values[] = {1, 10};
  munja_tensor tensors[2] = {};
  for (int i = 0; i < 2; ++i) {
    tensors[i].rank = tensors[i].dims[0] = 1;
    tensors[i].data = &values[i];
    tensors[i].bytes = sizeof(float);
  }
  const auto run = [&](const char* first, const char* second) {
    const char* names[] = {first, second};
    return munja_session_run_named(created, names, tensors, 2);
  };
  const auto result = [&] {
    munja_tensor tensor = {};
    EXPECT_EQ(munja_session_output_tensor(created, 0, &tensor), MUNJA_OK);
    return *static_cast<const float*>(tensor.data);
  };
  ASSERT_EQ(run("a", "b"), MUNJA_OK) << munja_last_error();
  EXPECT_EQ(result(), 21);
  ASSERT_EQ(run("b", "a"), MUNJA_OK) << munja_last_error();
  EXPECT_EQ(result(), 12);
  EXPECT_EQ(run("b", "b"), MUNJA_INVALID_ARGUMENT);
  EXPECT_STREQ(munja_last_error(), "input 'b' is given twice");
  EXPECT_EQ(run("a", "c"), MUNJA_NOT_FOUND);
}

}  // namespace
}  // namespace munja::capi
