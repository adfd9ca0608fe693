#include "bundle/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "bundle/embedded.h"
#include "bundle/sha256.h"
#include "bundle/testing.h"
#include "text/language_builder.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Loads and makes an engine, as a program would.
Status Use(std::shared_ptr<const Files> files) {
  MUNJA_ASSIGN_OR_RETURN(const Bundle bundle, LoadBundle(std::move(files)));
  return CreatePipeline(bundle, bundle.manifest.config, nullptr).TakeStatus();
}

TEST(Bundle, FolderAndMemory_GiveTheSameBundle) {
  TinyBundle tiny;
  const std::string folder = TestFolder();
  tiny.WriteTo(folder);
  for (const auto& files : {tiny.InMemory(), FolderFiles(folder)}) {
    const Result<Bundle> bundle = LoadBundle(files);
    ASSERT_TRUE(bundle.ok()) << bundle.status().message();
    EXPECT_EQ(bundle->manifest.name, "tiny");
    EXPECT_EQ(bundle->dictionary, "x\n");
    EXPECT_EQ(bundle->recognizer->main().nodes[0].op, "MEAN");
    EXPECT_EQ(bundle->classifier, nullptr);
    const auto engine =
        CreatePipeline(*bundle, bundle->manifest.config, nullptr);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    EXPECT_EQ((*engine)->name(), "tiny");
  }
}

// Weights are megabytes: models must be used where they lie.
TEST(Bundle, ModelsInMemory_AreNotCopied) {
  TinyBundle tiny;
  const auto files = tiny.InMemory();
  const Result<Bundle> bundle = LoadBundle(files);
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  const auto model = files->Open("det.tflite");
  ASSERT_TRUE(model.ok());
  int constants = 0;
  for (const graph::Value& value : bundle->detector->main().values) {
    if (!value.constant) continue;
    ++constants;
    EXPECT_GE(value.constant->bytes.data(), model->bytes.data());
    EXPECT_LE(value.constant->bytes.data() + value.constant->bytes.size(),
              model->bytes.data() + model->bytes.size());
  }
  EXPECT_EQ(constants, 1);
}

TEST(Bundle, Files_OutliveTheirName) {
  TinyBundle tiny;
  Result<Bundle> bundle = LoadBundle(tiny.InMemory());
  ASSERT_TRUE(bundle.ok());
  EXPECT_TRUE(CreatePipeline(*bundle, bundle->manifest.config,
                             std::make_shared<ThreadPool>(2))
                  .ok());
}

TEST(Bundle, EveryDamage_IsRefusedWithItsFile) {
  const TinyBundle good;
  for (const auto& [name, text] : good.files) {
    // Without its last byte, a line feed, bundle.json is still whole.
    for (const size_t length : {size_t{0}, text.size() / 2, text.size() - 2}) {
      TinyBundle cut;
      cut.files[name].resize(length);
      const Status status = Use(cut.InMemory());
      ASSERT_FALSE(status.ok()) << name << " of " << length << " bytes";
      EXPECT_EQ(status.code(), Code::kMalformed) << status.message();
      EXPECT_THAT(std::string(status.message()), HasSubstr("memory/" + name));
    }
    for (size_t at = 0; at < text.size(); at += 1 + text.size() / 16) {
      if (name == "bundle.json") break;  // Spaces may be what they like.
      TinyBundle changed;
      changed.files[name][at] ^= 0x20;
      const Status status = Use(changed.InMemory());
      ASSERT_FALSE(status.ok()) << name << " changed at " << at;
      EXPECT_THAT(std::string(status.message()), HasSubstr("memory/" + name));
      EXPECT_THAT(std::string(status.message()), HasSubstr("SHA-256"));
    }
    TinyBundle missing;
    missing.files.erase(name);
    const Status status = Use(missing.InMemory());
    EXPECT_EQ(status.code(), Code::kNotFound) << status.message();
    EXPECT_THAT(std::string(status.message()), HasSubstr("memory/" + name));
  }
}

