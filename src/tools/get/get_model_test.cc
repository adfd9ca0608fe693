#include "get/get_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/sha256.h"
#include "image/decode.h"

namespace munja::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr char kDefaultModel[] = MUNJA_SOURCE_DIR "/models/default/";

std::string Content(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "(none)";
}

std::string Digest(const std::string& text) {
  return *bundle::Sha256(
      std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

// An inference.yml with these characters, one on each line.
std::string Settings(const std::string& dictionary, int height) {
  std::string text =
      "PreProcess:\n  transform_ops:\n  - RecResizeImg:\n      image_shape: "
      "[3, " +
      std::to_string(height) +
      ", 320]\nPostProcess:\n  name: CTCLabelDecode\n  character_dict:\n";
  std::istringstream lines(dictionary);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    text += "  - " + Json(line).dump() + "\n";
  }
  return text;
}

// A publisher on this machine, whose networks are those of the default model.
class GetModelTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    fs::create_directories(root_);
    ASSERT_EQ(::setenv("XDG_DATA_HOME", (root_ + "/data").c_str(), 1), 0);
    ASSERT_EQ(::setenv("XDG_CACHE_HOME", (root_ + "/cache").c_str(), 1), 0);
    Publish("det/inference.tflite",
            Content(std::string(kDefaultModel) + "detector.tflite"),
            &detector_.network);
    PublishRecognizer(kDefaultModel);
    server_.Get(
        "/PaddlePaddle/(det|rec)/resolve/r1/(.+)",
        [this](const httplib::Request& request, httplib::Response& response) {
          const std::lock_guard<std::mutex> lock(mutex_);
          const std::string name = std::string(request.matches[1]) + "/" +
                                   std::string(request.matches[2]);
          requests_.push_back(name);
          const auto it = files_.find(name);
          if (it == files_.end()) {
            response.status = 404;
            return;
          }
          response.set_content(it->second, "application/octet-stream");
        });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    options_.from = "http://127.0.0.1:" + std::to_string(port_) + "/";
  }
  void TearDown() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
    fs::remove_all(root_);
  }
  void Publish(const std::string& name, const std::string& text,
               bundle::CatalogFile* file) {
    files_[name] = text;
    digests_.push_back(std::make_unique<std::string>(Digest(text)));
    file->file = name.ends_with(".yml") ? "inference.yml" : "inference.tflite";
    file->bytes = text.size();
    file->sha256 = digests_.back()->c_str();
  }
  // Takes the recognizer of the model in this directory.
  void PublishRecognizer(const std::string& model) {
    Publish("rec/inference.tflite", Content(model + "recognizer.tflite"),
            &recognizer_.network);
    Publish("rec/inference.yml",
            Settings(Content(model + "dictionary.txt"), 32),
            &recognizer_.settings);
  }
  Result<std::string> Get(Json* report) {
    return GetModel(model_, options_, report);
  }
  size_t requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_.size();
  }

  std::string root_;
  std::map<std::string, std::string> files_;
  std::vector<std::unique_ptr<std::string>> digests_;
  std::vector<std::string> requests_;
  std::mutex mutex_;
  httplib::Server server_;
  std::thread thread_;
  int port_ = 0;
  bundle::CatalogNetwork detector_ = {"det", "r1", {}, {}},
                         recognizer_ = {"rec", "r1", {}, {}};
  bundle::CatalogModel model_ = {"mine",    "of a test", "en",        0,
                                 "ppocrv6", &detector_,  &recognizer_};
  GetOptions options_;
};

TEST_F(GetModelTest, PublishedModel_IsConvertedCachedAndLeftAlone) {
  Json report;
  const Result<std::string> place = Get(&report);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(*place, root_ + "/data/munja/models/mine");
  EXPECT_TRUE(report.contains("detector") && report.contains("recognizer"));
  const auto made = bundle::LoadBundle(bundle::FolderFiles(*place));
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->manifest.name, "mine");
  EXPECT_EQ(made->manifest.description, "of a test");
  EXPECT_EQ(made->dictionary,
            Content(std::string(kDefaultModel) + "dictionary.txt"));
  const std::string card = Content(*place + "/MODEL_CARD.md");
  EXPECT_THAT(card, HasSubstr("Apache-2.0"));
  EXPECT_THAT(card, HasSubstr(detector_.network.sha256));
  EXPECT_THAT(card, HasSubstr("https://huggingface.co/PaddlePaddle/rec/"
                              "resolve/r1/inference.yml"));
  EXPECT_EQ(requests(), 3u);
  // It is there.
  ASSERT_TRUE(Get(&report).ok());
  EXPECT_TRUE(report.empty());
  // Another one of the same networks needs no download.
  model_.name = "other";
  ASSERT_TRUE(Get(&report).ok());
  EXPECT_EQ(requests(), 3u);
  // A model that was damaged is made anew.
  fs::remove(*place + "/recognizer.tflite");
  model_.name = "mine";
  ASSERT_TRUE(Get(&report).ok());
  EXPECT_TRUE(bundle::LoadBundle(bundle::FolderFiles(*place)).ok());
}

