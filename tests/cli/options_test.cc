// Each option of the commands that read changes something that a user sees,
// and no command is without such a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

std::vector<double> Confidences(const Json& page) {
  std::vector<double> all;
  for (const Json& line : page["lines"]) all.push_back(line["confidence"]);
  return all;
}

// Width and height of a PNG file.
std::pair<int, int> SizeOfPng(const std::string& path) {
  const std::string bytes = ReadAll(path);
  if (bytes.size() < 24) return {};
  const auto number = [&](size_t at) {
    int n = 0;
    for (size_t i = at; i < at + 4; ++i)
      n = 256 * n + static_cast<unsigned char>(bytes[i]);
    return n;
  };
  return {number(16), number(20)};
}

class Options : public testing::Test {
 protected:
  // Adds the rows of the options that set the bundle or its threads.
  void AddEngineRows(const Words& words, Rows* rows) {
    (*rows)["--model"] = [words] {
      const Outcome outcome = Munja(words + Words{"--model=absent"});
      EXPECT_EQ(outcome.exit_code, 5);
      EXPECT_THAT(outcome.err, HasSubstr("absent"));
    };
    (*rows)["--threads"] = [words] {
      EXPECT_EQ(Munja(words + Words{"--threads=1025"}).exit_code, 2);
    };
    (*rows)["--set"] = [words] {
      const Outcome outcome = Munja(words + Words{"--set=detector.sides=7"});
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_THAT(outcome.err, HasSubstr("sides"));
    };
    (*rows)["--words"] = [words] {
      const std::string file = TestFolder() + "/words.txt";
      const Outcome absent = Munja(words + Words{"--words=" + file});
      EXPECT_EQ(absent.exit_code, 3);
      EXPECT_THAT(absent.err, HasSubstr(file));
      WriteAll(file, "tw\xFFo");
      const Outcome broken = Munja(words + Words{"--words=" + file});
      EXPECT_EQ(broken.exit_code, 3);
      EXPECT_THAT(broken.err, HasSubstr("line 1 is not UTF-8"));
      WriteAll(file, "TOTAL CASH");
      EXPECT_EQ(Munja(words + Words{"--words=" + file}).exit_code, 0);
      fs::remove(file);
    };
    (*rows)["--allow-characters"] = [words] {
      const Outcome unknown = Munja(words + Words{"--allow-characters=\u0E01"});
      EXPECT_EQ(unknown.exit_code, 2);
      EXPECT_THAT(unknown.err,
                  HasSubstr("the model knows none of the allowed characters"));
      EXPECT_EQ(
          Munja(words + Words{"--allow-characters=0123456789. "}).exit_code, 0);
    };
    (*rows)["--deny-characters"] = [words] {
      EXPECT_EQ(Munja(words + Words{"--deny-characters=0123456789"}).exit_code,
                0);
      EXPECT_EQ(Munja(words + Words{"--allow-characters=0123",
                                    "--deny-characters=0123"})
                    .exit_code,
                2);
    };
    (*rows)["--language"] = [words] {
      EXPECT_EQ(Munja(words + Words{"--language=ko,en"}).exit_code, 0);
      const Outcome unknown = Munja(words + Words{"--language=en,xx"});
      EXPECT_EQ(unknown.exit_code, 2);
      EXPECT_THAT(unknown.err, HasSubstr("--language: the model 'default' has "
                                         "no language model for 'xx'; it has "
                                         "those for en, "));
      EXPECT_EQ(
          Munja(words + Words{"--language=en", "--no-language"}).exit_code, 2);
    };
    (*rows)["--no-language"] = [words] {
      EXPECT_EQ(Munja(words + Words{"--no-language"}).exit_code, 0);
      // It overrides what --set says.
      const Outcome settings =
          Munja({"read", "--print-settings", "--no-language",
                 "--set=recognizer.language_weight=2"});
      EXPECT_THAT(settings.out, HasSubstr("\"language_weight\": 0.0"));
    };
    (*rows)["--no-winograd"] = [words] {
      EXPECT_EQ(
          Munja(words + Words{"--precision=fp32", "--no-winograd"}).exit_code,
          0);
    };
    (*rows)["--device"] = [words] {
      const Outcome outcome = Munja(words + Words{"--device=nn:absent"});
      EXPECT_EQ(outcome.exit_code, 3);
      EXPECT_THAT(outcome.err, HasSubstr("only cpu, reference"));
    };
    (*rows)["--device-option"] = [words] {
      const Outcome outcome =
          Munja(words + Words{"--device=nn:cpu", "--device-option=speed=1"});
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_THAT(outcome.err, HasSubstr("speed"));
    };
    (*rows)["--driver-path"] = [words] {
      fs::create_directories(TestFolder() + "/drivers");
      WriteAll(TestFolder() + "/drivers/libbroken.so", "no library");
      const Outcome outcome =
          Munja(words + Words{"--device=nn:broken",
                              "--driver-path=" + TestFolder() + "/drivers"});
      EXPECT_EQ(outcome.exit_code, 8);
      EXPECT_THAT(outcome.err, HasSubstr("libbroken.so"));
    };
  }
  // Whether this processor has products of 16-bit floats.
  static bool HasHalves() {
    const Json report =
        AsJson({"bench", DefaultBundle() + "/detector.tflite", "--shape",
                "1x32x32x3", "--runs", "1", "--json", "--precision", "fp16"});
    return report["precision"].get<std::string>().find("none") ==
           std::string::npos;
  }

