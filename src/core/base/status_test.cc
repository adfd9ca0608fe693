#include "base/status.h"

#include <gtest/gtest.h>

namespace munja {
namespace {

Result<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument("odd");
  return x / 2;
}
Result<int> Quarter(int x) {
  MUNJA_ASSIGN_OR_RETURN(const int half, Half(x).With("first half"));
  return Half(half).With("second half");
}

TEST(Status, Success_CarriesNothing) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::kOk);
  EXPECT_EQ(status.message(), "");
}

TEST(Status, Context_IsPrepended) {
  const Status status =
      Malformed("cut short").With("node 3").With("model.tflite");
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.message(), "model.tflite: node 3: cut short");
}

TEST(Result, Macro_PassesValuesAndFailuresOn) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(7).status().message(), "first half: odd");
  EXPECT_EQ(Quarter(6).status().message(), "second half: odd");
}

}  // namespace
}  // namespace munja
