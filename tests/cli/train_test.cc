// munja-train as a user meets it; builds without the training kit have none.
#ifdef MUNJA_TRAIN_PROGRAM
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Outcome Train(const std::vector<std::string>& arguments) {
  return Run(MUNJA_TRAIN_PROGRAM, arguments);
}

std::string TinyRecipe() {
  return std::string(MUNJA_SOURCE_DIR) + "/training/recipes/tiny.json";
}

// By name below the folder.
std::map<std::string, std::string> Files(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] =
          ReadAll(entry.path().string());
    }
  }
  return files;
}

TEST(Train, Samples_DependOnTheSeedOnly) {
  for (const std::string kind : {"lines", "pages"}) {
    const auto make = [&](const char* name, const char* seed,
                          const char* threads) {
      const std::string folder = TestFolder() + "/" + kind + name;
      std::vector<std::string> arguments = {
          "synth",   "--recipe",  TinyRecipe(),   "--out", folder,
          "--count", "6",         "--seed",       seed,    "--threads",
          threads,   "--preview", folder + ".png"};
      if (kind == "pages") arguments.push_back("--pages");
      const Outcome outcome = Train(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_GT(fs::file_size(folder + ".png"), 1000u);
      return Files(folder);
    };
    const auto first = make("1", "7", "1");
    EXPECT_EQ(first.size(), 7u);  // The labels, too.
    EXPECT_EQ(make("2", "7", "3"), first);
    EXPECT_NE(make("3", "8", "1"), first);
  }
}

// Makes a language model of a few words.
std::string LanguageModel(const std::string& folder) {
  WriteAll(folder + "/letters.txt", "a\nb\nc\n");
  WriteAll(folder + "/words.txt", "abc\ncab\nbac\n");
  WriteAll(folder + "/language.json",
           R"({"alphabet": "letters.txt", "language": {"letters": ["a-c"],
               "sources": [{"words": ["words.txt", "absent.txt"]}]}})");
  std::string file = folder + "/words.lm";
  const Outcome outcome =
      Train({"language", "--recipe", folder + "/language.json", "-o", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("absent.txt"));
  EXPECT_THAT(outcome.out, HasSubstr("3 words"));
  return file;
}