  static std::vector<std::string> TextsOf(const Json& lines) {
    std::vector<std::string> texts;
    for (const Json& line : lines) texts.push_back(line["text"]);
    return texts;
  }

  const std::string picture_ = TestData("pictures/receipt.jpg");
  const std::string labels_ = TestData("labels/pictures.jsonl");
};

TEST_F(Options, EveryCommand_HasItsTable) {
  std::set<std::string> all;
  for (const std::string& name : CommandsOf({})) all.insert(name);
  EXPECT_EQ(all,
            (std::set<std::string>{
                "read",     "live",       "models",    "convert",    "quantize",
                "prune",    "inspect",    "operators", "devices",    "run",
                "bench",    "bench-read", "eval",      "doctor",     "serve",
                "nn-bench", "nn-test",    "help",      "completion", "man"}));
  const std::vector<std::string> models = CommandsOf({"models"});
  EXPECT_EQ(std::set<std::string>(models.begin(), models.end()),
            (std::set<std::string>{"list", "path", "verify", "extract", "get",
                                   "pull"}));
  EXPECT_EQ(OptionsOf({}), (std::set<std::string>{"--help", "--version"}));
}

TEST_F(Options, Devices_EachOptionHasAnEffect) {
  const Words words = {"devices"};
  const std::string folder = TestFolder() + "/drivers";
  fs::create_directories(folder);
  WriteAll(folder + "/libbroken.so", "no library");
  const Rows rows = {
      {"--json",
       [&] {
         const Json report = AsJson(words + Words{"--json"});
         ASSERT_EQ(report["devices"].size(), 2u);
         const Json& cpu = report["devices"][0];
         EXPECT_EQ(cpu["name"], "cpu");
         EXPECT_EQ(cpu["source"], "built in");
         EXPECT_GT(cpu["performance"]["TENSOR_FLOAT32"]["time"], 0);
         EXPECT_EQ(cpu["operations"].size(), 102u);
         EXPECT_THAT(Munja(words).out, HasSubstr("munja-reference"));
       }},
      {"--driver-path",
       [&] {
         const Outcome outcome = Munja(words + Words{"--driver-path", folder});
         EXPECT_EQ(outcome.exit_code, 1);
         EXPECT_THAT(outcome.err, HasSubstr("libbroken.so"));
         EXPECT_THAT(outcome.out, HasSubstr("munja-cpu"));
       }},
  };
  CheckOptions(words, {.words = words, .no_time = 0, .no_memory = 0}, rows);
}

