#include "base/child.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/control.h"

namespace munja {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(RunChild, Input_IsPipedAndOutputReturned) {
  // More than a pipe holds, in both directions.
  const std::string input(3'000'000, 'x');
  const auto result = RunChild({"cat"}, Bytes(input), 4'000'000);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->output.size(), input.size());
  EXPECT_EQ(result->errors, "");
}

TEST(RunChild, InputFile_IsPassedByName) {
  const std::string input = "abc";
  const auto result =
      RunChild({"sh", "-c", "cat /dev/stdin /dev/stdin"}, Bytes(input), 100);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(std::string(result->output.begin(), result->output.end()),
            "abcabc");
}

TEST(RunChild, ExitStatus_IsReported) {
  const auto failed = RunChild({"sh", "-c", "echo bad >&2; exit 3"}, {}, 100);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->exit_code, 3);
  EXPECT_EQ(failed->errors, "bad\n");
  const auto killed = RunChild({"sh", "-c", "kill -9 $$"}, {}, 100);
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->exit_code, 137);
}

TEST(RunChild, MissingProgramOrTooMuchOutput_IsRefused) {
  EXPECT_EQ(RunChild({"munja-no-such-program"}, {}, 100).status().code(),
            Code::kNotFound);
  const auto endless = RunChild({"sh", "-c", "yes; true"}, {}, 100'000);
  EXPECT_EQ(endless.status().code(), Code::kOutOfMemory);
}

TEST(RunChild, TooMuchTimeOfTheProcessor_IsRefused) {
  const auto endless =
      RunChild({"sh", "-c", "while :; do :; done"}, {}, 100, 1);
  EXPECT_EQ(endless.status().code(), Code::kTimedOut);
  EXPECT_EQ(endless.status().message(),
            "sh takes more than 1 s of the processor's time");
}

// 300 MB of 50, and 100 for the program itself. A child has its limits a moment
// after it has begun, so that it must not ask for the memory at once.
TEST(RunChild, MoreMemoryThanIsLeft_IsRefused) {
  const std::vector<std::string> command = {
      "sh", "-c", "sleep 0.3; dd if=/dev/zero bs=300M count=1 of=/dev/null"};
  const auto enough = RunChild(command, {}, 100);
  ASSERT_TRUE(enough.ok()) << enough.status().message();
  EXPECT_EQ(enough->exit_code, 0);
  Control::Limits limits;
  limits.memory = 50'000'000;
  Control control(limits);
  const ControlScope scope(&control);
  const auto refused = RunChild(command, {}, 100);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
}

// With what it started itself.
TEST(RunChild, ExpiredTimeLimit_EndsTheChild) {
  Control::Limits limits;
  limits.seconds = 0.2;
  Control control(limits);
  const ControlScope scope(&control);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(RunChild({"sh", "-c", "sleep 60; true"}, {}, 100).status().code(),
            Code::kTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace munja
