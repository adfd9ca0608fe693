#include "bundle/manifest.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::bundle {
namespace {

Manifest Sample() {
  Manifest m;
  m.name = "tiny";
  m.detector = {"det.tflite", 1000, std::string(64, 'a')};
  m.recognizer = {"rec.tflite", 2000, std::string(64, 'b')};
  m.dictionary = {"keys.txt", 10, std::string(64, 'c')};
  return m;
}

std::string Replace(std::string text, const std::string& from,
                    const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Manifest, ImpossibleFigures_AreRefused) {
  Manifest m = Sample();
  m.measured = Measured{98.5f, 79.3f, ""};
  const std::string text = ToJson(m);
  EXPECT_TRUE(ParseManifest(text).ok());
  for (const char* other : {"0", "-1", "\"fast\""})
    EXPECT_EQ(ParseManifest(Replace(text, "98.5", other)).status().code(),
              Code::kMalformed)
        << other;
  for (const char* other : {"-0.1", "100.1", "null"})
    EXPECT_EQ(ParseManifest(Replace(text, "79.3", other)).status().code(),
              Code::kMalformed)
        << other;
  EXPECT_FALSE(ParseManifest(ToJson(Sample()))->measured.has_value());
}

TEST(Manifest, WrittenManifest_ReadsBack) {
  Manifest m = Sample();
  m.description = "a \"test\" bundle";
  m.measured = Measured{98.5f, 79.3f, "pages of mine"};
  m.classifier = FileEntry{"cls.tflite", 5, std::string(64, '0')};
  m.config.detector.threshold = 0.25f;
  m.config.detector.limit_type = ocr::LimitType::kMin;
  m.config.recognizer.normalization.order = ocr::ChannelOrder::kRgb;
  m.config.recognizer.use_space = false;
  m.config.recognizer.part_words = false;
  m.config.detector.cut_bent = false;
  m.config.detector.align_short = false;
  m.config.detector.fit_boxes = false;
  m.config.detector.join_gap = 0.75f;
  m.config.recognizer.settle_signs = false;
  m.config.recognizer.language_weight = 0.75f;
  m.config.recognizer.words_weight = 7;
  m.languages = {{{"latin.lm", 7, std::string(64, '3')}, {}},
                 {{"korean.lm", 8, std::string(64, '4')}, {}}};
  m.languages[0].codes = {"en", "pt-br"};
  m.config.recognizer.unknown_writing = ocr::UnknownScript::kLeaveOut;
  m.config.recognizer.unknown_likelihood = 0.75f;
  m.config.classifier.keep_aspect = true;
  m.config.min_confidence = 0.3f;
  const std::string text = ToJson(m);
  const Result<Manifest> back = ParseManifest(text);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(ToJson(*back), text);
  EXPECT_EQ(back->measured->page_ms, 98.5f);
  EXPECT_EQ(back->measured->word_f1, 79.3f);
  EXPECT_EQ(back->measured->on, "pages of mine");
  EXPECT_EQ(back->bytes(), 1000u + 2000 + 10 + 5 + 7 + 8);
  EXPECT_EQ(back->config.detector.threshold, 0.25f);
  EXPECT_EQ(back->config.detector.limit_type, ocr::LimitType::kMin);
  EXPECT_FALSE(back->config.recognizer.use_space);
  EXPECT_FALSE(back->config.recognizer.part_words);
  EXPECT_FALSE(back->config.detector.cut_bent);
  EXPECT_FALSE(back->config.detector.align_short);
  EXPECT_FALSE(back->config.detector.fit_boxes);
  EXPECT_EQ(back->config.detector.join_gap, 0.75f);
  EXPECT_FALSE(back->config.recognizer.settle_signs);
  EXPECT_EQ(back->config.recognizer.unknown_writing,
            ocr::UnknownScript::kLeaveOut);
  EXPECT_EQ(back->config.recognizer.unknown_likelihood, 0.75f);
  EXPECT_EQ(back->classifier->file, "cls.tflite");
  EXPECT_EQ(back->config.recognizer.language_weight, 0.75f);
  EXPECT_EQ(back->config.recognizer.words_weight, 7);
  ASSERT_EQ(back->languages.size(), 2u);
  EXPECT_THAT(back->languages[0].codes, testing::ElementsAre("en", "pt-br"));
  EXPECT_EQ(back->languages[1].file, "korean.lm");
  EXPECT_THAT(back->languages[1].codes, testing::IsEmpty());
  EXPECT_EQ(back->files().size(), 6u);
}

TEST(Manifest, NetworksInTwoPrecisions_ReadBack) {
  Manifest m = Sample();
  m.integer = IntegerNetworks{{"det8.tflite", 300, std::string(64, '1')},
                              {"rec8.tflite", 400, std::string(64, '2')},
                              std::nullopt};
  const std::string text = ToJson(m);
  const Result<Manifest> back = ParseManifest(text);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(ToJson(*back), text);
  ASSERT_TRUE(back->integer);
  EXPECT_EQ(back->integer->recognizer.file, "rec8.tflite");
  EXPECT_EQ(back->detector.file, "det.tflite");
  EXPECT_EQ(back->files().size(), 5u);
  EXPECT_FALSE(ParseManifest(ToJson(Sample()))->integer);

  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"det8.tflite", "../det8.tflite", "integer.detector.file"},
      {"\"bytes\": 400", "\"bytes\": 0", "integer.recognizer.bytes"},
      {"\"recognizer\": {\n      \"file\": \"rec8",
       "\"rec\": {\n      \"file\": \"rec8", "integer.recognizer is missing"},
  };
  for (const auto& c : cases) {
    const Result<Manifest> bad = ParseManifest(Replace(text, c.from, c.to));
    EXPECT_EQ(bad.status().code(), Code::kMalformed) << c.to;
    EXPECT_NE(bad.status().message().find(c.says), std::string::npos)
        << bad.status().message();
  }
  m.classifier = FileEntry{"cls.tflite", 5, std::string(64, '0')};
  const Status mixed = ParseManifest(ToJson(m)).TakeStatus();
  EXPECT_NE(mixed.message().find("both precisions"), std::string::npos)
      << mixed.message();
}

