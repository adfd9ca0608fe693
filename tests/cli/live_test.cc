// Each option of munja live, on a directory of images: tests/live has videos.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<Json> EventsOf(const Words& words) {
  const Outcome outcome = Munja(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<Json> all;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    all.push_back(Json::parse(line, nullptr, false));
  return all;
}

int CountOfKind(const std::vector<Json>& events, const char* kind) {
  return static_cast<int>(
      std::count_if(events.begin(), events.end(),
                    [&](const Json& e) { return e["event"] == kind; }));
}

TEST(LiveOptions, EachOption_HasAnEffect) {
  // Three equal frames: one to read, two that change nothing.
  const std::string folder = TestFolder() + "/frames";
  fs::create_directories(folder);
  for (const char* name : {"/a.jpg", "/b.jpg", "/c.jpg"})
    fs::copy(TestData("pictures/receipt.jpg"), folder + name);
  const Words words = {"live", folder};
  const std::vector<Json> usual = EventsOf(words);
  const int lines = CountOfKind(usual, "new");
  ASSERT_GT(lines, 10);
  EXPECT_EQ(CountOfKind(usual, "gone"), lines);
  const auto refused = [&](const char* argument) {
    EXPECT_EQ(Munja(words + Words{argument}).exit_code, 2) << argument;
  };
  const std::string out = TestFolder() + "/out";
  Rows rows = {
      {"--format",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--format=srt"}).out,
                     HasSubstr("1\n00:00:00,000 --> 00:00:00,100\n"));
         EXPECT_THAT(Munja(words + Words{"--format=vtt"}).out,
                     HasSubstr("WEBVTT\n\n00:00:00.000 --> 00:00:00.100\n"));
         refused("--format=doc");
       }},
      {"--output",
       [&] {
         const Outcome o = Munja(words + Words{"--output", out + ".srt"});
         EXPECT_EQ(o.out, "");
         EXPECT_THAT(ReadAll(out + ".srt"), HasSubstr("BAKERY NORTHWIND"));
       }},
      {"--annotate",
       [&] {
         const Outcome o = Munja(words + Words{"--annotate", out + ".mp4"});
         // 8: a build without FFmpeg, which says so.
         EXPECT_TRUE(o.exit_code == 8 || fs::exists(out + ".mp4")) << o.err;
       }},
      {"--preview",
       [&] {
         const Outcome o =
             Munja(words + Words{"--preview"},
                   {.environment = {"SDL_VIDEODRIVER=dummy", "DISPLAY="}});
         EXPECT_EQ(o.exit_code, 8);
       }},
      {"--real-time",
       [&] {
         // Each frame waits for its time.
         const std::vector<Json> e =
             EventsOf(words + Words{"--real-time", "--rate=5"});
         EXPECT_EQ(e.back()["frames"], 3);
       }},
      {"--start",
       [&] {
         EXPECT_EQ(
             EventsOf(words + Words{"--rate=1", "--start=1"}).back()["frames"],
             2);
       }},
      {"--stop",
       [&] {
         EXPECT_EQ(
             EventsOf(words + Words{"--rate=1", "--stop=1"}).back()["frames"],
             1);
       }},
      {"--region",
       [&] {
         const std::vector<Json> e =
             EventsOf(words + Words{"--region=150,150,620,110"});
         EXPECT_GT(CountOfKind(e, "new"), 0);
         EXPECT_LT(CountOfKind(e, "new"), lines / 2);
       }},
      {"--rate",
       [&] {
         EXPECT_EQ(EventsOf(words + Words{"--rate=2"}).back()["time"], 1.5);
       }},
      {"--size", [&] { refused("--size=640"); }},
      {"--min-confidence",
       [&] {
         EXPECT_LT(
             CountOfKind(EventsOf(words + Words{"--min-confidence=1"}), "new"),
             lines);
       }},
      {"--stats",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--stats"}).err,
                     HasSubstr("frames       3\n"));
       }},
      {"--boxes",
       [&] {
         EXPECT_EQ(CountOfKind(EventsOf(words + Words{"--boxes"}), "boxes"), 3);
       }},
      {"--frame-ms", [&] { refused("--frame-ms=-1"); }},
      {"--share", [&] { refused("--share=2"); }},
      {"--agree",
       [&] {
         EXPECT_EQ(CountOfKind(EventsOf(words + Words{"--agree=50",
                                                      "--best-frames=50"}),
                               "final"),
                   0);
         refused("--agree=51");
       }},
      {"--best-frames",
       [&] {
         refused("--best-frames=51");
         EXPECT_EQ(
             CountOfKind(EventsOf(words + Words{"--best-frames=1"}), "new"),
             lines);
         EXPECT_EQ(
             Munja(words + Words{"--best-frames=2", "--agree=3"}).exit_code, 2);
       }},
      {"--model",
       [&] { EXPECT_EQ(Munja(words + Words{"--model=absent"}).exit_code, 5); }},
      {"--threads", [&] { refused("--threads=1025"); }},
      {"--set", [&] { refused("--set=detector.sides=7"); }},
      {"--words",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--words=/absent"}).exit_code, 3);
       }},
      {"--language", [&] { refused("--language=xx"); }},
      {"--no-language",
       [&] { EXPECT_EQ(Munja(words + Words{"--no-language"}).exit_code, 0); }},
      {"--precision", [&] { refused("--precision=fp8"); }},
  };
  // Engine options that `read` has a row for with all their cases.
  for (const std::string& option : OptionsOf({"live"}))
    if (!rows.contains(option) && OptionsOf({"read"}).contains(option))
      rows[option] = [] {};
  for (const char* common :
       {"--help", "--quiet", "--timeout", "--max-memory", "--max-pixels"})
    rows.erase(common);
  CheckOptions({"live"},
               {.words = words,
                .no_time = 6,
                .no_memory = 6,
                .few_pixels = 6,
                .shows_progress = true},
               rows);
}

}  // namespace
}  // namespace munja::cli_test
