// Each field of an options struct changes something that a caller sees: here
// those of sessions, of quantizing and of calibration data.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/sanitizers.h"
#include "capi/testing.h"
#include "graph/graph.h"
#include "kernels/gemm/half_gemm.h"
#include "munja/delegates.h"
#include "munja/ocr.h"
#include "munja/operators.h"
#include "munja/runtime.h"
#include "munja/workshop.h"
#include "tflite/write.h"

namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

// ThreadSanitizer brings an operator new of its own.
#if MUNJA_THREAD_SANITIZED
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
// Counts for the whole test binary; only differences are looked at.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  void* p = std::malloc(bytes > 0 ? bytes : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new(size_t bytes,
                                     const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
#endif

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

template <class T, void (*kFree)(T*)>
struct Freer {
  void operator()(T* p) const { kFree(p); }
};
using Model =
    std::unique_ptr<munja_model, Freer<munja_model, munja_model_free>>;
using Session =
    std::unique_ptr<munja_session, Freer<munja_session, munja_session_free>>;

graph::ValueId Add(graph::Subgraph& g, const char* name, Shape shape,
                   const std::vector<float>& data = {}) {
  graph::Value value;
  value.name = name;
  value.shape = std::move(shape);
  if (!data.empty()) {
    std::vector<uint8_t> bytes(4 * data.size());
    std::memcpy(bytes.data(), data.data(), bytes.size());
    value.constant = graph::MakeConstant(std::move(bytes));
  }
  return g.AddValue(value);
}

void AddNode(graph::Subgraph& g, const char* op,
             std::vector<graph::ValueId> inputs, graph::ValueId output) {
  graph::Node& node = g.nodes.emplace_back();
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = {output};
}

constexpr int kIn = 48, kClasses = 64;