// From nothing to text, in seconds: how well it reads is another test's matter.
TEST(Train, TrainedNetworks_BecomeABundleThatReads) {
  const std::string folder = TestFolder();
  const std::string recognizer = folder + "/recognizer.checkpoint",
                    detector = folder + "/detector.checkpoint",
                    curves = folder + "/curves.png";
  // The detector's recipe is the same file with one more section.
  std::string recipe = ReadAll(TinyRecipe());
  recipe.resize(recipe.rfind('}'));
  recipe += R"(, "detector": {
    "network": {"channels": [8, 16, 16, 16, 16], "blocks": [0, 0, 0, 0]},
    "training": {"steps": 4, "pages": 1, "held_out": 1,
                 "crop": {"side": 160}}}})";
  for (const auto& entry :
       fs::directory_iterator(fs::path(TinyRecipe()).parent_path()))
    if (entry.path().extension() == ".txt")
      fs::copy(entry.path(), folder + "/" + entry.path().filename().string());
  WriteAll(folder + "/recipe.json", recipe);

  Outcome outcome =
      Train({"recognize", "--recipe", folder + "/recipe.json", "--out",
             recognizer, "--minutes", "0.03", "--plot", curves});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("held-out:"));
  EXPECT_GT(fs::file_size(curves), 1000u);
  outcome =
      Train({"detect", "--recipe", folder + "/recipe.json", "--out", detector});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;

  // The detector in two rounds of pruning, each learning from the whole one.
  const std::string round = folder + "/round", small = folder + "/small";
  for (const auto& [from, to, level] :
       {std::tuple{detector, round, "30%"}, std::tuple{round, small, "50%"}}) {
    outcome = Train({"prune", from, "--whole", detector, "--level", level,
                     "--distill", "0.5", "--out", to});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(ReadAll(to + ".json"), HasSubstr("detector.checkpoint"));
    outcome =
        Train({"detect", "--recipe", to + ".json", "--out", to, "--resume"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_THAT(ReadAll(small + ".json"), HasSubstr("4,\n        8,\n"));
  // A third round that asks for a lower level is refused.
  outcome = Train({"prune", small, "--whole", detector, "--level", "30%",
                   "--out", folder + "/more"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'stem'"));

  // A second run would overwrite the first, so it wants to be told.
  outcome =
      Train({"detect", "--recipe", folder + "/recipe.json", "--out", detector});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--resume"));

  outcome = Train({"export", recognizer, "-o", folder + "/r.tflite"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(Munja({"inspect", folder + "/r.tflite"}).out,
              HasSubstr("dictionary.txt"));
  outcome = Train({"bundle", "--detector", detector, "--recognizer",
                   folder + "/r.tflite", "--language",
                   "de,fr=" + LanguageModel(folder), "-o", folder + "/mine"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Munja({"models", "verify", folder + "/mine"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Munja(
      {"read", "--model", folder + "/mine", TestData("pictures/receipt.jpg")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ReadAll(folder + "/mine/words.lm"), ReadAll(folder + "/words.lm"));
  EXPECT_THAT(ReadAll(folder + "/mine/bundle.json"), HasSubstr("\"words.lm\""));
  EXPECT_EQ(Munja({"read", "--model", folder + "/mine", "--language", "fr",
                   TestData("pictures/receipt.jpg")})
                .exit_code,
            0);
}

TEST(Train, Prune_CountsWhatItLeaves) {
  for (const auto& [level, count] : std::map<std::string, std::string>{
           {"0", "6007596\n"}, {"0.5", "1508300\n"}, {"90%", "58653\n"}}) {
    const Outcome outcome =
        Train({"prune", "--count-only", "--network", "yolov7-tiny", "--classes",
               "1", "--level", level});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, count) << level;
  }
  const Outcome outcome = Train({"prune", "--count-only", "--level", "1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("layer 'layer0' keeps none"));
}

TEST(Train, Objects_AreLearnedPrunedAndMeasured) {
  const std::string folder = TestFolder();
  WriteAll(folder + "/recipe.json", R"({"objects": {"network": {"width": 0.1},
    "training": {"steps": 2, "pictures": 2, "side": 64, "held_out": 2}}})");
  const std::string whole = folder + "/whole", small = folder + "/small";
  Outcome outcome =
      Train({"objects", "--recipe", folder + "/recipe.json", "--out", whole});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Train({"prune", whole, "--level", "50%", "--criterion", "clusters",
                   "--out", small});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("before"));
  outcome = Train(
      {"objects", "--recipe", small + ".json", "--out", small, "--resume"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Train({"export", small, "-o", folder + "/small.tflite"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome =
      Train({"measure-objects", folder + "/small.tflite", "--count", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0."));
  EXPECT_EQ(Train({"prune", whole, "--level", "0.5"}).exit_code, 2);
  outcome = Train({"prune", whole, "--budget", "0.5", "--out", small + "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Train({"prune", whole, "--budget", "0.5", "--level", "0.5", "--out",
                   small + "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("either --level or --budget"));
  EXPECT_EQ(Train({"prune", whole, "--level", "0.5", "--criterion", "best",
                   "--out", folder + "/x"})
                .exit_code,
            2);
}

// Parameters of an exported checkpoint, as `munja prune` counts them.
int ParametersOf(const std::string& checkpoint) {
  const std::string model = checkpoint + ".tflite";
  Outcome outcome = Train({"export", checkpoint, "-o", model});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Munja({"prune", model, "--level=0", "--json", "-o",
                   checkpoint + ".same.tflite"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["parameters"];
}

TEST(Train, RoundsOfPruning_EndWherePruningAtOnceDoes) {
  const std::string folder = TestFolder();
  WriteAll(folder + "/recipe.json", R"({"objects": {"network": {"width": 0.1},
    "training": {"steps": 1, "pictures": 1, "side": 64, "held_out": 1}}})");
  const std::string whole = folder + "/whole", small = folder + "/small",
                    at_once = folder + "/at_once";
  Outcome outcome =
      Train({"objects", "--recipe", folder + "/recipe.json", "--out", whole});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Train({"prune", whole, "--level", "0.7", "--out", at_once});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto rounds = [&] {
    return cli_test::Run(
        std::string(MUNJA_SOURCE_DIR) + "/tools/prune-in-rounds",
        {"objects", whole, "--level", "0.7", "--rounds", "2", "--steps", "1",
         "--distill", "1", "--train", MUNJA_TRAIN_PROGRAM, "--out", small});
  };
  outcome = rounds();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ParametersOf(small), ParametersOf(at_once));
  EXPECT_GT(ParametersOf(small + ".round1"), ParametersOf(small));
  // A tenth of the rate, once.
  EXPECT_THAT(ReadAll(small + ".json"), HasSubstr("0.0001000"));
  EXPECT_THAT(ReadAll(small + ".json"), HasSubstr("\"whole\""));
  // Ended before the last round it goes on with what is there.
  fs::remove(small);
  outcome = rounds();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ParametersOf(small), ParametersOf(at_once));
}

TEST(Train, Mistakes_AreNamed) {
  const std::string folder = TestFolder();
  const std::string out = folder + "/out";
  WriteAll(folder + "/bad.json", R"({"alphabet": "none.txt", "textt": 1})");
  WriteAll(folder + "/broken.json", R"({"alphabet": )");
  WriteAll(folder + "/noise", "no checkpoint");
  struct Case {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{}, 2, "subcommand"},
      {{"recognize", "--recipe", folder + "/none.json", "--out", out},
       3,
       "none.json"},
      {{"recognize", "--recipe", folder + "/bad.json", "--out", out},
       3,
       "textt"},
      {{"synth", "--recipe", folder + "/broken.json", "--out", out},
       3,
       "broken.json"},
      {{"detect", "--recipe", TinyRecipe(), "--out", out},
       3,
       "no section 'detector'"},
      {{"synth", "--recipe", TinyRecipe()}, 2, "neither a folder"},
      {{"synth", "--recipe", TinyRecipe(), "--count", "2", "--out",
        folder + "/noise/inside"},
       7,
       "noise"},
      {{"export", folder + "/noise", "-o", folder + "/m.tflite"},
       3,
       "not a checkpoint"},
      {{"plot", folder + "/noise", "-o", folder + "/c.png"}, 3, "noise"},
  };
  for (const Case& c : cases) {
    const Outcome outcome = Train(c.arguments);
    EXPECT_EQ(outcome.exit_code, c.exit_code) << c.message << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
    EXPECT_FALSE(fs::exists(out)) << c.message;
  }
}

}  // namespace
}  // namespace munja::cli_test
#endif  // MUNJA_TRAIN_PROGRAM