TEST_F(Options, Doctor_EachOptionHasAnEffect) {
  const Words words = {"doctor"};
  const std::string folder = TestFolder() + "/drivers";
  fs::create_directories(folder);
  WriteAll(folder + "/libbroken.so", "no library");
  const Rows rows = {
      {"--json",
       [&] {
         EXPECT_EQ(AsJson(words + Words{"--json"})["schema_version"], 1);
       }},
      {"--model",
       [&] {
         const Json report =
             AsJson(words + Words{"--json", "--model", "default"});
         EXPECT_EQ(report["self_test"]["model"], "default");
         const Outcome absent = Munja(words + Words{"--model=absent"});
         EXPECT_EQ(absent.exit_code, 5);
         EXPECT_THAT(absent.out, HasSubstr("self-test     FAILED\n"));
         EXPECT_THAT(absent.out, HasSubstr("absent"));
       }},
      {"--driver-path",
       [&] {
         // Reading works all the same.
         const Outcome outcome = Munja(words + Words{"--driver-path", folder});
         EXPECT_EQ(outcome.exit_code, 0);
         EXPECT_THAT(outcome.out, HasSubstr("libbroken.so"));
       }},
  };
  CheckOptions(words,
               {.words = words,
                .no_time = 6,
                .no_memory = 6,
                .few_pixels = 6,
                .shows_progress = true},
               rows);
}