// "main": softmax(relu(x * w + b)); "negated": -x.
Model MakeModel() {
  graph::Graph graph;
  graph.subgraphs.resize(2);
  graph::Subgraph& main = graph.main();
  std::vector<float> weights, bias(kClasses, 0.3f);
  for (int i = 0; i < kIn * kClasses; ++i)
    weights.push_back(static_cast<float>((i * 37) % 101) / 101 - 0.5f);
  const auto x = Add(main, "x", {kDynamic, kIn});
  const auto w = Add(main, "w", {kClasses, kIn}, weights);
  const auto b = Add(main, "b", {kClasses}, bias);
  const auto h = Add(main, "h", {kDynamic, kClasses});
  const auto r = Add(main, "r", {kDynamic, kClasses});
  const auto y = Add(main, "y", {kDynamic, kClasses});
  AddNode(main, "FULLY_CONNECTED", {x, w, b}, h);
  AddNode(main, "RELU", {h}, r);
  AddNode(main, "SOFTMAX", {r}, y);
  main.nodes.back().attributes.Set("beta", 1.0);
  main.inputs = {x};
  main.outputs = {y};
  graph::Subgraph& other = graph.subgraphs[1];
  const auto in = Add(other, "in", {kDynamic, kIn});
  const auto out = Add(other, "out", {kDynamic, kIn});
  AddNode(other, "NEG", {in}, out);
  other.inputs = {in};
  other.outputs = {out};
  graph.signatures = {{"main", 0, {{"x", x}}, {{"y", y}}},
                      {"negated", 1, {{"x", in}}, {{"y", out}}}};
  const auto bytes = tflite::Write(graph);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  munja_model* model = nullptr;
  EXPECT_EQ(munja_model_load_bytes(bytes->data(), bytes->size(), &model),
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
    input.type = MUNJA_FLOAT32;
    input.rank = 2;
    input.dims[0] = rows;
    input.dims[1] = kIn;
    input.data = x.data();
    input.bytes = 4 * x.size();
    EXPECT_EQ(munja_session_run(session, &input, 1), MUNJA_OK)
        << munja_last_error();
    munja_tensor result = {};
    EXPECT_EQ(munja_session_result(session, 0, &result), MUNJA_OK);
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

TEST_F(SessionOptions, EachFieldChangesSomething) {
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
      {"use_reference",
       [&] {
         o_.use_reference = 1;
         // Sums in double: the same but for the last bits.
         const std::vector<float> slow = RunNew();
         EXPECT_NE(slow, result);
         for (size_t i = 0; i < slow.size(); ++i)
           EXPECT_NEAR(slow[i], result[i], 1e-6f);
       }},
      {"skip_passes",
       [&] {
         o_.skip_passes = 1;
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
         o_.precision = MUNJA_PRECISION_REDUCED;
         const bool has_halves =
             kernels::HalfFormatInUse() != kernels::HalfFormat::kNone;
         EXPECT_EQ(RunNew() != result, has_halves);
         o_.precision = MUNJA_PRECISION_DIRECT;
         EXPECT_EQ(RunNew(), result);  // No layer has enough channels.
         o_.precision = static_cast<munja_precision>(7);
         EXPECT_EQ(Create(), nullptr);
         o_.precision = MUNJA_PRECISION_AUTO;  // Of engines alone.
         EXPECT_EQ(Create(), nullptr);
       }},
      {"best_classes",
       [&] {
         o_.best_classes = 1;
         RunNew();
         EXPECT_EQ(width_, 2);
         o_.best_classes = 3;
         RunNew();
         EXPECT_EQ(width_, 6);
         for (const int32_t wrong : {-1, 6}) {
           o_.best_classes = wrong;
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
         callbacks.judge = [](void* user, munja_op_context*) {
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
  std::map<std::string, std::function<void()>> alone;
  for (const auto& named : rows) {
    const std::string& field = named.first;
    const std::function<void()>& row = named.second;
    alone[field] = [&, this] {
      o_ = plain;
      row();
    };
  }
  CheckAll("runtime.h", "munja_session_options", alone);
}

// A caller built with older headers has a shorter struct: what lies behind it
// is not read.
TEST_F(SessionOptions, FieldsBehindTheStructAreNotRead) {
  o_.threads = 1;
  o_.best_classes = 1;
  RunNew();
  EXPECT_EQ(width_, 2);
  o_.struct_size = offsetof(munja_session_options, best_classes);
  RunNew();
  EXPECT_EQ(width_, kClasses);
  o_.struct_size = 0;
  EXPECT_EQ(Create(), nullptr);
}

// A fork runs the signature of its session, by the signature's names.
TEST_F(SessionOptions, AForkHasTheSignature) {
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

TEST_F(SessionOptions, AFailedRunLeavesNoResults) {
  const Session session = Create();
  Run(session.get());
  EXPECT_EQ(munja_session_run(session.get(), nullptr, 0),
            MUNJA_INVALID_ARGUMENT);
  munja_tensor result = {};
  EXPECT_EQ(munja_session_result(session.get(), 0, &result),
            MUNJA_INVALID_ARGUMENT);
}

// a + 2 b, by the names of the inputs in any order; each of them once.
TEST(RunNamed, EachInputIsGivenOnce) {
  graph::Graph graph;
  graph.subgraphs.resize(1);
  graph::Subgraph& main = graph.main();
  const auto a = Add(main, "a", {1}), b = Add(main, "b", {1});
  const auto twice = Add(main, "twice", {1}), sum = Add(main, "sum", {1});
  AddNode(main, "ADD", {b, b}, twice);
  AddNode(main, "ADD", {a, twice}, sum);
  main.inputs = {a, b};
  main.outputs = {sum};
  const auto bytes = tflite::Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  munja_model* loaded = nullptr;
  ASSERT_EQ(munja_model_load_bytes(bytes->data(), bytes->size(), &loaded),
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
    EXPECT_EQ(munja_session_result(created, 0, &tensor), MUNJA_OK);
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

// softmax(conv(relu(conv(x)))) of pictures of any size.
std::vector<uint8_t> SmallNetwork() {
  graph::Graph graph;
  graph.subgraphs.resize(1);
  graph::Subgraph& g = graph.main();
  const auto numbers = [](int count, int step) {
    std::vector<float> v;
    for (int i = 0; i < count; ++i)
      v.push_back(static_cast<float>((i * step) % 101) / 101 - 0.5f);
    return v;
  };
  const auto conv = [&](graph::ValueId x, int in, const char* name) {
    const std::string text = name;
    const auto w =
        Add(g, (text + "_w").c_str(), {8, 3, 3, in}, numbers(8 * 9 * in, 37));
    const auto b = Add(g, (text + "_b").c_str(), {8}, numbers(8, 53));
    const auto y = Add(g, name, {1, kDynamic, kDynamic, 8});
    AddNode(g, "CONV_2D", {x, w, b}, y);
    graph::Attributes& a = g.nodes.back().attributes;
    a.Set("padding", std::string("SAME"));
    for (const char* stride : {"stride_h", "stride_w"})
      a.Set(stride, int64_t{1});
    return y;
  };
  const auto x = Add(g, "x", {1, kDynamic, kDynamic, 3});
  const auto first = conv(x, 3, "first");
  const auto r = Add(g, "r", {1, kDynamic, kDynamic, 8});
  AddNode(g, "RELU", {first}, r);
  const auto last = conv(r, 8, "last");
  const auto y = Add(g, "y", {1, kDynamic, kDynamic, 8});
  AddNode(g, "SOFTMAX", {last}, y);
  g.nodes.back().attributes.Set("beta", 1.0);
  g.inputs = {x};
  g.outputs = {y};
  const auto bytes = tflite::Write(graph);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? *bytes : std::vector<uint8_t>();
}

class Quantizing : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    ASSERT_TRUE(WriteFile(model_, SmallNetwork()).ok());
    std::string noise = "P6 64 64 255\n";
    uint32_t state = 1;
    for (int i = 0; i < 3 * 64 * 64; ++i) {
      state = state * 1664525u + 1013904223u;
      noise += static_cast<char>(state >> 24);
    }
    ASSERT_TRUE(WriteFile(noise_, noise).ok());
    // Dark bars on a page that gets darker.
    std::string bars = "P6 160 96 255\n";
    for (int y = 0; y < 96; ++y) {
      for (int x = 0; x < 160; ++x) {
        const bool is_bar = y % 32 > 12 && y % 32 < 22 && x > 20 && x < 130;
        for (int c = 0; c < 3; ++c)
          bars += static_cast<char>(is_bar ? 30 + 20 * c : 250 - x / 2 - y / 3);
      }
    }
    ASSERT_TRUE(WriteFile(picture_, bars).ok());
    c_.struct_size = sizeof c_;
    o_.struct_size = sizeof o_;
    o_.threads = 1;
    o_.max_changed = 1;  // Whatever comes.
    Show({picture_});
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Show(std::vector<std::string> pictures) {
    pictures_ = std::move(pictures);
    paths_.clear();
    for (const std::string& p : pictures_) paths_.push_back(p.c_str());
    c_.pictures = paths_.data();
    c_.picture_count = static_cast<int32_t>(paths_.size());
  }
  // The model that is made, empty when it is none.
  std::string Quantize(const char* role = "detector") {
    fs::remove(output_);
    char* report = nullptr;
    status_ =
        munja_quantize(MUNJA_SOURCE_DIR "/models/default", role, model_.c_str(),
                       &c_, &o_, output_.c_str(), &report);
    report_ = report != nullptr ? report : "";
    munja_free(report);
    if (status_ != MUNJA_OK) return "";
    const auto bytes = ReadFile(output_, 1 << 24);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
  }
  std::string Samples(const char* role) {
    EXPECT_NE(Quantize(role), "") << munja_last_error();
    const size_t at = report_.find("\"samples\":");
    return report_.substr(at, report_.find(',', at) - at);
  }

  const std::string folder_ =
      ::testing::TempDir() + "/munja_options_" + std::to_string(getpid());
  const std::string model_ = folder_ + "/small.tflite",
                    output_ = folder_ + "/out.tflite",
                    noise_ = folder_ + "/noise.ppm";
  const std::string picture_ = folder_ + "/bars.ppm";
  std::vector<std::string> pictures_;
  std::vector<const char*> paths_;
  munja_calibration c_ = {};
  munja_quantize_options o_ = {};
  munja_status status_ = MUNJA_OK;
  std::string report_;
};

TEST_F(Quantizing, EachFieldChangesSomething) {
  const munja_quantize_options plain = o_;
  const std::string made = Quantize();
  ASSERT_NE(made, "") << munja_last_error();
  ASSERT_TRUE(Quantize() == made);
  const char* const keep[] = {"last*"};
  // A field alone makes another model.
  const auto set = [&](auto field, auto value) {
    return [this, &made, field, value] {
      o_.*field = value;
      const std::string other = Quantize();
      EXPECT_NE(other, "") << munja_last_error();
      EXPECT_TRUE(other != made) << "the same model";
    };
  };
  using O = munja_quantize_options;
  const std::map<std::string, std::function<void()>> rows = {
      {"mode", set(&O::mode, "weights")},
      {"range", set(&O::range, "minmax")},
      {"percentile",
       [&] {
         o_.range = "percentile";
         const std::string usual = Quantize();
         o_.percentile = 60;
         EXPECT_TRUE(Quantize() != usual);
       }},
      {"skip_equalization", set(&O::skip_equalization, 1)},
      {"nearest_rounding", set(&O::nearest_rounding, 1)},
      {"skip_bias_correction", set(&O::skip_bias_correction, 1)},
      // Of integer layers without an activation, as logits in integers are.
      {"skip_bias_tuning",
       [&] {
         o_.integer_logits = 1;
         const std::string usual = Quantize();
         o_.skip_bias_tuning = 1;
         EXPECT_TRUE(Quantize() != usual);
       }},
      {"integer_io", set(&O::integer_io, 1)},
      {"integer_logits", set(&O::integer_logits, 1)},
      {"keep",
       [&] {
         o_.keep = keep;
         EXPECT_TRUE(Quantize() == made);  // None of them counts.
         o_.keep_count = 1;
         EXPECT_TRUE(Quantize() != made);
         o_.keep = nullptr;
         EXPECT_EQ(Quantize(), "");
       }},
      {"keep_count", [] {}},  // With the names.
      {"kept",
       [&] {
         o_.keep = keep;
         o_.keep_count = 1;
         const std::string in_float = Quantize();
         o_.kept = "int16x8";
         const std::string other = Quantize();
         EXPECT_NE(other, "") << munja_last_error();
         EXPECT_TRUE(other != in_float);
       }},
      {"max_loss", set(&O::max_loss, 1e-12)},
      {"max_changed",
       [&] {
         o_.max_changed = 2;
         EXPECT_EQ(Quantize(), "");
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"allow_noise",
       [&] {
         Show({noise_});
         EXPECT_EQ(Quantize(), "");
         o_.allow_noise = 1;
         EXPECT_NE(Quantize(), "") << munja_last_error();
         Show({picture_});
       }},
      {"threads",
       [&] {
         o_.threads = 3;
         EXPECT_TRUE(Quantize() == made);
         o_.threads = -1;
         EXPECT_EQ(Quantize(), "");
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         munja_control* control = nullptr;
         ASSERT_EQ(munja_control_create(nullptr, &control), MUNJA_OK);
         munja_control_cancel(control);
         o_.control = control;
         EXPECT_EQ(Quantize(), "");
         EXPECT_EQ(status_, MUNJA_CANCELLED);
         munja_control_free(control);
       }},
      {"keep_float",
       [&] {
         // Of bundles: an engine then reads with both.
         o_.keep_float = 1;
         EXPECT_EQ(Quantize(), "");
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         const std::string folder = folder_ + "/both";
         o_.mode = "weights";
         ASSERT_EQ(munja_quantize_bundle(MUNJA_SOURCE_DIR "/models/default",
                                         nullptr, &o_, folder.c_str(), nullptr),
                   MUNJA_OK)
             << munja_last_error();
         EXPECT_EQ(munja_models_verify(folder.c_str()), MUNJA_OK);
         munja_engine_options engine_options = {};
         engine_options.struct_size = sizeof engine_options;
         engine_options.model = folder.c_str();
         engine_options.precision = MUNJA_PRECISION_AUTO;
         munja_engine* engine = nullptr;
         EXPECT_EQ(munja_engine_create(&engine_options, &engine), MUNJA_OK)
             << munja_last_error();
         munja_engine_free(engine);
       }},
  };
  std::map<std::string, std::function<void()>> alone;
  for (const auto& named : rows) {
    const std::string& field = named.first;
    const std::function<void()>& row = named.second;
    alone[field] = [&, this] {
      o_ = plain;
      row();
    };
  }
  CheckAll("workshop.h", "munja_quantize_options", alone);
}

TEST_F(Quantizing, EachFieldOfTheCalibrationChangesSomething) {
  const munja_calibration plain = c_;
  const std::map<std::string, std::function<void()>> rows = {
      {"pictures",
       [&] {
         Show({folder_ + "/absent.png"});
         EXPECT_EQ(Quantize(), "");
         Show({picture_});
       }},
      {"picture_count",
       [&] {
         Show({picture_, picture_});
         EXPECT_EQ(Samples("detector"), "\"samples\":2");
         c_.picture_count = 1;
         EXPECT_EQ(Samples("detector"), "\"samples\":1");
       }},
      {"are_lines",
       [&] {
         c_.are_lines = 1;
         EXPECT_EQ(Quantize(), "");  // The detector is given nothing.
         EXPECT_NE(Quantize("recognizer"), "") << munja_last_error();
       }},
      {"max_pages",
       [&] {
         Show({picture_, picture_, picture_});
         c_.max_pages = 2;
         EXPECT_EQ(Samples("detector"), "\"samples\":2");
       }},
      {"max_lines",
       [&] {
         Show({picture_, picture_, picture_});
         c_.are_lines = 1;
         c_.max_lines = 2;
         EXPECT_EQ(Samples("recognizer"), "\"samples\":2");
       }},
  };
  std::map<std::string, std::function<void()>> alone;
  for (const auto& named : rows) {
    const std::string& field = named.first;
    const std::function<void()>& row = named.second;
    alone[field] = [&, this] {
      Show({picture_});
      c_.are_lines = plain.are_lines;
      c_.max_pages = plain.max_pages;
      c_.max_lines = plain.max_lines;
      row();
    };
  }
  CheckAll("workshop.h", "munja_calibration", alone);
}

}  // namespace
}  // namespace munja::capi
