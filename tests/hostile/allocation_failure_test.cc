// Every allocation that loading, planning and running a model makes fails once:
// each time there is an error, nothing leaks, and what can be used again works.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "failing_allocator.h"
#include "graph/graph.h"
#include "munja/delegates.h"
#include "munja/ocr.h"
#include "munja/operators.h"
#include "munja/runtime.h"
#include "tflite/write.h"

namespace munja::hostile {
namespace {

using graph::Graph;
using graph::Node;
using graph::Subgraph;
using graph::ValueId;

ValueId Add(Subgraph& sub, ElementType type, Shape shape) {
  graph::Value value;
  value.name = "t" + std::to_string(sub.values.size());
  value.type = type;
  value.shape = shape;
  return sub.AddValue(std::move(value));
}

template <class T>
ValueId Constant(Subgraph& sub, ElementType type, Shape shape,
                 std::vector<T> values) {
  const ValueId v = Add(sub, type, shape);
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  sub.values[v].constant = graph::MakeConstant(std::move(bytes));
  return v;
}

Node& AddNode(Subgraph& sub, const char* op, std::vector<ValueId> inputs,
              std::vector<ValueId> outputs) {
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  sub.nodes.push_back(std::move(node));
  return sub.nodes.back();
}

constexpr auto kFloat = ElementType::kFloat32;
constexpr auto kInt = ElementType::kInt32;

// The network has one float input of four elements, [1, 2, 2, 1].
Graph ConvolutionNet() {
  Graph graph;
  graph.subgraphs.resize(1);
  Subgraph& sub = graph.main();
  const Shape any{kDynamic, 2, 2, 1}, wide{kDynamic, 2, 2, 3};
  const ValueId x = Add(sub, kFloat, any);
  const ValueId w = Constant<float>(sub, kFloat, {3, 1, 1, 1}, {1, 2, 3});
  const ValueId b = Constant<float>(sub, kFloat, {3}, {0, 1, 0});
  const ValueId conv = Add(sub, kFloat, wide);
  Node& node = AddNode(sub, "CONV_2D", {x, w, b}, {conv});
  node.attributes.Set("stride_w", int64_t{1});
  node.attributes.Set("stride_h", int64_t{1});
  node.attributes.Set("dilation_w_factor", int64_t{1});
  node.attributes.Set("dilation_h_factor", int64_t{1});
  const ValueId one = Constant<float>(sub, kFloat, {1}, {1});
  const ValueId minus = Add(sub, kFloat, {1});
  AddNode(sub, "NEG", {one}, {minus});  // Folded.
  const ValueId sum = Add(sub, kFloat, wide);
  AddNode(sub, "MUL", {conv, minus}, {sum});
  const ValueId mean = Add(sub, kFloat, {kDynamic, 3});
  const ValueId axes = Constant<int32_t>(sub, kInt, {2}, {1, 2});
  AddNode(sub, "MEAN", {sum, axes}, {mean});
  const ValueId y = Add(sub, kFloat, {kDynamic, 3});
  AddNode(sub, "SOFTMAX", {mean}, {y}).attributes.Set("beta", 1.0);
  sub.inputs = {x};
  sub.outputs = {y};
  return graph;
}

// Doubles its input four times.
Graph Loop() {
  Graph graph;
  graph.subgraphs.resize(3);
  const Shape four{1, 2, 2, 1};
  for (const bool is_body : {false, true}) {
    Subgraph& sub = graph.subgraphs[is_body ? 2 : 1];
    const ValueId i = Add(sub, kInt, {}), x = Add(sub, kFloat, four);
    sub.inputs = {i, x};
    const ValueId number = Constant<int32_t>(sub, kInt, {}, {is_body ? 1 : 4});
    const ValueId out = Add(sub, is_body ? kInt : ElementType::kBool, {});
    AddNode(sub, is_body ? "ADD" : "LESS", {i, number}, {out});
    sub.outputs = {out};
    if (!is_body) continue;
    const ValueId y = Add(sub, kFloat, four);
    AddNode(sub, "ADD", {x, x}, {y});
    sub.outputs.push_back(y);
  }
  Subgraph& sub = graph.main();
  const ValueId x = Add(sub, kFloat, four);
  const ValueId zero = Constant<int32_t>(sub, kInt, {}, {0});
  const ValueId count = Add(sub, kInt, {}), y = Add(sub, kFloat, four);
  Node& loop = AddNode(sub, "WHILE", {zero, x}, {count, y});
  loop.attributes.Set("cond_subgraph_index", int64_t{1});
  loop.attributes.Set("body_subgraph_index", int64_t{2});
  sub.inputs = {x};
  sub.outputs = {y};
  return graph;
}

Graph Custom() {
  Graph graph;
  graph.subgraphs.resize(1);
  Subgraph& sub = graph.main();
  const Shape four{1, 2, 2, 1};
  const ValueId x = Add(sub, kFloat, four), y = Add(sub, kFloat, four);
  AddNode(sub, "Half", {x}, {y}).is_custom = true;
  sub.inputs = {x};
  sub.outputs = {y};
  return graph;
}

munja_status Half(void*, munja_op_context* context) {
  munja_tensor in, out;
  munja_status status = munja_op_input(context, 0, &in);
  if (status != MUNJA_OK) return munja_op_fail(context, status, "input");
  status = munja_op_output(context, 0, &out);
  if (status != MUNJA_OK) return munja_op_fail(context, status, "output");
  for (size_t i = 0; i < in.bytes / sizeof(float); ++i)
    static_cast<float*>(out.data)[i] =
        static_cast<const float*>(in.data)[i] / 2;
  return MUNJA_OK;
}

munja_status MakeResolver(munja_resolver** resolver) {
  munja_operator half = {};
  half.struct_size = sizeof half;
  half.name = "Half";
  half.eval = Half;
  munja_status status = munja_resolver_create(resolver);
  if (status == MUNJA_OK) status = munja_resolver_add(*resolver, &half);
  return status;
}

// A delegate for the MUL of ConvolutionNet, which negates.
munja_status MakeDelegate(munja_delegate** delegate) {
  munja_delegate_callbacks callbacks = {};
  callbacks.struct_size = sizeof callbacks;
  callbacks.name = "negate";
  callbacks.check_support = [](void*, munja_op_context* node) {
    return std::strcmp(munja_op_name(node), "MUL") == 0
               ? MUNJA_OK
               : munja_op_fail(node, MUNJA_UNSUPPORTED, "is no MUL");
  };
  callbacks.compile = [](void*, munja_partition*, munja_operator* kernel) {
    kernel->prepare = [](void*, munja_op_context* context) {
      munja_tensor in;
      const munja_status status = munja_op_input(context, 0, &in);
      if (status != MUNJA_OK) return munja_op_fail(context, status, "input");
      return munja_op_set_output_shape(context, 0, in.dims, in.rank);
    };
    kernel->eval = [](void*, munja_op_context* context) {
      munja_tensor in, out;
      munja_status status = munja_op_input(context, 0, &in);
      if (status == MUNJA_OK) status = munja_op_output(context, 0, &out);
      if (status != MUNJA_OK) return munja_op_fail(context, status, "tensors");
      for (size_t i = 0; i < in.bytes / sizeof(float); ++i)
        static_cast<float*>(out.data)[i] =
            -static_cast<const float*>(in.data)[i];
      return MUNJA_OK;
    };
    return MUNJA_OK;
  };
  return munja_delegate_define(&callbacks, delegate);
}

struct Setting {
  int32_t threads = 1;
  bool has_delegate = false;
};

// The objects that a program creates on its way to a result.
struct Objects {
  munja_resolver* resolver = nullptr;
  munja_network* model = nullptr;
  munja_delegate* delegate = nullptr;
  munja_session* session = nullptr;
  munja_session* fork = nullptr;

