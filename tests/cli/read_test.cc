// munja read on good and bad pictures, with the bundle of the sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

class Read : public testing::Test {
 protected:
  Outcome Run(std::vector<std::string> arguments, const Call& call = {}) {
    arguments.insert(arguments.begin(), {"read", "--model", bundle_});
    return Munja(arguments, call);
  }
  const std::string bundle_ = DefaultBundle();
  const std::string receipt_ = TestData("pictures/receipt.jpg");
};

TEST_F(Read, SampleImage_IsPrinted) {
  const Outcome outcome = Run({receipt_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  // Items and their amounts are rows.
  for (const char* text : {"BAKERY NORTHWIND\n", "2 x Rye bread 7.80\n",
                           "TOTAL 18.40\n", "Thank you, see you tomorrow!\n"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
}

// --language chooses the model beside the command that knows the language.
TEST_F(Read, LanguageOfAnotherModel_IsReadByThat) {
  const Outcome outcome = Munja({"read", "--quiet", "--language", "ru",
                                 TestData("pictures/receipt_ru.png")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"Пекарня Северный ветер\n", "Молоко топлёное",
                           "Спасибо за покупку\n", "482.82"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
  const Outcome none =
      Munja({"read", "--quiet", "--language", "ru,ko", receipt_});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no language model for 'ru'"));
}

// Without a look at the writing this is "YnnUa necHaR noM ceMb" and the like.
TEST_F(Read, UnknownScript_IsMarkedAndSaidOnce) {
  const std::string russian = TestData("pictures/receipt_ru.png");
  const Outcome text = Run({russian});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 1) << text.err;
  EXPECT_THAT(text.err, HasSubstr("in a script that the model does not know "
                                  "(cyrillic by its looks)"));
  for (const char* number : {"482.82", "47.47", "993.92", "74.06", "27.04"})
    EXPECT_THAT(text.out, HasSubstr(number));
  // But for a short line or two, nothing of what would be read comes out.
  const auto letters_in = [](const std::string& out) {
    return std::count_if(out.begin(), out.end(),
                         [](char c) { return c >= 'a' && c <= 'z'; });
  };
  const Outcome kept =
      Run({"--set", "recognizer.unknown_writing=keep", russian});
  EXPECT_GT(letters_in(kept.out), 10 * letters_in(text.out)) << text.out;

  const auto lines_of = [&](const char* setting) {
    const Outcome json = Run({"--format", "json", "--set", setting, russian});
    EXPECT_EQ(json.exit_code, 0) << json.err;
    return Json::parse(json.out)["lines"];
  };
  const Json marked = lines_of("recognizer.unknown_writing=mark");
  size_t unknown = 0;
  for (const Json& line : marked) {
    if (!line.contains("unknown_writing")) continue;
    ++unknown;
    EXPECT_EQ(line["text"], "");
    EXPECT_EQ(line["unknown_writing"], "cyrillic");
  }
  EXPECT_GE(unknown, 15u);
  EXPECT_EQ(lines_of("recognizer.unknown_writing=leave_out").size(),
            marked.size() - unknown);
  for (const Json& line : lines_of("recognizer.unknown_writing=keep"))
    EXPECT_FALSE(line.contains("unknown_writing"));
}

// The schema that the documentation promises.
TEST_F(Read, Json_HasTheDocumentedShape) {
  const Outcome outcome = Run({"--format", "json", receipt_, receipt_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 2);
  const Json page = Json::parse(outcome.out.substr(0, outcome.out.find('\n')));
  EXPECT_EQ(page["schema_version"], 1);
  EXPECT_EQ(page["source"], receipt_);
  EXPECT_EQ(page["width"], 900);
  EXPECT_EQ(page["height"], 1180);
  EXPECT_EQ(page["model"], "default");
  for (const char* stage : {"decode", "detect", "recognize", "total"})
    EXPECT_GT(page["timing_ms"][stage].get<double>(), 0) << stage;
  ASSERT_GT(page["lines"].size(), 10u);
  for (const Json& line : page["lines"]) {
    EXPECT_TRUE(line["text"].is_string());
    EXPECT_GE(line["confidence"].get<double>(), 0);
    EXPECT_LE(line["confidence"].get<double>(), 1);
    ASSERT_EQ(line["polygon"].size(), 4u);
    double twice_area = 0;
    for (size_t i = 0; i < 4; ++i) {
      const Json &p = line["polygon"][i], &q = line["polygon"][(i + 1) % 4];
      ASSERT_EQ(p.size(), 2u);
      twice_area += p[0].get<double>() * q[1].get<double>() -
                    q[0].get<double>() * p[1].get<double>();
    }
    EXPECT_GT(twice_area, 0) << "clockwise on the screen: " << line;
  }
}

TEST_F(Read, Text_DoesNotDependOnThreads) {
  const auto lines = [&](const char* threads) {
    const Outcome o = Run({"--format", "json", "--threads", threads, receipt_});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return Json::parse(o.out, nullptr, false)["lines"];
  };
  const Json one = lines("1");
  EXPECT_EQ(one, lines("2"));
  EXPECT_EQ(one, lines("5"));
}

TEST_F(Read, Inputs_StandardInputAndDirectories) {
  const Outcome piped = Run({"-"}, {.input = ReadAll(receipt_)});
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("TOTAL"));
  const std::string folder = TestFolder();
  fs::copy(receipt_, folder + "/b.JPG");
  fs::copy(receipt_, folder + "/a.jpg");
  WriteAll(folder + "/notes.txt", "not a picture");
  fs::create_directory(folder + "/below");
  fs::copy(receipt_, folder + "/below/c.jpg");
  const Outcome all = Run({"--format", "json", folder});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  ASSERT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 2);
  EXPECT_LT(all.out.find("a.jpg"), all.out.find("b.JPG"));
}

TEST_F(Read, BadFile_DoesNotStopTheOthers) {
  const std::string bad = TestFolder() + "/bad.jpg";
  WriteAll(bad, ReadAll(receipt_).substr(0, 5000));
  const Outcome outcome = Run({bad, "/no/such/picture.png", receipt_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("TOTAL"));
  EXPECT_THAT(outcome.err, HasSubstr("munja: " + bad + ": "));
  EXPECT_THAT(outcome.err, HasSubstr("munja: /no/such/picture.png: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2);
  EXPECT_EQ(Run({bad}).exit_code, 3);
  EXPECT_EQ(Run({"/no/such/picture.png"}).exit_code, 3);
}

TEST_F(Read, ExitCodes_TellWhatIsWrong) {
  const std::string text = TestFolder() + "/text.png";
  WriteAll(text, "this is not a picture");
  EXPECT_EQ(Run({text}).exit_code, 4);
  for (const std::string setting :
       {"detector.threshold=7", "detector.treshold=0.3", "nonsense"}) {
    const Outcome outcome = Run({"--set", setting, receipt_});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(setting.substr(0, setting.find('='))));
  }
  // A picture after a setting is no second setting.
  EXPECT_EQ(Run({"--set", "detector.limit_side=960", receipt_}).exit_code, 0);
  EXPECT_EQ(Run({"--overlay", "/no/such/folder/o.png", receipt_}).exit_code, 7);
  EXPECT_EQ(Run({receipt_}, {.stdout_path = "/dev/full"}).exit_code, 7);
}

TEST_F(Read, Settings_CanBePrintedAndOverridden) {
  const Outcome outcome =
      Run({"--print-settings", "--set", "detector.limit_side=1280"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json settings = Json::parse(outcome.out);
  EXPECT_EQ(settings["detector"]["limit_side"], 1280);
  EXPECT_EQ(settings["detector"]["threshold"], 0.25);
}

TEST_F(Read, OverlayAndStages_AreWritten) {
  const std::string folder = TestFolder();
  const Outcome outcome = Run({"--overlay", folder + "/seen.png",
                               "--dump-stages", folder + "/stages", receipt_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // The overlay is itself a readable picture.
  const Outcome again = Run({"--format", "json", folder + "/seen.png"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["width"], 900);
  for (const char* name :
       {"1-input.png", "2-text-map.png", "3-boxes.png", "4-line-001.png"})
    EXPECT_GT(fs::file_size(folder + "/stages/" + name), 100u) << name;
}

TEST_F(Read, MinimumConfidence_OmitsLines) {
  const Outcome all = Run({"--format", "json", receipt_});
  const Outcome some =
      Run({"--format", "json", "--min-confidence", "0.99", receipt_});
  ASSERT_EQ(some.exit_code, 0);
  const Json all_lines = Json::parse(all.out)["lines"];
  Json expected = Json::array();
  for (const Json& line : all_lines)
    if (line["confidence"].get<double>() >= 0.99) expected.push_back(line);
  // Confidences are printed rounded; near the limit either may be right.
  EXPECT_NEAR(static_cast<double>(Json::parse(some.out)["lines"].size()),
              static_cast<double>(expected.size()), 1);
}

// Files as they occur: a message and a documented code, never a crash.
TEST_F(Read, OddImages_NeverCrash) {
  const std::string folder = TestFolder();
  const std::string receipt = ReadAll(receipt_);
  // A picture of one pixel and of one row, extreme shapes, depths and sizes
  // that lie, names that lie, several pictures in one file, nothing at all.
  for (const auto& [name, bytes, codes] :
       std::vector<std::tuple<std::string, std::string, std::set<int>>>{
           {"pixel.pgm", "P5 1 1 255 x", {0}},
           {"row.pgm", "P5 3000 1 255 " + std::string(3000, 'x'), {0}},
           {"column.pgm", "P5 1 3000 255 " + std::string(3000, 'x'), {0}},
           {"bits.pbm", "P1 2 2 0 1 1 0", {0}},
           {"deep.pgm", "P5 1 1 65535 xy", {0}},
           {"black.pgm", "P5 64 64 255 " + std::string(4096, '\0'), {0}},
           {"named.png", receipt, {0}},
           {"more.jpg", receipt + receipt, {0}},
           {"huge.pgm", "P5 999999 999999 255 x", {3, 4, 6}},
           {"nothing.pgm", "P5 0 0 255 ", {3}},
           {"negative.pgm", "P5 -1 1 255 x", {3}},
           {"empty.jpg", "", {3, 4}},
           {"text.jpg", "no picture", {4}},
           {"header.png", "\x89PNG\r\n\x1a\n", {3}}}) {
    WriteAll(folder + "/" + name, bytes);
    const Outcome outcome = Run({"--format", "json", folder + "/" + name});
    EXPECT_TRUE(codes.contains(outcome.exit_code))
        << name << ": " << outcome.exit_code << " " << outcome.err;
    if (outcome.exit_code == 0)
      EXPECT_FALSE(Json::parse(outcome.out, nullptr, false).is_discarded());
    else
      EXPECT_THAT(outcome.err, testing::StartsWith("munja: ")) << name;
  }
  const std::string robust = Shared("images/robust");
  if (robust.empty()) return;
  for (const auto& entry : fs::recursive_directory_iterator(robust)) {
    if (!entry.is_regular_file()) continue;
    const Outcome outcome = Run({"--format", "json", entry.path().string()});
    EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 3, 4, 6))
        << entry.path() << ": " << outcome.err;
  }
}

// Nothing to read is no error.
TEST_F(Read, ImageWithoutText_GivesNoLines) {
  const std::string blank = TestFolder() + "/blank.pgm";
  WriteAll(blank, "P5 320 240 255 " + std::string(320 * 240, '\xf0'));
  const Outcome text = Run({blank});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.out, "");
  const Outcome json = Run({"--format", "json", blank});
  EXPECT_EQ(Json::parse(json.out)["lines"], Json::array());
}

// A line cut out of the sample picture, where its label says that it lies.
TEST_F(Read, OneLine_OfOneImage) {
  const std::string stages = TestFolder() + "/stages";
  ASSERT_EQ(Run({"--dump-stages", stages, receipt_}).exit_code, 0);
  const std::string crop = stages + "/4-line-001.png";
  const Outcome line = Run({"--line", "--format", "json", crop});
  ASSERT_EQ(line.exit_code, 0) << line.err;
  const Json page = Json::parse(line.out);
  ASSERT_EQ(page["lines"].size(), 1u) << page;
  EXPECT_EQ(page["lines"][0]["text"], "BAKERY NORTHWIND");
  EXPECT_EQ(page["timing_ms"]["detect"], 0);
  EXPECT_GT(page["timing_ms"]["recognize"].get<double>(), 0);
  EXPECT_EQ(Run({"--line", crop, crop}).out,
            "==> " + crop + " <==\nBAKERY NORTHWIND\n\n==> " + crop +
                " <==\nBAKERY NORTHWIND\n");
}

TEST_F(Read, TruncatedImages_AreRefused) {
  const std::string whole = ReadAll(receipt_);
  const std::string path = TestFolder() + "/cut.jpg";
  std::vector<std::string> files;
  for (int part = 0; part < 64; ++part) {
    files.push_back(TestFolder() + "/cut" + std::to_string(part) + ".jpg");
    WriteAll(files.back(), whole.substr(0, whole.size() * part / 64));
  }
  std::vector<std::string> arguments = files;
  arguments.push_back(receipt_);
  const Outcome outcome = Run(arguments);
  EXPECT_EQ(outcome.exit_code, 1);
  for (const std::string& file : files)
    EXPECT_THAT(outcome.err, HasSubstr("munja: " + file + ": "));
}

// A photograph of signs in English, whose letters are in doubt.
TEST_F(Read, Language_ChoosesTheLanguageModels) {
  const std::string picture =
      Shared("images/images/ic15_scene/train_img_6.jpg");
  if (picture.empty()) GTEST_SKIP() << "no such picture here";
  const auto text = [&](const std::string& option) {
    const Outcome outcome =
        Munja({"read", "--model", DefaultBundle(), option, picture});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string all = text("--threads=1");
  EXPECT_EQ(text("--language=en"), all);
  EXPECT_EQ(text("--language=ko,en"), all);
  EXPECT_NE(text("--language=ko"), all);
  EXPECT_EQ(text("--language=ko"), text("--no-language"));
}

}  // namespace
}  // namespace munja::cli_test
