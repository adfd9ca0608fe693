// Limits, cancellation and progress through the C interface.
#include "munja/control.h"
#include "capi/tools/testing.h"
#include "munja/document.h"
#include "munja/ocr.h"
#include "munja/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "capi/reading/handles.h"
#include "graph/graph.h"
#include "munja/model.h"
#include "munja/tools/quantize.h"
#include "samples/text_picture.h"

namespace munja::capi {
namespace {

using ModelHandle = Handle<munja_network, munja_network_free>;
using SessionHandle = Handle<munja_session, munja_session_free>;
using EngineHandle = Handle<munja_engine, munja_engine_free>;
using ImageHandle = Handle<munja_image, munja_image_free>;

constexpr int64_t kMiB = int64_t{1} << 20;

munja_control_options Options() {
  munja_control_options options = {};
  options.struct_size = sizeof options;
  return options;
}

ControlHandle Make(const munja_control_options& options) {
  munja_control* control = nullptr;
  EXPECT_EQ(munja_control_create(&options, &control), MUNJA_OK)
      << munja_last_error();
  return ControlHandle(control);
}

size_t MemoryOf(const munja_control* control) {
  munja_control_use use = {};
  use.struct_size = sizeof use;
  EXPECT_EQ(munja_control_memory(control, &use), MUNJA_OK);
  return use.memory;
}

// A convolution of 64 channels to as many, 31 x 31: for an image of 512 x 512
// a million million products in a single node, minutes of work.
constexpr int kKernel = 31, kChannels = 64;

ModelHandle BigConvolution() {
  auto graph = std::make_shared<graph::Graph>();
  graph->subgraphs.resize(1);
  graph::Subgraph& main = graph->main();
  graph::Value in;
  in.name = "in";
  in.shape = {1, kDynamic, kDynamic, kChannels};
  graph::Value weights;
  weights.name = "weights";
  weights.shape = {kChannels, kKernel, kKernel, kChannels};
  const std::vector<float> values(static_cast<size_t>(weights.shape.elements()),
                                  0x1p-12f);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  weights.constant = graph::MakeConstant(std::move(bytes));
  graph::Value out = in;
  out.name = "out";
  graph::Node node;
  node.op = "CONV_2D";
  node.inputs = {main.AddValue(in), main.AddValue(std::move(weights)),
                 graph::kNoValue};
  node.outputs = {main.AddValue(out)};
  node.attributes.Set("stride_h", int64_t{1});
  node.attributes.Set("stride_w", int64_t{1});
  node.attributes.Set("dilation_h_factor", int64_t{1});
  node.attributes.Set("dilation_w_factor", int64_t{1});
  node.attributes.Set("padding", std::string("SAME"));
  main.inputs = {node.inputs[0]};
  main.outputs = node.outputs;
  main.nodes.push_back(std::move(node));
  return ModelHandle(new munja_network{std::move(graph)});
}

struct Input {
  explicit Input(int side)
      : values(static_cast<size_t>(side) * side * kChannels, 1.0f) {
    tensor.type = MUNJA_TYPE_FLOAT32;
    tensor.rank = 4;
    const int32_t dims[] = {1, side, side, kChannels};
    std::memcpy(tensor.dims, dims, sizeof dims);
    tensor.data = values.data();
    tensor.bytes = values.size() * sizeof(float);
  }
  std::vector<float> values;
  munja_tensor tensor = {};
};

SessionHandle NewSession(const munja_network* model, munja_control* control,
                         int threads, bool reference_kernels = false) {
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.reference_kernels = reference_kernels;
  options.control = control;
  munja_session* session = nullptr;
  EXPECT_EQ(munja_session_create(model, &options, &session), MUNJA_OK)
      << munja_last_error();
  return SessionHandle(session);
}

// The output for an image that every window covers: one product of 2^-12 per
// value.
constexpr int kSmall = 4;

void ExpectRight(munja_session* session) {
  Input small(kSmall);
  ASSERT_EQ(munja_session_run(session, &small.tensor, 1), MUNJA_OK)
      << munja_last_error();
  munja_tensor out;
  ASSERT_EQ(munja_session_output_tensor(session, 0, &out), MUNJA_OK);
  const auto* const values = static_cast<const float*>(out.data);
  EXPECT_EQ(std::count(values, values + small.values.size(),
                       kSmall * kSmall * kChannels * 0x1p-12f),
            static_cast<ptrdiff_t>(small.values.size()));
}

// Runs `call` while another thread waits until it has `bytes` of memory, which
// is when the real work begins, and then cancels it.
munja_status CancelledDuring(munja_control* control, size_t bytes,
                             const std::function<munja_status()>& call) {
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (MemoryOf(control) < bytes && !is_over) std::this_thread::yield();
    munja_control_cancel(control);
  });
  const munja_status status = call();
  is_over = true;
  other.join();
  return status;
}