  ~Objects() {
    munja_session_free(fork);
    munja_session_free(session);
    munja_delegate_free(delegate);
    munja_network_free(model);
    munja_resolver_free(resolver);
  }
};

#define RETURN_IF_FAILED(call)                           \
  do {                                                   \
    const munja_status failed_status = (call);           \
    if (failed_status != MUNJA_OK) return failed_status; \
  } while (0)

// Everything a program does with a model, once. Gives the first error.
munja_status Use(const std::vector<uint8_t>& bytes, const Setting& setting,
                 const munja_tensor& input, Objects& o) {
  RETURN_IF_FAILED(MakeResolver(&o.resolver));
  RETURN_IF_FAILED(
      munja_network_load_bytes(bytes.data(), bytes.size(), &o.model));
  munja_op_use use = {};
  use.struct_size = sizeof use;
  RETURN_IF_FAILED(munja_network_op(o.model, o.resolver, 0, &use));
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = setting.threads;
  options.resolver = o.resolver;
  if (setting.has_delegate) {
    RETURN_IF_FAILED(MakeDelegate(&o.delegate));
    options.delegates = &o.delegate;
    options.delegate_count = 1;
  }
  options.profile = 1;
  RETURN_IF_FAILED(munja_session_create(o.model, &options, &o.session));
  RETURN_IF_FAILED(munja_session_plan(o.session, &input, 1));
  RETURN_IF_FAILED(munja_session_run(o.session, &input, 1));
  (void)munja_session_profile(o.session);
  RETURN_IF_FAILED(munja_session_fork(o.session, 1, &o.fork));
  RETURN_IF_FAILED(munja_session_run(o.fork, &input, 1));
  const char* const name = "t0";
  return munja_session_run_named(o.session, &name, &input, 1);
}

std::vector<float> ResultOf(munja_session* session) {
  munja_tensor output = {};
  EXPECT_EQ(munja_session_output_tensor(session, 0, &output), MUNJA_OK);
  const auto* const data = static_cast<const float*>(output.data);
  return {data, data + output.bytes / sizeof(float)};
}

// One try, in which allocation `number` fails. A session that met the failure
// has to work afterwards.
munja_status Try(const std::vector<uint8_t>& bytes, const Setting& setting,
                 int64_t number, bool* has_failed, std::vector<float>* result) {
  float data[] = {1, 2, 3, -4};
  munja_tensor input = {MUNJA_TYPE_FLOAT32, 4, {1, 2, 2, 1}, data, sizeof data};
  Objects objects;
  munja_status status;
  {
    const FailingAllocation failing(number);
    status = Use(bytes, setting, input, objects);
    *has_failed = failing.has_failed();
  }
  for (munja_session* session : {objects.session, objects.fork}) {
    if (session == nullptr) continue;
    EXPECT_EQ(munja_session_run(session, &input, 1), MUNJA_OK)
        << munja_last_error();
    *result = ResultOf(session);
  }
  return status;
}

void ExpectErrorsOnly(const Graph& graph, const Setting& setting) {
  const auto bytes = tflite::Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  bool has_failed = false;
  std::vector<float> expected;
  // The first use may fill tables that stay.
  ASSERT_EQ(Try(*bytes, setting, -1, &has_failed, &expected), MUNJA_OK)
      << munja_last_error();
  ASSERT_FALSE(expected.empty());
  int64_t number = 0, errors = 0;
  do {
    std::vector<float> result;
    result.reserve(expected.size());
    const int64_t before = LiveBlocks();
    const munja_status status =
        Try(*bytes, setting, number, &has_failed, &result);
    // The vector's memory may have changed hands, not its number of blocks.
    ASSERT_EQ(LiveBlocks(), before) << "allocation " << number << " leaks";
    ASSERT_TRUE(status == MUNJA_OK || status == MUNJA_OUT_OF_MEMORY)
        << "allocation " << number << ": " << munja_last_error();
    // A delegate that failed left its nodes to others, who round otherwise.
    const float tolerance = setting.has_delegate ? 1e-6f : 0.0f;
    ASSERT_TRUE(result.empty() || result.size() == expected.size());
    for (size_t i = 0; i < result.size(); ++i)
      ASSERT_NEAR(result[i], expected[i], tolerance) << number;
    errors += status != MUNJA_OK;
    ++number;
  } while (has_failed);
  // Parts that only improve speed may be left out without an error.
  EXPECT_GT(errors, number / 2);
  EXPECT_GT(number, 50);
}

TEST(AllocationFailureTest, ConvolutionNet_SurvivesEach) {
  for (const int threads : {1, 3})
    ExpectErrorsOnly(ConvolutionNet(), {.threads = threads});
}

TEST(AllocationFailureTest, Delegate_SurvivesEach) {
  ExpectErrorsOnly(ConvolutionNet(), {.has_delegate = true});
}

TEST(AllocationFailureTest, Loop_SurvivesEach) { ExpectErrorsOnly(Loop(), {}); }

TEST(AllocationFailureTest, CustomOperator_SurvivesEach) {
  ExpectErrorsOnly(Custom(), {});
}

// -- Reading a picture, on all threads --

// Five letters, drawn.
std::vector<uint8_t> Page(int32_t width, int32_t height) {
  constexpr int kScale = 5;
  constexpr uint8_t kHotel[][5] = {{0x7f, 0x08, 0x08, 0x08, 0x7f},
                                   {0x3e, 0x41, 0x41, 0x41, 0x3e},
                                   {0x01, 0x01, 0x7f, 0x01, 0x01},
                                   {0x7f, 0x49, 0x49, 0x49, 0x41},
                                   {0x7f, 0x40, 0x40, 0x40, 0x40}};
  std::vector<uint8_t> pixels(static_cast<size_t>(width) * height * 3, 245);
  for (const int top : {30, 110}) {
    for (int letter = 0; letter < 5; ++letter) {
      for (int y = 0; y < 7 * kScale; ++y) {
        for (int x = 0; x < 5 * kScale; ++x) {
          if ((kHotel[letter][x / kScale] >> (y / kScale) & 1) == 0) continue;
          const int column = 30 + letter * 7 * kScale + x;
          std::memset(
              &pixels[(static_cast<size_t>(top + y) * width + column) * 3], 20,
              3);
        }
      }
    }
  }
  return pixels;
}

// The same as a file.
std::vector<uint8_t> PageFile() {
  constexpr int32_t kWidth = 240, kHeight = 176;
  const std::string head =
      "P6 " + std::to_string(kWidth) + " " + std::to_string(kHeight) + " 255\n";
  std::vector<uint8_t> file(head.begin(), head.end());
  const std::vector<uint8_t> pixels = Page(kWidth, kHeight);
  file.insert(file.end(), pixels.begin(), pixels.end());
  return file;
}

munja_status MakeEngine(int32_t threads, munja_engine** engine) {
  munja_engine_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  return munja_engine_create(&options, engine);
}

// Decodes and reads; the text, for munja_free().
munja_status ReadPage(const std::vector<uint8_t>& file, munja_engine* engine,
                      char** text) {
  munja_image* image = nullptr;
  RETURN_IF_FAILED(
      munja_image_decode(file.data(), file.size(), nullptr, &image));
  munja_document* document = nullptr;
  munja_status status = munja_engine_read(engine, image, nullptr, &document);
  munja_image_free(image);
  if (status == MUNJA_OK) status = munja_document_to_text(document, text);
  munja_document_free(document);
  return status;
}

std::string ReadPage(const std::vector<uint8_t>& file, munja_engine* engine) {
  char* text = nullptr;
  EXPECT_EQ(ReadPage(file, engine, &text), MUNJA_OK) << munja_last_error();
  const std::string copy = text != nullptr ? text : "";
  munja_free(text);
  return copy;
}

// Some of `count`: all of the first ones, then ever fewer, and the last. Where
// MUNJA_EVERY_ALLOCATION is set: all, which takes minutes.
std::vector<int64_t> Sample(int64_t count, int64_t all, double growth) {
  std::vector<int64_t> numbers;
  if (std::getenv("MUNJA_EVERY_ALLOCATION") != nullptr) all = count;
  for (double n = 0; n < static_cast<double>(count);
       n = n < static_cast<double>(all) ? n + 1 : n * growth + 1)
    numbers.push_back(static_cast<int64_t>(n));
  numbers.push_back(count - 1);
  return numbers;
}

constexpr int64_t kNone = int64_t{1} << 40;

// Clipper loses the points of the outline that it was at, a block each, when an
// allocation of its own fails: of the lines of this page, 37 at most.
constexpr int64_t kMostOfClipper = 64;

TEST(AllocationFailureTest, Engine_SurvivesEach) {
  const std::vector<uint8_t> file = PageFile();
  for (const int32_t threads : {1, 3}) {
    munja_engine* engine = nullptr;
    int64_t count = 0;
    {
      const FailingAllocation counting(kNone, CountedThreads::kAll);
      ASSERT_EQ(MakeEngine(threads, &engine), MUNJA_OK) << munja_last_error();
      count = counting.counted();
    }
    const std::string expected = ReadPage(file, engine);
    EXPECT_NE(expected.find("HOTEL"), std::string::npos) << expected;
    munja_engine_free(engine);
    int errors = 0, tries = 0;
    for (const int64_t number : Sample(count, 20, 1.15)) {
      engine = nullptr;
      const int64_t before = LiveBlocks();
      munja_status status = MUNJA_OK;
      {
        const FailingAllocation failing(number, CountedThreads::kAll);
        status = MakeEngine(threads, &engine);
      }
      ++tries;
      errors += status != MUNJA_OK;
      if (status == MUNJA_OK) {
        // Parts that only improve speed may be missing.
        EXPECT_EQ(ReadPage(file, engine), expected) << number;
        munja_engine_free(engine);
      } else {
        EXPECT_EQ(status, MUNJA_OUT_OF_MEMORY)
            << number << ": " << munja_last_error();
        EXPECT_EQ(engine, nullptr);
      }
      ASSERT_EQ(LiveBlocks(), before) << "allocation " << number << " leaks";
    }
    EXPECT_GT(errors, tries / 2);
  }
}

struct ReadingTry {
  munja_status status = MUNJA_OK;
  std::string text;     // Result of the read with the failed allocation.
  std::string message;  // Message of its failure.
  int64_t counted = 0;
  bool has_failed_in_clipper = false;
};

// Makes an engine, reads once before where `is_first` is not set, then while
// an allocation fails, and once more, which has to go well.
ReadingTry TryReading(const std::vector<uint8_t>& file, int32_t threads,
                      bool is_first, int64_t number,
                      const std::string& expected) {
  ReadingTry result;
  munja_engine* engine = nullptr;
  EXPECT_EQ(MakeEngine(threads, &engine), MUNJA_OK) << munja_last_error();
  if (!is_first) {
    EXPECT_EQ(ReadPage(file, engine), expected);
  }
  char* text = nullptr;
  {
    const FailingAllocation failing(number, CountedThreads::kAll);
    result.status = ReadPage(file, engine, &text);
    result.counted = failing.counted();
    result.has_failed_in_clipper = failing.was_in("libpolyclipping");
  }
  if (result.status == MUNJA_OK)
    result.text = text;
  else
    result.message = munja_last_error();
  munja_free(text);
  EXPECT_EQ(ReadPage(file, engine), expected) << number;
  munja_engine_free(engine);
  return result;
}

TEST(AllocationFailureTest, Reading_SurvivesEach) {
  const std::vector<uint8_t> file = PageFile();
  munja_engine* engine = nullptr;
  ASSERT_EQ(MakeEngine(1, &engine), MUNJA_OK) << munja_last_error();
  const std::string expected = ReadPage(file, engine);
  munja_engine_free(engine);
  for (const int32_t threads : {1, 3}) {
    // Both a first read, which makes plans, and one that reuses them are
    // tested.
    for (const bool is_first : {true, false}) {
      const int64_t count =
          TryReading(file, threads, is_first, kNone, expected).counted;
      const std::vector<int64_t> numbers =
          Sample(count, 10, is_first ? 1.4 : 1.2);
      int errors = 0;
      for (const int64_t number : numbers) {
        const int64_t before = LiveBlocks();
        bool may_leak = false;
        {
          const ReadingTry tried =
              TryReading(file, threads, is_first, number, expected);
          errors += tried.status != MUNJA_OK;
          if (tried.status == MUNJA_OK) {
            EXPECT_EQ(tried.text, expected) << number;
          } else {
            EXPECT_EQ(tried.status, MUNJA_OUT_OF_MEMORY)
                << number << ": " << tried.message;
          }
          may_leak = tried.has_failed_in_clipper;
        }
        const int64_t leaked = LiveBlocks() - before;
        EXPECT_GE(leaked, 0) << number;
        EXPECT_LE(leaked, may_leak ? kMostOfClipper : 0)
            << "allocation " << number << " leaks";
      }
      EXPECT_GT(errors, 5);
    }
  }
}

}  // namespace
}  // namespace munja::hostile
