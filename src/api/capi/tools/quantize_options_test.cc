// Each field of an options struct changes something that a caller sees: here
// those of quantizing and of calibration data.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "capi/tools/testing.h"
#include "munja/model.h"
#include "munja/tools/quantize.h"
#include "tflite/write.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

// softmax(conv(relu(conv(x)))) of images of any size.
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
    const auto w = AddValue(g, (text + "_w").c_str(), {8, 3, 3, in},
                            numbers(8 * 9 * in, 37));
    const auto b = AddValue(g, (text + "_b").c_str(), {8}, numbers(8, 53));
    const auto y = AddValue(g, name, {1, kDynamic, kDynamic, 8});
    AddNode(g, "CONV_2D", {x, w, b}, y);
    graph::Attributes& a = g.nodes.back().attributes;
    a.Set("padding", std::string("SAME"));
    for (const char* stride : {"stride_h", "stride_w"})
      a.Set(stride, int64_t{1});
    return y;
  };
  const auto x = AddValue(g, "x", {1, kDynamic, kDynamic, 3});
  const auto first = conv(x, 3, "first");
  const auto r = AddValue(g, "r", {1, kDynamic, kDynamic, 8});
  AddNode(g, "RELU", {first}, r);
  const auto last = conv(r, 8, "last");
  const auto y = AddValue(g, "y", {1, kDynamic, kDynamic, 8});
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
    c_.images = paths_.data();
    c_.image_count = static_cast<int32_t>(paths_.size());
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

TEST_F(Quantizing, EachField_ChangesSomething) {
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
      {"mode", set(&O::mode, MUNJA_QUANTIZE_WEIGHTS)},
      {"range", set(&O::range, MUNJA_RANGE_MINMAX)},
      {"percentile",
       [&] {
         o_.range = MUNJA_RANGE_PERCENTILE;
         const std::string usual = Quantize();
         o_.percentile = 60;
         EXPECT_TRUE(Quantize() != usual);
       }},
      {"skip_equalization", set(&O::skip_equalization, 1)},
      {"nearest_rounding", set(&O::nearest_rounding, 1)},
      {"skip_bias_correction", set(&O::skip_bias_correction, 1)},
      // Applies to integer layers without an activation, such as integer
      // logits.
      {"skip_bias_tuning",
       [&] {
         o_.integer_logits = 1;
         const std::string usual = Quantize();
         o_.skip_bias_tuning = 1;
         EXPECT_TRUE(Quantize() != usual);
       }},
      {"integer_io", set(&O::integer_io, 1)},
      {"integer_logits", set(&O::integer_logits, 1)},
      {"exclude",
       [&] {
         o_.exclude = keep;
         EXPECT_TRUE(Quantize() == made);  // None of them counts.
         o_.exclude_count = 1;
         EXPECT_TRUE(Quantize() != made);
         o_.exclude = nullptr;
         EXPECT_EQ(Quantize(), "");
       }},
      {"exclude_count", [] {}},  // With the names.
      {"fallback",
       [&] {
         o_.exclude = keep;
         o_.exclude_count = 1;
         const std::string in_float = Quantize();
         o_.fallback = MUNJA_FALLBACK_INT16X8;
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
         // For bundles: an engine then reads with both.
         o_.keep_float = 1;
         EXPECT_EQ(Quantize(), "");
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         const std::string folder = folder_ + "/both";
         o_.mode = MUNJA_QUANTIZE_WEIGHTS;
         ASSERT_EQ(munja_model_quantize(MUNJA_SOURCE_DIR "/models/default",
                                        nullptr, &o_, folder.c_str(), nullptr),
                   MUNJA_OK)
             << munja_last_error();
         EXPECT_EQ(munja_model_verify(folder.c_str()), MUNJA_OK);
         munja_engine_options engine_options = {};
         engine_options.struct_size = sizeof engine_options;
         engine_options.model = folder.c_str();
         engine_options.precision = MUNJA_PRECISION_MIXED;
         munja_engine* engine = nullptr;
         EXPECT_EQ(munja_engine_create(&engine_options, &engine), MUNJA_OK)
             << munja_last_error();
         munja_engine_free(engine);
       }},
  };
  CheckAll("tools/quantize.h", "munja_quantize_options", rows,
           [&] { o_ = plain; });
}

TEST_F(Quantizing, EachFieldOfTheCalibration_ChangesSomething) {
  const munja_calibration plain = c_;
  const std::map<std::string, std::function<void()>> rows = {
      {"images",
       [&] {
         Show({folder_ + "/absent.png"});
         EXPECT_EQ(Quantize(), "");
         Show({picture_});
       }},
      {"image_count",
       [&] {
         Show({picture_, picture_});
         EXPECT_EQ(Samples("detector"), "\"samples\":2");
         c_.image_count = 1;
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
  CheckAll("tools/quantize.h", "munja_calibration", rows, [&] {
    Show({picture_});
    c_.are_lines = plain.are_lines;
    c_.max_pages = plain.max_pages;
    c_.max_lines = plain.max_lines;
  });
}

}  // namespace
}  // namespace munja::capi
