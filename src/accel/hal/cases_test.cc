#include "hal/cases.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace munja::hal {
namespace {

// One RELU of float16 with this number in it.
std::string ReluText(const std::string& number) {
  const std::string operand =
      R"({"name": "x", "type": "TENSOR_FLOAT16", "dims": [1], "buffer": 0, )";
  return R"({"format": "nnspec-json-1", "suite": "", "spec": "", "source": "",
    "buffers": [[)" +
         number + R"(]], "examples": [{"test": "relu", "min_version": "V1_2",
    "relaxed": false, "expect_failure": false, "multinomial_tolerance": 0,
    "referenced": [], "main": {"name": "main", "inputs": [0], "outputs": [1],
    "operations": [{"type": "RELU", "inputs": [0], "outputs": [1]}],
    "operands": [)" +
         operand + R"("lifetime": "SUBGRAPH_INPUT", "consumers": 1}, )" +
         operand + R"("lifetime": "SUBGRAPH_OUTPUT", "consumers": 0}]}}]})";
}

// A half has 10 bits behind the point. The middle between two goes to the even
// one; what is next to it goes where it belongs, also where float32 would take
// it for the middle.
TEST(Cases, Float16Values_AreRoundedOnce) {
  const struct {
    const char* number;
    std::vector<uint8_t> half;
  } kRows[] = {{"1", {0x00, 0x3c}},
               {"1.00048828125", {0x00, 0x3c}},
               {"1.000488281251", {0x01, 0x3c}},
               {"-1.000488281251", {0x01, 0xbc}},
               {"1.001464843749", {0x01, 0x3c}},
               {"1.00146484375", {0x02, 0x3c}},
               {"65519.9999999", {0xff, 0x7b}},
               {"65520", {0x00, 0x7c}}};
  for (const auto& row : kRows) {
    const auto cases = ParseCases(ReluText(row.number));
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    ASSERT_TRUE(cases->front().inputs[0].has_value());
    EXPECT_EQ(*cases->front().inputs[0], row.half) << row.number;
  }
}

}  // namespace
}  // namespace munja::hal
