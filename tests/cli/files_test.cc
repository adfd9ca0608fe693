// The command's treatment of special files, and of files that exist already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Model() { return TestData("models/double.tflite"); }

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info.st_mode;
}

// The pipe has no writer: a program that opens it as a file hangs.
std::string Pipe(const std::string& name) {
  const std::string path = TestFolder() + "/" + name;
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  return path;
}

TEST(Files, OutputThatIsADevice_StaysOne) {
  const std::string full = TestFolder() + "/full";
  if (::mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "only root makes devices";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", Model(), "-o", full},
        {"read", "--overlay", full, ReceiptPicture()}}) {
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 7) << arguments[0] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("full")) << arguments[0];
    EXPECT_TRUE(S_ISCHR(ModeOf(full))) << arguments[0];
  }
}

TEST(Files, Output_KeepsItsPermissionsAndItsLink) {
  const std::string file = TestFolder() + "/m.tflite";
  const std::string link = TestFolder() + "/link";
  WriteAll(file, "old");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  fs::create_symlink("m.tflite", link);
  const Outcome outcome = Munja({"convert", Model(), "-o", link});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ModeOf(file) & 07777, 0600u);
  EXPECT_TRUE(S_ISLNK(ModeOf(link)));
  EXPECT_GT(fs::file_size(file), 100u);
}

TEST(Files, StandardOutput_IsAnOutput) {
  const std::string file = TestFolder() + "/m.tflite";
  const Outcome there = Munja({"convert", Model(), "-o", file});
  ASSERT_EQ(there.exit_code, 0) << there.err;
  const std::string expected = ReadAll(file);
  // As /dev/stdout, which no mistake of ours shall ever replace.
  const std::string link = TestFolder() + "/stdout";
  fs::create_symlink("/proc/self/fd/1", link);
  for (const std::string& name :
       {std::string("-"), link, std::string("/dev/fd/1")}) {
    const Outcome outcome = Munja({"convert", Model(), "-o", name});
    EXPECT_EQ(outcome.exit_code, 0) << name << outcome.err;
    EXPECT_EQ(outcome.out, expected) << name;
    EXPECT_THAT(outcome.err, HasSubstr("operators")) << name;
  }
  // The file that standard output goes to, under its own name.
  const std::string same = TestFolder() + "/same.tflite";
  Call call;
  call.stdout_path = same;
  EXPECT_EQ(Munja({"convert", Model(), "-o", same}, call).exit_code, 0);
  EXPECT_EQ(ReadAll(same), expected);
}

TEST(Files, OverlayOnStandardOutput_SendsTheTextToStandardError) {
  const Outcome plain = Munja({"read", ReceiptPicture()});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Outcome outcome = Munja({"read", "--overlay", "-", ReceiptPicture()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("\x89PNG"));
  EXPECT_EQ(outcome.err, plain.out);
}

TEST(Files, Model_ComesFromStandardInput) {
  const Outcome file = Munja({"inspect", Model()});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  Call call;
  call.input = ReadAll(Model());
  for (const char* name : {"-", "/dev/stdin"}) {
    const Outcome outcome = Munja({"inspect", name}, call);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, file.out);
  }
  EXPECT_EQ(Munja({"operators", "-"}, call).exit_code, 0);
  EXPECT_EQ(Munja({"bench", "-", "--runs", "1"}, call).exit_code, 0);
  call.input.clear();
  const Outcome empty = Munja({"inspect", "-"}, call);
  EXPECT_EQ(empty.exit_code, 5);
  EXPECT_THAT(empty.err, HasSubstr("standard input"));
}

TEST(Files, Pipe_IsNoModel) {
  const std::string pipe = Pipe("m.tflite");
  for (const char* command : {"inspect", "bench", "operators"}) {
    const Outcome outcome = Munja({command, pipe});
    EXPECT_EQ(outcome.exit_code, 5) << command;
    EXPECT_THAT(outcome.err, HasSubstr("is a pipe")) << command;
  }
  const Outcome convert =
      Munja({"convert", pipe, "-o", TestFolder() + "/out.tflite"});
  EXPECT_EQ(convert.exit_code, 3);
  EXPECT_THAT(convert.err, HasSubstr("not a regular file"));
}

TEST(Files, PipeInsideABundle_IsAnError) {
  const std::string bundle = TestFolder() + "/bundle";
  ASSERT_EQ(Munja({"models", "extract", "default", "-o", bundle}).exit_code, 0);
  for (const char* name :
       {"dictionary.txt", "detector.tflite", "bundle.json"}) {
    fs::remove(bundle + "/" + name);
    ASSERT_EQ(::mkfifo((bundle + "/" + name).c_str(), 0600), 0);
    const Outcome outcome =
        Munja({"read", "--model", bundle, ReceiptPicture()});
    EXPECT_EQ(outcome.exit_code, 5) << name << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("bundle")) << name;
  }
}

TEST(Files, Image_ComesFromAPipe) {
  const std::string pipe = Pipe("picture");
  const Outcome file = Munja({"read", ReceiptPicture()});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  std::thread writer([&] { WriteAll(pipe, ReadAll(ReceiptPicture())); });
  const Outcome outcome = Munja({"read", pipe});
  if (outcome.exit_code != 0) std::ifstream(pipe).get();  // Lets it go on.
  writer.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, file.out);
}