TEST(Bundle, SwappedNetworks_AreRefusedBeforeTheFirstImage) {
  TinyBundle tiny;
  Result<Manifest> manifest = ParseManifest(tiny.files["bundle.json"]);
  ASSERT_TRUE(manifest.ok());
  std::swap(manifest->detector, manifest->recognizer);
  tiny.files["bundle.json"] = ToJson(*manifest);
  const Status detector = Use(tiny.InMemory());
  EXPECT_EQ(detector.code(), Code::kMalformed);
  EXPECT_THAT(std::string(detector.message()),
              testing::StartsWith("memory/rec.tflite: the detector's output"));
  EXPECT_THAT(std::string(detector.message()),
              HasSubstr("looks like a recognizer"));
  manifest->detector = manifest->recognizer;  // det.tflite for both.
  tiny.files["bundle.json"] = ToJson(*manifest);
  const Status recognizer = Use(tiny.InMemory());
  EXPECT_EQ(recognizer.code(), Code::kMalformed);
  EXPECT_THAT(std::string(recognizer.message()),
              testing::StartsWith("memory/det.tflite: "));
  EXPECT_THAT(std::string(recognizer.message()),
              HasSubstr("looks like a detector"));
}

// Corrections choose among the classes that come next: the recognizer is asked
// for them where the configuration has a correction that needs them, and only
// there.
TEST(Bundle, NextClassesOfAStep_AreComputedForCorrections) {
  TinyBundle tiny;
  const Result<Bundle> bundle = LoadBundle(tiny.InMemory());
  ASSERT_TRUE(bundle.ok());
  auto line = image::Image::Create(64, 48);
  ASSERT_TRUE(line.ok());
  // Classes are colors: "x" is green, the next one is the space, red.
  for (int y = 0; y < line->height(); ++y)
    for (int x = 0; x < line->width(); ++x)
      std::ranges::copy(std::array{200, 250, 0}, line->row(y) + 3 * x);
  for (const bool corrects : {true, false}) {
    ocr::Config config = bundle->manifest.config;
    config.recognizer.settle_signs = corrects;
    config.recognizer.part_words = false;
    auto pipeline = CreatePipeline(*bundle, config, nullptr);
    ASSERT_TRUE(pipeline.ok());
    const auto read = (*pipeline)->RecognizeLine(line->view());
    ASSERT_TRUE(read.ok()) << read.status().message();
    const auto& x = read->lines[0];
    ASSERT_EQ(x.text, "x");
    ASSERT_EQ(x.characters.size(), 1u);
    EXPECT_EQ(!x.characters[0].alternatives.empty(), corrects);
  }
}

TEST(Bundle, ExtractedBundle_IsUnchanged) {
  TinyBundle tiny;
  tiny.files["MODEL_CARD.md"] = "where it comes from";
  tiny.files["notes.txt"] = "no part of the bundle";
  const std::string folder = TestFolder() + "/deep/er";
  const Status status = Extract(*tiny.InMemory(), folder);
  ASSERT_TRUE(status.ok()) << status.message();
  tiny.files.erase("notes.txt");
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++count;
    const auto bytes = ReadFile(entry.path().string());
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(std::string(bytes->begin(), bytes->end()),
              tiny.files[entry.path().filename().string()]);
  }
  EXPECT_EQ(count, tiny.files.size());
  EXPECT_TRUE(Use(FolderFiles(folder)).ok());
}

Status UseBoth(const Bundle& bundle) {
  return CreatePipeline(bundle, bundle.manifest.config, nullptr,
                        runtime::Precision::kFloat32, /*is_cascade=*/true)
      .TakeStatus();
}

TEST(Bundle, TwoPrecisions_AreLoaded) {
  TinyBundle tiny;
  const Result<Bundle> single = LoadBundle(tiny.InMemory());
  ASSERT_TRUE(single.ok());
  const Status refused = UseBoth(*single);
  EXPECT_EQ(refused.code(), Code::kNotFound);
  EXPECT_THAT(refused.message(), HasSubstr("memory: "));
  EXPECT_THAT(refused.message(), HasSubstr("--both"));

  tiny.AddIntegerNetworks();
  const Result<Bundle> both = LoadBundle(tiny.InMemory());
  ASSERT_TRUE(both.ok()) << both.status().message();
  EXPECT_NE(both->integer.recognizer, nullptr);
  EXPECT_TRUE(UseBoth(*both).ok());
  // Unused networks are not read.
  const Result<Bundle> one = LoadBundle(tiny.InMemory(), false);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->integer.recognizer, nullptr);
  const std::string folder = TestFolder();
  ASSERT_TRUE(Extract(*tiny.InMemory(), folder).ok());
  EXPECT_TRUE(fs::exists(folder + "/rec8.tflite"));

  tiny.files["rec8.tflite"][20] ^= 1;
  const Status damaged = LoadBundle(tiny.InMemory()).TakeStatus();
  EXPECT_THAT(damaged.message(), HasSubstr("rec8.tflite"));
  EXPECT_TRUE(LoadBundle(tiny.InMemory(), false).ok());
}