TEST(ControlCapi, AnotherThread_EndsASingleHugeConvolution) {
  const ModelHandle model = BigConvolution();
  for (const int threads : {1, 2}) {
    for (const bool reference_kernels : {false, true}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, reference " +
                   std::to_string(reference_kernels));
      const ControlHandle control = Make(Options());
      const SessionHandle session =
          NewSession(model.get(), control.get(), threads, reference_kernels);
      Input big(512);
      const munja_status status = CancelledDuring(
          control.get(), big.tensor.bytes,
          [&] { return munja_session_run(session.get(), &big.tensor, 1); });
      EXPECT_EQ(status, MUNJA_CANCELLED) << munja_last_error();
      EXPECT_STREQ(munja_last_error(), "cancelled by the caller");
      // Until it is said otherwise.
      munja_tensor out;
      EXPECT_NE(munja_session_output_tensor(session.get(), 0, &out), MUNJA_OK);
      Input small(kSmall);
      EXPECT_EQ(munja_session_run(session.get(), &small.tensor, 1),
                MUNJA_CANCELLED);
      ASSERT_EQ(munja_control_restart(control.get()), MUNJA_OK);
      ExpectRight(session.get());
    }
  }
}

TEST(ControlCapi, TimeLimit_EndsIt) {
  const ModelHandle model = BigConvolution();
  munja_control_options options = Options();
  options.seconds = 0.05;
  const ControlHandle control = Make(options);
  const SessionHandle session = NewSession(model.get(), nullptr, 2);
  Input big(512);
  ASSERT_EQ(munja_session_plan(session.get(), &big.tensor, 1), MUNJA_OK);
  munja_control* const before = munja_control_bind(control.get());
  EXPECT_EQ(before, nullptr);
  ASSERT_EQ(munja_control_restart(control.get()), MUNJA_OK);
  EXPECT_EQ(munja_session_run(session.get(), &big.tensor, 1), MUNJA_TIMED_OUT);
  EXPECT_STREQ(munja_last_error(),
               "not done within the 0.05 seconds that are allowed");
  EXPECT_EQ(munja_control_check(control.get()), MUNJA_TIMED_OUT);
  EXPECT_EQ(munja_control_bind(nullptr), control.get());
  ExpectRight(session.get());
}

TEST(ControlCapi, MemoryOfPlansAndImages_IsLimited) {
  const ModelHandle model = BigConvolution();
  munja_control_options options = Options();
  options.max_memory = 64 * kMiB;
  const ControlHandle control = Make(options);
  const SessionHandle session = NewSession(model.get(), control.get(), 1);
  Input big(512);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(i == 0 ? munja_session_plan(session.get(), &big.tensor, 1)
                     : munja_session_run(session.get(), &big.tensor, 1),
              MUNJA_OUT_OF_MEMORY);
    EXPECT_NE(std::string(munja_last_error()).find(std::to_string(64 * kMiB)),
              std::string::npos)
        << munja_last_error();
  }
  ExpectRight(session.get());
  // An image of 30 million pixels: 90 MB.
  std::string ppm = "P6 6000 5000 255\n";
  ppm.resize(ppm.size() + size_t{90'000'000}, 'x');
  munja_decode_options decode = {};
  decode.struct_size = sizeof decode;
  munja_image* image = nullptr;
  ASSERT_EQ(munja_image_decode(ppm.data(), ppm.size(), &decode, &image),
            MUNJA_OK);
  munja_image_free(image);
  decode.control = control.get();
  EXPECT_EQ(munja_image_decode(ppm.data(), ppm.size(), &decode, &image),
            MUNJA_OUT_OF_MEMORY);
}