TEST_F(GetModelTest, Directory_NeedsNoNetwork) {
  server_.stop();
  thread_.join();
  for (const auto& [name, text] : files_) {
    fs::create_directories(fs::path(root_ + "/copies/" + name).parent_path());
    ASSERT_TRUE(WriteFile(root_ + "/copies/" + name, text).ok());
  }
  options_.from = root_ + "/copies";
  options_.directory = root_ + "/elsewhere";
  Json report;
  const Result<std::string> place = Get(&report);
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(*place, root_ + "/elsewhere");
  EXPECT_FALSE(fs::exists(root_ + "/cache"));
  // Without one of them: its name is told, and nothing is written.
  fs::remove_all(options_.directory);
  fs::remove(root_ + "/copies/rec/inference.yml");
  const Result<std::string> missing = Get(&report);
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("copies/rec/inference.yml"));
  EXPECT_FALSE(fs::exists(options_.directory));
}

TEST_F(GetModelTest, NoConnection_SaysWhatElseThereIs) {
  server_.stop();
  thread_.join();
  Json report;
  const Result<std::string> place = Get(&report);
  EXPECT_EQ(place.status().code(), Code::kUnavailable);
  EXPECT_THAT(std::string(place.status().message()),
              testing::AllOf(HasSubstr("127.0.0.1"), HasSubstr("a mirror's")));
  EXPECT_FALSE(fs::exists(root_ + "/data/munja/models/mine"));
}

bool IsInteger(const graph::Graph& network) {
  return std::ranges::any_of(network.main().values, [](const auto& value) {
    return value.type == ElementType::kInt8;
  });
}

TEST_F(GetModelTest, Quantize_WritesAnIntegerModel) {
  QuantizeJob& job = options_.quantize.emplace();
  job.options.mode = compress::Precision::kInt8;
  Json report;
  // Without images nothing is downloaded.
  EXPECT_EQ(Get(&report).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(requests(), 0u);
  // A model in float is made anew, an integer one is left alone.
  options_.quantize.reset();
  const Result<std::string> place = Get(&report);
  ASSERT_TRUE(place.ok()) << place.status().message();
  const auto before = bundle::LoadBundle(bundle::FolderFiles(*place));
  ASSERT_TRUE(before.ok());
  EXPECT_FALSE(IsInteger(*before->detector));
  options_.quantize.emplace().options.mode = compress::Precision::kDynamic;
  ASSERT_TRUE(Get(&report).ok());
  const auto made = bundle::LoadBundle(bundle::FolderFiles(*place));
  ASSERT_TRUE(made.ok()) << made.status().message();
  for (const char* role : {"detector", "recognizer"})
    EXPECT_EQ(report[role]["quantized"]["mode"], "dynamic") << role;
  EXPECT_TRUE(IsInteger(*made->detector) && IsInteger(*made->recognizer));
  EXPECT_EQ(made->manifest.name, "mine");
  EXPECT_EQ(made->manifest.description, "of a test");
  for (const auto& entry :
       {&bundle::Manifest::detector, &bundle::Manifest::recognizer})
    EXPECT_LT((made->manifest.*entry).bytes, (before->manifest.*entry).bytes);
  EXPECT_THAT(Content(*place + "/MODEL_CARD.md"),
              HasSubstr("converted and quantized"));
  ASSERT_TRUE(Get(&report).ok());
  EXPECT_TRUE(report.empty());
  // The model in float that it was made of is gone.
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ + "/data/munja/models"),
                          fs::directory_iterator()),
            1);
}

