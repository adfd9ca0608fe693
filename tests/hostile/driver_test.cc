// The driver of the hostile programs finds what it is there to find.
#include "driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace munja::hostile {
namespace {

using ::testing::HasSubstr;

// Goes wrong in one case, in a way of one's choice.
class Faulty : public Target {
 public:
  enum Fault { kNone, kCrash, kSpin, kSleep, kGreed, kSays, kExit };
  explicit Faulty(Fault fault) : fault_(fault) {}
  Case Make(Random& random) override {
    Case c;
    c.files = {{"input", std::to_string(random.Next())}};
    c.how = "how it was made";
    c.choice = random.Below(10);
    return c;
  }
  std::string Try(const Case& c, const std::string& folder) override {
    if (!std::filesystem::exists(folder + "/input")) return "no file";
    if (c.choice != 7) return "";
    volatile bool forever = true;
    switch (fault_) {
      case kCrash:
        std::raise(SIGTRAP);
        break;
      case kSpin:
        while (forever) {
        }
        break;
      case kSleep:
        pause();
        break;
      case kGreed: {
        std::vector<char> much(size_t{200} << 20, 'x');
        if (much[much.size() / 2] != 'x') return "?";
        break;
      }
      case kSays:
        return Judge(false, "[json.exception.type_error.302] type must be");
      case kExit:
        std::_Exit(5);
      case kNone:
        break;
    }
    return "";
  }
  void AddSeed(const std::string&, const std::string&) override {}

 private:
  const Fault fault_;
};

// Returns the program's output, and its exit code in `code`.
std::string Output(Faulty::Fault fault, std::vector<std::string> args,
                   int* code) {
  const std::string save = ::testing::TempDir() + "hostile-driver-test";
  std::filesystem::remove_all(save);
  args.insert(args.begin(), "program");
  args.insert(args.end(), {"--save", save});
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  Faulty target(fault);
  ::testing::internal::CaptureStdout();
  *code = Run(static_cast<int>(argv.size()), argv.data(),
              {.name = "faulty",
               .write_files = true,
               .case_seconds = 0.3,
               .case_mib = 100,
               .asleep_seconds = 0.5},
              target);
  return ::testing::internal::GetCapturedStdout();
}

TEST(Driver, SoundProgram_EndsWell) {
  int code = -1;
  EXPECT_THAT(Output(Faulty::kNone, {"--cases", "100"}, &code),
              HasSubstr("100 cases"));
  EXPECT_EQ(code, 0);
}

TEST(Driver, EveryWayToGoWrong_IsFound) {
  const struct {
    Faulty::Fault fault;
    const char* words;
  } kFaults[] = {{Faulty::kCrash, "signal 5"},
                 {Faulty::kSpin, "processor time"},
                 {Faulty::kSleep, "waits for something"},
                 {Faulty::kGreed, "MiB of memory"},
                 {Faulty::kSays, "the words of a library"},
                 {Faulty::kExit, "exit code 5"}};
  for (const auto& fault : kFaults) {
    SCOPED_TRACE(fault.words);
    int code = -1;
    const std::string output =
        Output(fault.fault,
               {"--seed", "3", "--cases", "100", "--findings", "1"}, &code);
    EXPECT_EQ(code, 1);
    EXPECT_THAT(output, HasSubstr(fault.words));
    EXPECT_THAT(output, HasSubstr("FINDING faulty --seed 3 --once "));
    EXPECT_THAT(output, HasSubstr("how it was made"));
  }
}

// The case that is printed gives the same input again, which is saved.
TEST(Driver, Finding_TellsHowToDoItAgain) {
  int code = -1;
  const std::string output =
      Output(Faulty::kSays, {"--seed", "3", "--cases", "100"}, &code);
  const size_t at = output.find("--once ") + 7;
  const std::string number = output.substr(at, output.find(':', at) - at);
  const std::string saved = ::testing::TempDir() +
                            "hostile-driver-test/faulty-3-" + number + "/input";
  std::ifstream in(saved);
  const std::string first((std::istreambuf_iterator<char>(in)), {});
  EXPECT_FALSE(first.empty());
  const std::string again =
      Output(Faulty::kSays, {"--seed", "3", "--once", number}, &code);
  EXPECT_EQ(code, 1);
  EXPECT_THAT(again, HasSubstr("the words of a library"));
  std::ifstream second(saved);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(second)), {}), first);
}

}  // namespace
}  // namespace munja::hostile