TEST_F(Options, Read_EachOptionHasAnEffect) {
  const Words words = {"read", "--format=json", picture_};
  const Json usual = AsJson(words);
  const size_t count = usual["lines"].size();
  ASSERT_GT(count, 10u);
  const Json exact = AsJson(words + Words{"--precision=fp32"})["lines"];
  const std::string made = TestFolder() + "/made";
  Rows rows;
  AddEngineRows(words, &rows);
  rows["--model"] = [&] {
    const std::string copy = TestFolder() + "/copy";
    fs::copy(DefaultBundle(), copy);
    std::string text = ReadAll(copy + "/bundle.json");
    const std::string name = "\"name\": \"default\"";
    ASSERT_NE(text.find(name), text.npos);
    text.replace(text.find(name), name.size(), "\"name\": \"mine\"");
    WriteAll(copy + "/bundle.json", text);
    EXPECT_EQ(AsJson(words + Words{"--model", copy})["model"], "mine");
    EXPECT_EQ(Munja(words + Words{"--model=absent"}).exit_code, 5);
  };
  rows["--threads"] = [&] {
    const std::string many = std::to_string(ManyThreads());
    EXPECT_TRUE(HasThreads({"read", "--threads", many, picture_, picture_},
                           ManyThreads()));
    EXPECT_EQ(AsJson(words + Words{"--threads=1"})["lines"], usual["lines"]);
  };
  rows["--trace"] = [&] {
    const std::string trace = TestFolder() + "/trace.json";
    EXPECT_EQ(AsJson(words + Words{"--trace", trace})["lines"], usual["lines"]);
    EXPECT_GT(TracedOperators(trace)["CONV_2D"], 20);
    // A trace may be replaced, nothing else.
    EXPECT_EQ(Munja(words + Words{"--trace", trace}).exit_code, 0);
    const std::string copy = TestFolder() + "/copy.jpg";
    fs::copy(picture_, copy);
    const Outcome refused = Munja({"read", copy, "--trace", copy});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("this is no trace"));
    EXPECT_EQ(ReadAll(copy), ReadAll(picture_));
  };
  rows["--precision"] = [&] {
    EXPECT_EQ(AsJson(words + Words{"--precision=mixed"})["lines"],
              usual["lines"]);
    EXPECT_NE(exact, usual["lines"]);
    // The last digits, which are not printed, may be others.
    EXPECT_EQ(TextsOf(AsJson(
                  words + Words{"--precision=fp32", "--no-winograd"})["lines"]),
              TextsOf(exact));
    EXPECT_EQ(AsJson(words + Words{"--precision=fp16"})["lines"] != exact,
              HasHalves());
  };
  // It is given the networks in float.
  rows["--device"] = [&] {
    EXPECT_EQ(TextsOf(AsJson(words + Words{"--device=nn:cpu"})["lines"]),
              TextsOf(exact));
  };
  rows["--set"] = [&] {
    EXPECT_EQ(AsJson(words + Words{"--set=min_confidence=1"})["lines"].size(),
              0u);
  };
  rows["--format"] = [&] {
    // Cells of a row are on one line of text; an empty one parts blocks.
    std::string lines;
    for (const Json& line : usual["lines"])
      lines += line["text"].get<std::string>() + " ";
    std::string text = Munja({"read", "--format=text", picture_}).out;
    EXPECT_THAT(text, HasSubstr("\n2 x Rye bread 7.80\n"));
    for (size_t at; (at = text.find("\n\n")) != text.npos;) text.erase(at, 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    EXPECT_EQ(text, lines);
    EXPECT_THAT(Munja({"read", "--format=tsv", picture_}).out,
                HasSubstr("\tBAKERY\n"));
    // Several formats are several files.
    EXPECT_EQ(
        Munja({"read", "--format=tsv", "--format=hocr", picture_}).exit_code,
        2);
    EXPECT_EQ(Munja({"read", "--format=xml", picture_}).exit_code, 2);
  };
  rows["--json"] = [&] {
    EXPECT_EQ(AsJson({"read", "--json", picture_})["lines"], usual["lines"]);
  };
  rows["--output-dir"] = [&] {
    ASSERT_EQ(Munja({"read", "--output-dir", made + ".d", picture_}).exit_code,
              0);
    EXPECT_THAT(
        ReadAll(made + ".d/" + fs::path(picture_).stem().string() + ".txt"),
        HasSubstr("BAKERY NORTHWIND"));
  };
  rows["--output-name"] = [&] {
    ASSERT_EQ(Munja({"read", "--output-dir", made + ".d", "--output-name",
                     "x/{name}", picture_})
                  .exit_code,
              0);
    EXPECT_TRUE(fs::exists(made + ".d/x/" +
                           fs::path(picture_).filename().string() + ".txt"));
  };
  rows["--resume"] = [&] {
    fs::create_directories(made + ".d");
    const std::string done =
        made + ".d/" + fs::path(picture_).stem().string() + ".txt";
    WriteAll(done, "there");
    const Words again = {"read", "--output-dir", made + ".d", picture_};
    EXPECT_EQ(Munja(again + Words{"--resume"}).exit_code, 0);
    EXPECT_EQ(ReadAll(done), "there");
    EXPECT_EQ(Munja(again).exit_code, 0);
    EXPECT_THAT(ReadAll(done), HasSubstr("BAKERY NORTHWIND"));
    EXPECT_EQ(Munja({"read", "--resume", picture_}).exit_code, 2);
  };
  rows["--files-from"] = [&] {
    WriteAll(made + ".list", picture_ + "\n\n" + picture_ + "\r\n");
    EXPECT_THAT(Munja({"read", "--files-from", made + ".list"}).out,
                HasSubstr("\n==> " + picture_ + " <==\n"));
    EXPECT_EQ(Munja({"read", "--files-from", made + ".no"}).exit_code, 3);
    // As editors of other systems write it.
    WriteAll(made + ".list", "\xEF\xBB\xBF" + picture_ + "\r\n");
    EXPECT_EQ(Munja({"read", "--files-from", made + ".list"}).exit_code, 0);
    WriteAll(made + ".list", "\n\n");
    const Outcome none = Munja({"read", "--files-from", made + ".list"});
    EXPECT_EQ(none.exit_code, 3);
    EXPECT_THAT(none.err, HasSubstr("there are no names in this list"));
  };
  rows["--null"] = [&] {
    const std::string odd = made + ".a\nb.jpg";
    fs::copy(picture_, odd);
    WriteAll(made + ".list", odd + '\0' + picture_ + '\0');
    const Words list = {"read", "--files-from", made + ".list"};
    EXPECT_EQ(Munja(list + Words{"--null"}).exit_code, 0);
    EXPECT_THAT(Munja(list).err, HasSubstr("--null"));
    EXPECT_EQ(Munja({"read", "--null", picture_}).exit_code, 2);
  };
  rows["--recursive"] = [&] {
    fs::create_directories(made + ".d/deep/er");
    fs::copy(picture_, made + ".d/deep/er/one.jpg");
    EXPECT_EQ(Munja({"read", made + ".d"}).exit_code, 3);
    EXPECT_THAT(Munja({"read", "--recursive", made + ".d"}).out,
                HasSubstr("BAKERY NORTHWIND"));
  };
  rows["--pdf-password"] = [&] {
    if (std::system("command -v qpdf pdftoppm > /dev/null") != 0) return;
    const std::string plain = made + ".plain.pdf", page = made + ".locked.pdf";
    ASSERT_EQ(Munja({"read", "--format=pdf", "-o", plain, picture_}).exit_code,
              0);
    ASSERT_EQ(std::system(("qpdf --encrypt user owner 256 -- '" + plain +
                           "' '" + page + "'")
                              .c_str()),
              0);
    const Outcome refused = Munja({"read", page});
    EXPECT_EQ(refused.exit_code, 4);
    EXPECT_THAT(refused.err, HasSubstr("MUNJA_PDF_PASSWORD"));
    EXPECT_EQ(Munja({"read", "--pdf-password=other", page}).exit_code, 4);
    const Outcome read = Munja({"read", "--pdf-password=user", "--format=pdf",
                                "-o", made + ".open.pdf", page});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.err, HasSubstr("encrypted, what is written is not"));
    EXPECT_THAT(Munja({"read", "--pdf-password=owner", page}).out,
                HasSubstr("BAKERY"));
  };
  rows["--dpi"] = [&] {
    EXPECT_EQ(Munja({"read", "--dpi=0", picture_}).exit_code, 2);
    if (std::system("command -v pdftoppm > /dev/null") != 0) return;
    const std::string page = made + ".page.pdf";
    ASSERT_EQ(
        Munja({"read", "--format=pdf_text", "-o", page, picture_}).exit_code,
        0);
    const auto width = [&](const std::string& dpi) {
      return nlohmann::json::parse(
                 Munja({"read", "--format=json", "--dpi=" + dpi, page})
                     .out)["width"]
          .get<int>();
    };
    EXPECT_NEAR(width("36"), 0.5 * width("72"), 1);
  };
  rows["--all-frames"] = [&] {
    // Two pictures of one pixel.
    const std::string frame("\x2C\0\0\0\0\1\0\1\0\0\2\2\x44\1\0", 15);
    WriteAll(made + ".gif",
             std::string("GIF89a\1\0\1\0\x80\0\0\0\0\0\xFF\xFF\xFF", 19) +
                 frame + frame + ";");
    const auto lines = [&](const Words& more) {
      const std::string out =
          Munja(Words{"read", "--format=json", made + ".gif"} + more).out;
      return std::count(out.begin(), out.end(), '\n');
    };
    EXPECT_EQ(lines({}), 1);
    EXPECT_EQ(lines({"--all-frames"}), 2);
  };
  rows["--output"] = [&] {
    ASSERT_EQ(Munja({"read", "-o", made + ".tsv", picture_}).exit_code, 0);
    EXPECT_THAT(ReadAll(made + ".tsv"), HasSubstr("\tBAKERY\n"));
    ASSERT_EQ(Munja({"read", "--format=alto", "--format=hocr", "-o",
                     made + ".hocr", picture_, picture_})
                  .exit_code,
              0);
    EXPECT_THAT(ReadAll(made + ".hocr"), HasSubstr("id=\"page_2\""));
    EXPECT_THAT(ReadAll(made + ".alto.xml"), HasSubstr("ID=\"page_2\""));
    ASSERT_EQ(Munja({"read", "-o", made + ".JSON", picture_}).exit_code, 0);
    EXPECT_THAT(ReadAll(made + ".JSON"), HasSubstr("{\"schema_version\""));
    const Outcome unknown = Munja({"read", "-o", made + ".docx", picture_});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("extension .docx"));
  };
  rows["--overlay"] = [&] {
    AsJson(words + Words{"--overlay", made + ".png"});
    EXPECT_EQ(SizeOfPng(made + ".png"),
              std::pair(usual["width"].get<int>(), usual["height"].get<int>()));
  };
  rows["--html"] = [&] {
    AsJson(words + Words{"--html", made + ".html"});
    EXPECT_THAT(ReadAll(made + ".html"), HasSubstr("BAKERY NORTHWIND"));
  };
  rows["--dump-stages"] = [&] {
    AsJson(words + Words{"--dump-stages", made});
    EXPECT_TRUE(fs::exists(made + "/1-input.png"));
    // Several pictures have a folder each.
    Munja({"read", "--dump-stages", made, picture_, picture_});
    EXPECT_TRUE(fs::exists(made + "/1/1-input.png"));
    EXPECT_TRUE(fs::exists(made + "/2/1-input.png"));
  };
  rows["--min-confidence"] = [&] {
    std::vector<double> all = Confidences(usual);
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    // Between two that are printed, with four digits.
    const double limit = sorted[count / 2] - 5e-5;
    std::erase_if(all, [&](double c) { return c < limit; });
    ASSERT_LT(all.size(), count);
    EXPECT_EQ(Confidences(AsJson(
                  words + Words{"--min-confidence", std::to_string(limit)})),
              all);
  };
  rows["--line"] = [&] {
    const Json line = AsJson(words + Words{"--line"});
    EXPECT_EQ(line["lines"].size(), 1u);
  };
  rows["--print-settings"] = [&] {
    const Json settings =
        AsJson({"read", "--print-settings", "--set=detector.limit_side=320"});
    EXPECT_EQ(settings["detector"]["limit_side"], 320);
    // The last word is this option's, and 0 is a value.
    for (const char* const limit : {"0.2", "0"}) {
      EXPECT_EQ(AsJson({"read", "--print-settings", "--set=min_confidence=0.9",
                        "--min-confidence", limit})["min_confidence"],
                std::stod(limit));
    }
  };
  CheckOptions({"read"},
               {.words = words, .few_pixels = 6, .shows_progress = true}, rows);
}