// People read this file: 0.45 must not come out as 0.44999998807907104.
TEST(Manifest, Numbers_AreWrittenWithoutRoundingNoise) {
  const std::string text = ToJson(Sample());
  EXPECT_NE(text.find("\"box_threshold\": 0.45,"), std::string::npos) << text;
}

TEST(Manifest, UntrustedManifest_IsRefused) {
  const std::string good = ToJson(Sample());
  ASSERT_TRUE(ParseManifest(good).ok());
  const struct {
    const char *from, *to, *says;
    Code code;
  } cases[] = {
      {"\"format\": 1", "\"format\": 2", "newer", Code::kUnsupported},
      {"\"format\": 1", "\"format\": 0", "format", Code::kMalformed},
      {"det.tflite", "../det.tflite", "detector.file", Code::kMalformed},
      {"det.tflite", ".hidden", "detector.file", Code::kMalformed},
      {"det.tflite", "bundle.json", "detector.file", Code::kMalformed},
      {"det.tflite", "", "detector.file", Code::kMalformed},
      {"\"bytes\": 1000", "\"bytes\": -1", "detector.bytes", Code::kMalformed},
      {"\"bytes\": 1000", "\"bytes\": 0", "detector.bytes", Code::kMalformed},
      {"\"bytes\": 1000", "\"bytes\": 1e300", "detector.bytes",
       Code::kMalformed},
      {"aaaa", "AAAA", "detector.sha256", Code::kMalformed},
      {"aaaa", "aaaaa", "detector.sha256", Code::kMalformed},
      {"aaaa", "aaa", "detector.sha256", Code::kMalformed},
      {"\"dictionary\"", "\"dict\"", "dictionary is missing", Code::kMalformed},
      {"\"threshold\": 0.2", "\"threshold\": 2", "detector.threshold",
       Code::kMalformed},
      {"\"threshold\": 0.2", "\"threshold\": \"x\"",
       "contract.detector.threshold", Code::kMalformed},
      {"\"threshold\": 0.2", "\"treshold\": 0.2",
       "contract.detector.treshold is not known", Code::kMalformed},
      {"\"limit_side\": 960", "\"limit_side\": 18446744073709551615",
       "contract.detector.limit_side", Code::kMalformed},
      {"\"limit_side\": 960", "\"limit_side\": -9000000000000000000",
       "of reasonable size", Code::kMalformed},
      {"\"order\": \"bgr\"", "\"order\": \"gbr\"", "must be 'bgr' or 'rgb'",
       Code::kMalformed},
      {"\"name\": \"tiny\"", "\"name\": \"a/b\"", "name", Code::kMalformed},
      {"\"format\": 1", "\"format\": 1, \"languages\": {}", "languages",
       Code::kMalformed},
      {"\"format\": 1", "\"format\": 1, \"languages\": [7]", "languages[0]",
       Code::kMalformed},
      {"\"format\": 1", "\"format\": 1, \"languages\": [{\"file\": \"../l\"}]",
       "languages[0].file", Code::kMalformed},
      {"\"format\": 1",
       "\"format\": 1, \"languages\": [{\"file\": \"l.lm\", \"bytes\": 1, "
       "\"sha256\": \"33333333333333333333333333333333"
       "33333333333333333333333333333333\", \"codes\": [\"English\"]}]",
       "languages[0].codes", Code::kMalformed},
      {"\"language_weight\": 0.3", "\"language_weight\": -1",
       "recognizer.language_weight", Code::kMalformed},
      {"\"words_weight\": 5.0", "\"words_weight\": 101",
       "recognizer.words_weight", Code::kMalformed},
  };
  for (const auto& c : cases) {
    const Result<Manifest> m = ParseManifest(Replace(good, c.from, c.to));
    ASSERT_FALSE(m.ok()) << c.to;
    EXPECT_EQ(m.status().code(), c.code) << c.to;
    EXPECT_NE(m.status().message().find(c.says), std::string::npos)
        << m.status().message();
  }
  for (const char* text : {"", "[]", "{", "null", "{\"format\": 1}"})
    EXPECT_FALSE(ParseManifest(text).ok()) << text;
}

}  // namespace
}  // namespace munja::bundle
