// Limits, Ctrl-C and the line of progress: as a user at a terminal meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kModel = std::string(MUNJA_SOURCE_DIR) + "/models/default";

// A white picture with black bars, which may be taken for text.
std::string Bars(int width, int height) {
  std::string ppm =
      "P5 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
  const size_t start = ppm.size();
  ppm.resize(start + static_cast<size_t>(width) * height, '\xff');
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (y % 40 < 20 && x % 12 < 5) ppm[start + y * width + x] = 0;
  return ppm;
}

std::string Picture(const std::string& name, int width, int height) {
  const std::string path = TestFolder() + "/" + name;
  WriteAll(path, Bars(width, height));
  return path;
}

constexpr char kClear[] = "\r\033[K";
// Bars may look like a writing that the model does not know, and then it says
// so.
constexpr char kNoNotes[] = "recognizer.unknown_writing=keep";

TEST(Progress, Terminal_ShowsALineThatIsClearedInTheEnd) {
  std::string seen;
  const std::vector<std::string> arguments = {"read",
                                              "--set",
                                              kNoNotes,
                                              "--model",
                                              kModel,
                                              Picture("a.pgm", 200, 100),
                                              Picture("b.pgm", 200, 100)};
  ASSERT_EQ(OnTerminal(arguments, false, &seen), 0) << seen;
  EXPECT_THAT(seen, HasSubstr(std::string(kClear) + "[1/2] "));
  EXPECT_THAT(seen, HasSubstr(std::string(kClear) + "[2/2] "));
  EXPECT_TRUE(seen.ends_with(kClear)) << seen;
}

TEST(Progress, Line_IsClearedBeforeAnythingIsPrinted) {
  std::string seen;
  ASSERT_EQ(OnTerminal({"read", "--model", kModel, Picture("a.pgm", 200, 100),
                        TestFolder() + "/absent.png"},
                       true, &seen),
            1)
      << seen;
  // Every line of what is printed begins where a line begins.
  for (const char* text : {"==> ", "munja: "}) {
    const size_t at = seen.find(text);
    ASSERT_NE(at, std::string::npos) << seen;
    const std::string before = seen.substr(0, at);
    EXPECT_TRUE(before.ends_with(kClear) || before.ends_with("\n")) << seen;
  }
}

TEST(Progress, QuietAndFiles_HaveNone) {
  const std::vector<std::string> pictures = {Picture("a.pgm", 200, 100),
                                             Picture("b.pgm", 200, 100)};
  std::string seen;
  EXPECT_EQ(OnTerminal({"read", "--quiet", "--model", kModel, pictures[0],
                        pictures[1]},
                       false, &seen),
            0);
  EXPECT_EQ(seen, "");
  const Outcome outcome = Munja(
      {"read", "--set", kNoNotes, "--model", kModel, pictures[0], pictures[1]});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  // Errors are said all the same.
  EXPECT_THAT(Munja({"read", "--quiet", "--model", kModel, "absent.png"}).err,
              StartsWith("munja: absent.png"));
}

TEST(Progress, Quantize_SaysWhatItDoes) {
  std::string seen;
  EXPECT_EQ(OnTerminal({"quantize", "--bundle", kModel, "--mode", "weights",
                        "-o", TestFolder() + "/out"},
                       false, &seen),
            0)
      << seen;
  EXPECT_THAT(seen, HasSubstr("rounding weights"));
  EXPECT_TRUE(seen.ends_with(kClear)) << seen;
}

TEST(Interrupt, CtrlC_EndsTheCommandWithAWord) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::string seen;
    const std::string big = Picture("big.pgm", 2000, 2000);
    // So many that the signal comes before the last one on any machine.
    std::vector<std::string> words = {"read", "--model", kModel, "--set",
                                      "detector.limit_side=2000"};
    words.insert(words.end(), 64, big);
    EXPECT_EQ(OnTerminal(words, false, &seen, "[1/64]", signal), 128 + signal)
        << seen;
    EXPECT_THAT(seen, HasSubstr(std::string(kClear) + "munja: interrupted"));
    EXPECT_THAT(seen, Not(HasSubstr("[64/64]")));
  }
}