TEST(Files, PipesThatWereNotNamed_AreLeftAlone) {
  const std::string folder = TestFolder() + "/pictures";
  fs::create_directories(folder);
  ASSERT_EQ(::mkfifo((folder + "/a.jpg").c_str(), 0600), 0);
  fs::copy_file(ReceiptPicture(), folder + "/b.jpg");
  EXPECT_EQ(Munja({"read", folder}).exit_code, 0);
  fs::create_directories(TestFolder() + "/labels");
  const std::string labels = TestFolder() + "/labels/set.jsonl";
  WriteAll(labels, "{\"image\": \"pictures/a.jpg\", \"text\": \"x\"}\n");
  const Outcome outcome = Munja({"eval", "--labels", labels});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("not a regular file"));
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Files, Input_IsNotWrittenOver) {
  const std::string model = TestFolder() + "/m.tflite";
  const std::string hard = TestFolder() + "/hard.tflite";
  const std::string soft = TestFolder() + "/soft.tflite";
  fs::copy_file(Model(), model);
  fs::create_hard_link(model, hard);
  fs::create_symlink("m.tflite", soft);
  const std::string before = ReadAll(model);
  for (const std::string& output : {model, hard, soft}) {
    const Outcome outcome = Munja({"convert", model, "-o", output});
    EXPECT_EQ(outcome.exit_code, 2) << output;
    EXPECT_THAT(outcome.err, HasSubstr("also an input")) << output;
    EXPECT_EQ(ReadAll(output), before);
  }
  const std::string keys = TestFolder() + "/keys.txt";
  WriteAll(keys, "a\n");
  EXPECT_EQ(
      Munja({"convert", model, "--dictionary", keys, "-o", keys}).exit_code, 2);
  EXPECT_EQ(ReadAll(keys), "a\n");
  const std::string picture = TestFolder() + "/p.jpg";
  fs::copy_file(ReceiptPicture(), picture);
  EXPECT_EQ(Munja({"read", "--overlay", picture, picture}).exit_code, 2);
  EXPECT_EQ(ReadAll(picture), ReadAll(ReceiptPicture()));
  const std::string labels = TestFolder() + "/l.jsonl";
  WriteAll(labels, "{\"image\": \"p.jpg\", \"text\": \"x\"}\n");
  EXPECT_EQ(Munja({"eval", "--labels", labels, "--results", labels}).exit_code,
            2);
}

TEST(Files, Bundle_DoesNotReplaceItsOwnInputs) {
  const std::string bundle = TestFolder() + "/bundle";
  ASSERT_EQ(Munja({"models", "extract", "default", "-o", bundle}).exit_code, 0);
  const std::string before = ReadAll(bundle + "/bundle.json");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{
            "convert", "--bundle", "--detector", bundle + "/detector.tflite",
            "--recognizer", bundle + "/recognizer.tflite", "--dictionary",
            bundle + "/dictionary.txt", "--no-check", "-o", bundle},
        {"quantize", "--bundle", bundle, "--mode", "weights", "-o", bundle},
        {"quantize", "--bundle", bundle, "--mode", "weights", "--role",
         "detector", "-o", bundle + "/detector.tflite"}}) {
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments[0] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("input")) << arguments[0];
  }
  EXPECT_EQ(ReadAll(bundle + "/bundle.json"), before);
  EXPECT_EQ(Munja({"models", "verify", bundle}).exit_code, 0);
}

TEST(Files, Directory_IsReplacedAsAWholeOrNotAtAll) {
  const std::string bundle = TestFolder() + "/bundle";
  ASSERT_EQ(Munja({"models", "extract", "default", "-o", bundle}).exit_code, 0);
  const auto names = NamesIn(bundle);
  // Replaced by itself, and by one whose parts do not fit.
  EXPECT_EQ(Munja({"models", "extract", "default", "-o", bundle}).exit_code, 0);
  const std::string other = TestFolder() + "/other";
  fs::copy(bundle, other);
  WriteAll(other + "/dictionary.txt", "a\nb\n");
  const Outcome failed =
      Munja({"convert", "--bundle", "--detector", other + "/detector.tflite",
             "--recognizer", other + "/recognizer.tflite", "--dictionary",
             other + "/dictionary.txt", "--no-check", "-o", bundle});
  EXPECT_NE(failed.exit_code, 0);
  EXPECT_THAT(failed.err, Not(HasSubstr("munja-new")));
  EXPECT_EQ(NamesIn(bundle), names);
  EXPECT_EQ(Munja({"models", "verify", bundle}).exit_code, 0);
  // A user's own file in the folder is kept.
  WriteAll(bundle + "/notes.txt", "mine");
  const Outcome kept = Munja({"models", "extract", "default", "-o", bundle});
  EXPECT_EQ(kept.exit_code, 7);
  EXPECT_THAT(kept.err, HasSubstr("notes.txt"));
  EXPECT_EQ(ReadAll(bundle + "/notes.txt"), "mine");
  EXPECT_EQ(NamesIn(TestFolder()),
            (std::vector<std::string>{"bundle", "other"}));
}

}  // namespace
}  // namespace munja::cli_test