TEST(ControlCapi, PixelLimit_AppliesWithoutDecodeOptions) {
  munja_control_options options = Options();
  options.max_pixels = 99;
  const ControlHandle control = Make(options);
  const std::string ppm = "P6 10 10 255\n" + std::string(300, 'x');
  munja_decode_options decode = {};
  decode.struct_size = sizeof decode;
  decode.control = control.get();
  munja_image* image = nullptr;
  EXPECT_EQ(munja_image_decode(ppm.data(), ppm.size(), &decode, &image),
            MUNJA_OUT_OF_MEMORY);
  decode.max_pixels = 100;
  EXPECT_EQ(munja_image_decode(ppm.data(), ppm.size(), &decode, &image),
            MUNJA_OK);
  munja_image_free(image);
}

EngineHandle DefaultEngine(munja_control* control = nullptr) {
  const std::string folder = std::string(MUNJA_SOURCE_DIR) + "/models/default";
  munja_engine_options options = {};
  options.struct_size = sizeof options;
  options.model = folder.c_str();
  options.threads = 1;  // So that the calling thread reads the lines.
  options.control = control;
  munja_engine* engine = nullptr;
  EXPECT_EQ(munja_engine_create(&options, &engine), MUNJA_OK)
      << munja_last_error();
  return EngineHandle(engine);
}

std::string TextOf(munja_engine* engine, const munja_image* picture) {
  munja_document* document = nullptr;
  EXPECT_EQ(munja_engine_read(engine, picture, nullptr, &document), MUNJA_OK)
      << munja_last_error();
  const Handle<munja_document, munja_document_free> owner(document);
  char* text = nullptr;
  EXPECT_EQ(munja_document_to_text(document, &text), MUNJA_OK);
  return TakeText(text);
}

ImageHandle Page(int width, int height) {
  auto page = tools::TextPicture(width, height);
  EXPECT_TRUE(page.ok());
  return ImageHandle(new munja_image{std::move(*page)});
}

// Cancelled by another thread as soon as the first line is said to be read.
TEST(ControlCapi, Reading_EndsInTheMiddleOfAPageAndTheEngineGoesOn) {
  const EngineHandle engine = DefaultEngine();
  const ImageHandle page = Page(640, 480);
  const std::string whole = TextOf(engine.get(), page.get());
  EXPECT_GT(whole.size(), 20u);
  struct Seen {
    munja_control* control = nullptr;
    std::vector<uint64_t> done;
    uint64_t total = 0;
  } seen;
  munja_control_options options = Options();
  options.context = &seen;
  options.progress = [](void* context, const char* what, uint64_t done,
                        uint64_t total) {
    Seen& s = *static_cast<Seen*>(context);
    EXPECT_STREQ(what, "lines");
    s.done.push_back(done);
    s.total = total;
    std::thread(munja_control_cancel, s.control).join();
    return 0;
  };
  const ControlHandle control = Make(options);
  seen.control = control.get();
  munja_read_options read = {};
  read.struct_size = sizeof read;
  read.control = control.get();
  munja_document* document = nullptr;
  EXPECT_EQ(munja_engine_read(engine.get(), page.get(), &read, &document),
            MUNJA_CANCELLED);
  EXPECT_EQ(document, nullptr);
  EXPECT_EQ(seen.done.size(), 1u);
  EXPECT_GT(seen.total, 3u);
  EXPECT_EQ(TextOf(engine.get(), page.get()), whole);
}

TEST(ControlCapi, CallbackThatSaysSo_Cancels) {
  const EngineHandle engine = DefaultEngine();
  const ImageHandle page = Page(640, 480);
  munja_control_options options = Options();
  options.progress = [](void*, const char*, uint64_t, uint64_t) { return 1; };
  const ControlHandle control = Make(options);
  munja_read_options read = {};
  read.struct_size = sizeof read;
  read.control = control.get();
  munja_document* document = nullptr;
  EXPECT_EQ(munja_engine_read(engine.get(), page.get(), &read, &document),
            MUNJA_CANCELLED);
}