TEST(Interrupt, Output_LeavesNothingBehind) {
  std::string seen;
  const std::string out = TestFolder() + "/out";
  const std::string big = Picture("big.pgm", 2000, 2000);
  EXPECT_EQ(OnTerminal({"quantize", "--bundle", kModel, "--calibrate", big, big,
                        big, big, "-o", out},
                       false, &seen, "calibration pictures 0/4", SIGINT),
            130)
      << seen;
  EXPECT_FALSE(std::filesystem::exists(out));
  std::filesystem::remove(big);
  EXPECT_TRUE(std::filesystem::is_empty(TestFolder()));
}

TEST(Limits, Each_HasAnOptionAndEndsWithSix) {
  const std::string picture = Picture("page.pgm", 1000, 1000);
  const auto read = [&](const char* option, const char* value) {
    return Munja({"read", "--model", kModel, option, value, picture});
  };
  Outcome outcome = read("--timeout", "0.001");
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_THAT(outcome.err, HasSubstr("0.001 seconds"));
  outcome = read("--max-pixels", "999999");
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_THAT(outcome.err, HasSubstr("999999"));
  outcome = read("--max-memory", "64K");
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_THAT(outcome.err, HasSubstr("65536 that are allowed"));
  for (const char* fine : {"--timeout=1000", "--max-memory=2GiB",
                           "--max-memory=0", "--max-pixels=1000000"})
    EXPECT_EQ(Munja({"read", "--model", kModel, fine, picture}).exit_code, 0)
        << fine;
  for (const char* wrong :
       {"--timeout=-1", "--timeout=soon", "--max-memory=lots",
        "--max-memory=-1", "--max-memory=5X", "--max-pixels=0"})
    EXPECT_EQ(Munja({"read", "--model", kModel, wrong, picture}).exit_code, 2)
        << wrong;
}

// Each picture has its own time: one that takes too long is one that failed.
TEST(Limits, Time_IsOfEachImageNotOfAll) {
  const std::string small = Picture("small.pgm", 64, 64);
  std::vector<std::string> arguments = {"read", "--model", kModel, "--timeout",
                                        "30"};
  arguments.insert(arguments.end(), 5, small);
  EXPECT_EQ(Munja(arguments).exit_code, 0);
}

// A shape is looked at before memory of its size is filled.
TEST(Limits, Bench_PlansBeforeItFills) {
  const std::string detector = kModel + "/detector.tflite";
  // An input of 3 GB, and a plan of more than is allowed.
  const Outcome outcome =
      Munja({"bench", detector, "--shape", "1x16000x16000x3", "--runs", "1"});
  EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
  struct rusage use;
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &use), 0);
  EXPECT_LT(use.ru_maxrss, 2'000'000);  // KiB, of the largest.
  // The limit refuses a shape that the model itself would accept.
  const Outcome limited = Munja({"bench", detector, "--shape", "1x640x640x3",
                                 "--runs", "1", "--max-memory", "3M"});
  EXPECT_EQ(limited.exit_code, 6) << limited.err;
}

// Every command that works has them.
TEST(Limits, EveryCommand_HasTheOptions) {
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"read"},
                                             {"convert"},
                                             {"quantize"},
                                             {"prune"},
                                             {"inspect"},
                                             {"run"},
                                             {"bench"},
                                             {"bench-read"},
                                             {"eval"},
                                             {"operators"},
                                             {"models", "list"},
                                             {"models", "verify"},
                                             {"models", "pull"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string help = Munja(arguments).out;
    for (const char* option :
         {"--timeout", "--max-memory", "--max-pixels", "--quiet"})
      EXPECT_THAT(help, HasSubstr(option)) << command.back();
  }
}

}  // namespace
}  // namespace munja::cli_test