// Calibrated on other pictures than the one that it reads.
TEST_F(GetModelTest, QuantizedOnPictures_ReadsOthers) {
  // Each of its classes is a character, as published models have it.
  PublishRecognizer(MUNJA_SOURCE_DIR "/models/wide/");
  const std::string pictures = MUNJA_SOURCE_DIR "/testdata/pictures/";
  QuantizeJob& job = options_.quantize.emplace();
  job.options.mode = compress::Precision::kInt8;
  CalibrationPictures& calibration = job.calibration.emplace();
  for (const char* name : {"note_on_its_side.png", "single_digits.png",
                           "upside_down_line.png", "stamp.png"})
    calibration.files.push_back(pictures + name);
  Json report;
  const Result<std::string> place = Get(&report);
  ASSERT_TRUE(place.ok()) << place.status().message();
  for (const char* role : {"detector", "recognizer"})
    EXPECT_EQ(report[role]["quantized"]["mode"], "int8") << role;
  const auto made = bundle::LoadBundle(bundle::FolderFiles(*place));
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_TRUE(IsInteger(*made->detector) && IsInteger(*made->recognizer));
  auto pipeline = bundle::CreatePipeline(*made, made->manifest.config, nullptr);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
  const auto receipt = image::DecodeFile(pictures + "receipt.jpg");
  ASSERT_TRUE(receipt.ok());
  const auto document = (*pipeline)->Recognize(receipt->view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  std::set<std::string> lines;
  for (const document::Line& line : document->lines) lines.insert(line.text);
  for (const char* text : {"BAKERY NORTHWIND", "TOTAL", "18.40", "Cash",
                           "4 x Poppy seed roll", "08:35"})
    EXPECT_TRUE(lines.contains(text)) << text;
}

TEST_F(GetModelTest, OtherFile_IsRefused) {
  files_["det/inference.tflite"][1000] ^= 1;
  Json report;
  const Result<std::string> place = Get(&report);
  EXPECT_EQ(place.status().code(), Code::kMalformed);
  EXPECT_THAT(std::string(place.status().message()),
              HasSubstr("SHA-256 is not the expected one"));
  files_.erase("det/inference.tflite");
  EXPECT_EQ(Get(&report).status().code(), Code::kNotFound);
  EXPECT_FALSE(fs::exists(root_ + "/data/munja/models/mine"));
}

TEST_F(GetModelTest, UnknownName_ListsTheCatalog) {
  Json report;
  const Result<std::string> place = GetModel("ppocr", {}, &report);
  EXPECT_EQ(place.status().code(), Code::kNotFound);
  EXPECT_THAT(
      std::string(place.status().message()),
      testing::AllOf(HasSubstr("ppocrv6-tiny, "), HasSubstr("ppocrv5-korean")));
}

TEST(CatalogOfModels, Rows_AreWhole) {
  std::set<std::string> names;
  for (const bundle::CatalogModel& model : bundle::Catalog()) {
    EXPECT_TRUE(bundle::IsPlainName(model.name)) << model.name;
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_TRUE(ocr::NamedConfig(model.config).ok());
    for (const auto* file :
         {&model.detector->network, &model.recognizer->network,
          &model.recognizer->settings}) {
      const std::string digest = file->sha256;
      EXPECT_EQ(digest.size(), 64u) << model.name;
      EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), digest.npos);
    }
    EXPECT_EQ(std::string(model.detector->revision).size(), 40u);
    EXPECT_EQ(std::string(model.recognizer->revision).size(), 40u);
    std::istringstream languages(model.languages);
    for (std::string code; languages >> code;)
      EXPECT_TRUE(bundle::IsLanguageCode(code)) << code;
  }
  EXPECT_EQ(bundle::FindInCatalog("ppocrv6-tiny"), &bundle::Catalog()[0]);
}

// The networks of the catalog that lie beside the sources on some machines: the
// detector is the published file, the recognizer a variant.
TEST_F(GetModelTest, PaddleNetworks_ReadAfterwards) {
  const std::string shared =
      MUNJA_SOURCE_DIR "/../shared/models/ppocrv6_tiny/onnx/";
  const bundle::CatalogModel* const tiny =
      bundle::FindInCatalog("ppocrv6-tiny");
  ASSERT_NE(tiny, nullptr);
  const std::string detector = Content(shared + "PP-OCRv6_tiny_det.onnx");
  if (detector == "(none)") GTEST_SKIP() << "no published models here";
  EXPECT_EQ(detector.size(), tiny->detector->network.bytes);
  EXPECT_EQ(Digest(detector), tiny->detector->network.sha256);
  const std::string recognizer =
      Content(shared + "PP-OCRv6_tiny_rec.from_ncnn.onnx");
  const std::string settings =
      Settings(Content(shared + "ppocrv6_tiny_keys.txt"), 48);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = root_ + "/copies/" + name;
    fs::create_directories(fs::path(path).parent_path());
    ASSERT_TRUE(WriteFile(path, text).ok());
  };
  write(tiny->detector->Path(tiny->detector->network), detector);
  write("variant/inference.onnx", recognizer);
  write("variant/inference.yml", settings);
  const std::string digests[] = {Digest(recognizer), Digest(settings)};
  recognizer_ = {"variant",
                 "r1",
                 {"inference.onnx", recognizer.size(), digests[0].c_str()},
                 {"inference.yml", 0, digests[1].c_str()}};
  model_.detector = tiny->detector;
  options_.from = root_ + "/copies";
  Json report;
  const Result<std::string> place = Get(&report);
  ASSERT_TRUE(place.ok()) << place.status().message();
  for (const char* role : {"detector", "recognizer"}) {
    EXPECT_TRUE(report[role]["agrees"].get<bool>()) << role;
    EXPECT_LT(report[role]["max_difference"].get<double>(), 1e-3) << role;
  }
  const auto made = bundle::LoadBundle(bundle::FolderFiles(*place));
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->manifest.config.recognizer.height, 48);
  EXPECT_TRUE(
      bundle::CreatePipeline(*made, made->manifest.config, nullptr).ok());
}

}  // namespace
}  // namespace munja::tools