TEST(ControlCapi, CancelledControl_StartsNothing) {
  const ControlHandle control = Make(Options());
  munja_control_cancel(control.get());
  const std::string folder = std::string(MUNJA_SOURCE_DIR) + "/models/default";
  munja_engine_options options = {};
  options.struct_size = sizeof options;
  options.model = folder.c_str();
  options.control = control.get();
  munja_engine* engine = nullptr;
  EXPECT_EQ(munja_engine_create(&options, &engine), MUNJA_CANCELLED);
  munja_quantize_options quantize = {};
  quantize.struct_size = sizeof quantize;
  quantize.mode = MUNJA_QUANTIZE_WEIGHTS;
  quantize.control = control.get();
  const std::string out = testing::TempDir() + "/munja_control_quantized";
  EXPECT_EQ(munja_model_quantize(folder.c_str(), nullptr, &quantize,
                                 out.c_str(), nullptr),
            MUNJA_CANCELLED);
  munja_control_bind(control.get());
  EXPECT_EQ(munja_model_verify(folder.c_str()), MUNJA_CANCELLED);
  munja_network* model = nullptr;
  EXPECT_EQ(munja_network_load((folder + "/detector.tflite").c_str(), &model),
            MUNJA_CANCELLED);
  EXPECT_EQ(munja_network_load_bytes("", 0, &model), MUNJA_CANCELLED);
  munja_control_bind(nullptr);
  EXPECT_EQ(munja_model_verify(folder.c_str()), MUNJA_OK);
}

TEST(ControlCapi, Engine_NeedsItsMemory) {
  munja_control_options options = Options();
  options.max_memory = 100'000;
  const ControlHandle control = Make(options);
  const std::string folder = std::string(MUNJA_SOURCE_DIR) + "/models/default";
  munja_engine_options engine_options = {};
  engine_options.struct_size = sizeof engine_options;
  engine_options.model = folder.c_str();
  engine_options.control = control.get();
  munja_engine* engine = nullptr;
  EXPECT_EQ(munja_engine_create(&engine_options, &engine), MUNJA_OUT_OF_MEMORY);
  EXPECT_EQ(MemoryOf(control.get()), 0u);  // Nothing is left behind.
}

// Quantizing says how far it is; cancelled from there it leaves no folder.
TEST(ControlCapi, Quantization_IsCancelled) {
  struct Seen {
    munja_control* control = nullptr;
    std::string what;
  } seen;
  munja_control_options options = Options();
  options.context = &seen;
  options.progress = [](void* context, const char* what, uint64_t, uint64_t) {
    Seen& s = *static_cast<Seen*>(context);
    s.what = what;
    if (s.what == "rounding weights of nodes")
      std::thread(munja_control_cancel, s.control).join();
    return 0;
  };
  const ControlHandle control = Make(options);
  seen.control = control.get();
  munja_quantize_options quantize = {};
  quantize.struct_size = sizeof quantize;
  quantize.mode = MUNJA_QUANTIZE_WEIGHTS;
  quantize.control = control.get();
  const std::string folder = std::string(MUNJA_SOURCE_DIR) + "/models/default";
  const std::string out = testing::TempDir() + "/munja_control_rounded";
  EXPECT_EQ(munja_model_quantize(folder.c_str(), nullptr, &quantize,
                                 out.c_str(), nullptr),
            MUNJA_CANCELLED);
  EXPECT_EQ(seen.what, "rounding weights of nodes");
  munja_engine_options engine_options = {};
  engine_options.struct_size = sizeof engine_options;
  engine_options.model = out.c_str();
  munja_engine* engine = nullptr;
  EXPECT_EQ(munja_engine_create(&engine_options, &engine), MUNJA_NOT_FOUND);
}

TEST(ControlCapi, Options_AreChecked) {
  munja_control* control = nullptr;
  munja_control_options options = Options();
  options.seconds = std::nan("");
  EXPECT_EQ(munja_control_create(&options, &control), MUNJA_INVALID_ARGUMENT);
  options = Options();
  options.max_pixels = -1;
  EXPECT_EQ(munja_control_create(&options, &control), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_control_create(nullptr, nullptr), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_control_restart(nullptr), MUNJA_INVALID_ARGUMENT);
  munja_control_cancel(nullptr);
  munja_control_free(nullptr);
  ASSERT_EQ(munja_control_create(nullptr, &control), MUNJA_OK);
  munja_control_use use = {};
  use.struct_size = sizeof use;
  ASSERT_EQ(munja_control_memory(control, &use), MUNJA_OK);
  EXPECT_EQ(use.max_memory, sizeof(void*) > 4 ? size_t{1} << 32 : 1u << 30);
  munja_control_free(control);
}

}  // namespace
}  // namespace munja::capi