// A picture that fails is reported, and all others are read.
TEST_F(Options, Read_OneImageOfSeveralFails) {
  const Outcome outcome = Munja({"read", picture_, TestFolder() + "/absent"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("BAKERY NORTHWIND"));
  EXPECT_THAT(outcome.err, HasSubstr("absent"));
}

TEST_F(Options, BenchRead_EachOptionHasAnEffect) {
  const Words words = {"bench-read", "--count=1", picture_};
  Rows rows;
  AddEngineRows(words, &rows);
  rows["--threads"] = [&] {
    EXPECT_TRUE(HasThreads({"bench-read", "--count=100000000", "--threads",
                            std::to_string(ManyThreads()), picture_},
                           ManyThreads()));
  };
  rows["--precision"] = [&] {
    EXPECT_EQ(Munja(words + Words{"--precision=fp16"}).exit_code, 0);
    EXPECT_EQ(Munja(words + Words{"--precision=fp8"}).exit_code, 2);
  };
  rows["--count"] = [&] {
    // The number of pictures stands first in the last row of the table.
    for (const char* number : {"1", "3"}) {
      const std::string out =
          Munja({"bench-read", "--count", number, picture_}).out;
      EXPECT_THAT(out.substr(out.find('\n') + 1),
                  StartsWith("       " + std::string(number) + " "));
    }
  };
  CheckOptions({"bench-read"},
               {.words = words, .few_pixels = 6, .shows_progress = true}, rows);
}

TEST_F(Options, Eval_EachOptionHasAnEffect) {
  const Words words = {"eval", "--json", "--labels", labels_};
  const Json usual = AsJson(words);
  const std::string results = TestFolder() + "/results.jsonl";
  Rows rows;
  AddEngineRows(words, &rows);
  rows["--labels"] = [&] {
    EXPECT_EQ(usual["lines"], 22);
    EXPECT_EQ(Munja({"eval"}).exit_code, 2);
    EXPECT_EQ(Munja({"eval", "--labels=absent"}).exit_code, 3);
  };
  rows["--html"] = [&] {
    const std::string page = TestFolder() + "/page.html";
    AsJson(words + Words{"--html", page});
    EXPECT_THAT(ReadAll(page), HasSubstr("of 22 labeled lines"));
    EXPECT_EQ(Munja(words + Words{"--html", labels_}).exit_code, 2);
  };
  rows["--calibration-plot"] = [&] {
    const std::string plot = TestFolder() + "/plot.svg";
    const Json figures = AsJson(words + Words{"--calibration-plot", plot});
    const Json& bins = figures["confidence_bins"];
    ASSERT_EQ(bins.size(), 10u);
    const auto sure = std::to_string(bins[9]["lines"].get<int>());
    EXPECT_THAT(ReadAll(plot), HasSubstr(">" + sure + " lines say "));
    EXPECT_EQ(Munja(words + Words{"--calibration-plot", plot, "--task=detect"})
                  .exit_code,
              2);
    EXPECT_EQ(Munja(words + Words{"--calibration-plot", labels_}).exit_code, 2);
  };
  rows["--task"] = [&] {
    // Boxes have no text to be scored, and no words are looked for.
    const Json boxes = AsJson(words + Words{"--task=detect"});
    EXPECT_FALSE(boxes.contains("line_recall"));
    const Json lying = AsJson(words + Words{"--set", "turn_pages=false"});
    EXPECT_EQ(boxes["det_recall"], lying["det_recall"]);
    AsJson(words + Words{"--task=detect", "--results", results});
    const Json page = Json::parse(ReadAll(results));
    for (const Json& line : page["lines"]) EXPECT_EQ(line["text"], "");
    EXPECT_EQ(Munja(words + Words{"--task=recognize"}).exit_code, 2);
  };
  rows["--ignore-text"] = [&] {
    const auto lines = [&](const Words& texts) {
      Words more;
      for (const std::string& text : texts)
        more.push_back("--ignore-text=" + text);
      return AsJson(words + more)["lines"];
    };
    EXPECT_EQ(lines({"BAKERY"}), 22) << "no label is that and nothing else";
    EXPECT_EQ(lines({"BAKERY NORTHWIND"}), 21);
    EXPECT_EQ(lines({"BAKERY NORTHWIND", "2031-04-17"}), 20);
  };
  rows["--threads"] = [&] {
    std::string many;
    const std::string folder = TestFolder() + "/labels";
    fs::create_directory(folder);
    for (int i = 0; i < 10000; ++i)
      many += "{\"image\": \"" + picture_ + "\", \"text\": \"x\"}\n";
    WriteAll(folder + "/many.jsonl", many);
    EXPECT_TRUE(HasThreads({"eval", "--labels", folder + "/many.jsonl",
                            "--threads", std::to_string(ManyThreads())},
                           ManyThreads()));
  };
  rows["--precision"] = [&] {
    Json pages[2];
    for (const bool reduced : {false, true}) {
      AsJson(words + Words{reduced ? "--precision=fp16" : "--precision=fp32",
                           "--results", results});
      pages[reduced] = Json::parse(ReadAll(results))["lines"];
    }
    EXPECT_EQ(pages[0] != pages[1], HasHalves());
  };
  rows["--set"] = [&] {
    EXPECT_EQ(AsJson(words + Words{"--set=min_confidence=1"})["boxes"], 0);
  };
  rows["--results"] = [&] {
    AsJson(words + Words{"--results", results});
    EXPECT_EQ(Json::parse(ReadAll(results))["lines"],
              AsJson({"read", "--format=json", picture_})["lines"]);
  };
  rows["--from-results"] = [&] {
    WriteAll(results, "{\"source\": \"" + picture_ + "\", \"lines\": []}\n");
    const Json nothing = AsJson(words + Words{"--from-results", results});
    EXPECT_EQ(nothing["boxes"], 0);
    EXPECT_EQ(nothing["det_recall"], 0.0);
  };
  rows["--json"] = [&] {
    EXPECT_THAT(Munja({"eval", "--labels", labels_}).out,
                testing::ContainsRegex("\nlines +22\n"));
  };
  CheckOptions({"eval"},
               {.words = words, .few_pixels = 1, .shows_progress = true}, rows);
}

// The time in the middle when they are sorted, and the mean.
TEST_F(Options, Eval_HasTheMedianOfTheTimes) {
  const std::string folder = TestFolder() + "/labels";
  fs::create_directory(folder);
  std::string labels, results;
  for (const int ms : {5, 1, 14, 2, 3}) {
    const std::string name = std::to_string(ms) + ".png";
    labels += "{\"image\": \"" + name + "\", \"text\": \"x\"}\n";
    results += "{\"source\": \"a/" + name +
               "\", \"text\": \"x\", \"timing_ms\": {\"total\": " +
               std::to_string(ms) + "}}\n";
  }
  WriteAll(folder + "/times.jsonl", labels);
  WriteAll(folder + "/results.jsonl", results);
  const Json figures =
      AsJson({"eval", "--json", "--labels", folder + "/times.jsonl",
              "--from-results", folder + "/results.jsonl"});
  EXPECT_EQ(figures["ms_per_image_median"], 3.0) << figures;
  EXPECT_EQ(figures["ms_per_image"], 5.0);
}

TEST_F(Options, Models_EachOptionHasAnEffect) {
  CheckOptions({"models", "list"},
               {.words = {"models", "list"}, .no_time = 0, .no_memory = 0},
               {{"--json",
                 [] {
                   const Json list = AsJson({"models", "list", "--json"});
                   EXPECT_EQ(list.size() > 0, true);
                   EXPECT_THAT(
                       Munja({"models", "list"}).out,
                       StartsWith(list[0]["name"].get<std::string>() + "\t"));
                 }},
                {"--available", [] {
                   EXPECT_THAT(Munja({"models", "list", "--available"}).out,
                               StartsWith("ppocrv6-tiny\t"));
                 }}});
  CheckOptions({"models", "path"},
               {.words = {"models", "path", DefaultBundle()},
                .no_time = 0,
                .no_memory = 0},
               {});
  // The bundle inside the program has no path, which --quiet does not explain.
  const Outcome noted = Munja({"models", "path", "embedded:default"});
  if (noted.exit_code == 0) {
    EXPECT_THAT(noted.err, HasSubstr("inside the program"));
    EXPECT_EQ(Munja({"models", "path", "embedded:default", "--quiet"}).err, "");
  }
  CheckOptions({"models", "verify"},
               {.words = {"models", "verify", DefaultBundle()}}, {});
  const std::string folder = TestFolder() + "/extracted";
  CheckOptions(
      {"models", "extract"},
      {.words = {"models", "extract", DefaultBundle(), "-o", folder},
       .no_memory = 0},
      {{"--output", [&] {
          EXPECT_EQ(Munja({"models", "extract", "default"}).exit_code, 2);
          for (const char* option : {"-o", "--output"}) {
            fs::remove_all(folder);
            Munja({"models", "extract", DefaultBundle(), option, folder});
            EXPECT_TRUE(fs::exists(folder + "/bundle.json")) << option;
          }
        }}});
}

TEST_F(Options, ModelsPull_EachOptionHasAnEffect) {
  // No server listens at port 1: the message names the address.
  const Call call = {
      .environment = {"MUNJA_MODELS_URL=http://127.0.0.1:1/other",
                      "XDG_DATA_HOME=" + TestFolder()}};
  const auto pull = [&](const Words& more) {
    const Outcome outcome = Munja(Words{"models", "pull", "tiny"} + more, call);
    EXPECT_NE(outcome.exit_code, 0);
    return outcome;
  };
  if (pull({}).err.find("MUNJA_DOWNLOAD") != std::string::npos)
    GTEST_SKIP() << "this build cannot download";
  const Rows rows = {
      {"--help", [] {}},
      {"--from",
       [&] {
         EXPECT_THAT(pull({}).err, HasSubstr("127.0.0.1:1/other/tiny"));
         const Outcome outcome = pull({"--from=http://127.0.0.1:1/mine"});
         EXPECT_EQ(outcome.exit_code, 8);
         EXPECT_THAT(outcome.err, HasSubstr("127.0.0.1:1/mine/tiny"));
       }},
      {"--timeout", [&] { EXPECT_EQ(pull({"--timeout=1e-9"}).exit_code, 6); }},
      // Files are written as they come; there are no pictures.
      {"--max-memory",
       [&] { EXPECT_EQ(pull({"--max-memory=-1"}).exit_code, 2); }},
      {"--max-pixels",
       [&] { EXPECT_EQ(pull({"--max-pixels=0"}).exit_code, 2); }},
      {"--quiet", [&] { EXPECT_NE(pull({"--quiet"}).err, ""); }},
  };
  for (const std::string& option : OptionsOf({"models", "pull"}))
    EXPECT_TRUE(rows.contains(option)) << option;
  for (const auto& [option, row] : rows) {
    SCOPED_TRACE(option);
    row();
  }
}

}  // namespace
}  // namespace munja::cli_test