// A bundle with a language model of these bytes.
TinyBundle WithLanguage(const std::string& bytes) {
  TinyBundle tiny;
  tiny.files["x.lm"] = bytes;
  Result<Manifest> manifest = ParseManifest(tiny.files["bundle.json"]);
  EXPECT_TRUE(manifest.ok());
  const std::span<const uint8_t> span(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  manifest->languages = {{{"x.lm", bytes.size(), Sha256(span).value()}, {}}};
  tiny.files["bundle.json"] = ToJson(*manifest);
  return tiny;
}

TEST(Bundle, Languages_AreFoundByCodeRegionAndName) {
  Bundle all;
  all.manifest.name = "mine";
  all.manifest.languages.resize(3);
  all.manifest.languages[0].file = "latin.lm";
  all.manifest.languages[0].codes = {"en", "de"};
  all.manifest.languages[1].file = "korean.lm";
  all.manifest.languages[1].codes = {"ko"};
  all.manifest.languages[2].file = "Codes.lm";
  all.languages.resize(3);
  const auto count = [&](const char* languages) {
    Bundle bundle = all;
    EXPECT_TRUE(KeepLanguages(languages, &bundle).ok()) << languages;
    return bundle.languages.size();
  };
  EXPECT_EQ(count("en"), 1u);
  EXPECT_EQ(count("en,de"), 1u);
  EXPECT_EQ(count("EN-us,ko_KR"), 2u);
  EXPECT_EQ(count("latin,codes,ko"), 3u);
  EXPECT_THAT(LanguagesOf(all.manifest),
              testing::ElementsAre("en", "de", "ko", "Codes"));
  for (const char* wrong : {"xx", "en,xx", "en,", ",", " en"}) {
    const Status status = KeepLanguages(wrong, &all);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << wrong;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("those for en, de, ko, Codes"));
    EXPECT_EQ(all.languages.size(), 3u);
  }
  Bundle none;
  EXPECT_THAT(std::string(KeepLanguages("en", &none).message()),
              HasSubstr("none at all"));
}

TEST(Bundle, LanguageModels_AreNotCopied) {
  auto builder = text::LanguageBuilder::Create(U"xyz", 3);
  ASSERT_TRUE(builder.ok() && builder->Add(U"xyzzy"));
  const auto bytes = builder->Build(10000);
  ASSERT_TRUE(bytes.ok());
  TinyBundle tiny = WithLanguage(std::string(bytes->begin(), bytes->end()));
  const Result<Bundle> bundle = LoadBundle(tiny.InMemory());
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  ASSERT_EQ(bundle->languages.size(), 1u);
  EXPECT_EQ(bundle->languages[0]->letters(), 3u);
  EXPECT_TRUE(CreatePipeline(*bundle, bundle->manifest.config, nullptr).ok());
  const std::string folder = TestFolder() + "/extracted";
  ASSERT_TRUE(Extract(*tiny.InMemory(), folder).ok());
  EXPECT_EQ(LoadBundle(FolderFiles(folder))->languages.size(), 1u);
  // One that is not there, and one that is not the file of bundle.json.
  tiny.files["x.lm"][30] ^= 1;
  EXPECT_THAT(std::string(Use(tiny.InMemory()).message()),
              HasSubstr("memory/x.lm: its SHA-256"));
  tiny.files.erase("x.lm");
  const Status missing = Use(tiny.InMemory());
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("memory/x.lm"));
  // Whole, and no language model.
  TinyBundle other = WithLanguage("no language model at all");
  const Status wrong = Use(other.InMemory());
  EXPECT_EQ(wrong.code(), Code::kMalformed);
  EXPECT_THAT(std::string(wrong.message()),
              HasSubstr("memory/x.lm: it is not a language model"));
}

TEST(Bundle, DamagedBundle_IsNotExtracted) {
  TinyBundle tiny;
  tiny.files["rec.tflite"].back() ^= 1;
  const std::string folder = TestFolder();
  EXPECT_EQ(Extract(*tiny.InMemory(), folder).code(), Code::kMalformed);
  EXPECT_FALSE(fs::exists(folder + "/bundle.json"));
}

TEST(Bundle, EmbeddedDefault_Works) {
  const auto embedded = EmbeddedBundle();
  if (embedded == nullptr) GTEST_SKIP() << "built without a default model";
  const Status status = Use(embedded);
  EXPECT_TRUE(status.ok()) << status.message();
}

}  // namespace
}  // namespace munja::bundle
