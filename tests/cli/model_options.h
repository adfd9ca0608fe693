// The parts that the option tables of the commands for models share.
#ifndef MUNJA_TESTS_CLI_MODEL_OPTIONS_H_
#define MUNJA_TESTS_CLI_MODEL_OPTIONS_H_

#include <gtest/gtest.h>

#include <string>

#include "cli/option_table.h"

namespace munja::cli_test {

class ModelOptions : public testing::Test {
 protected:
  // Whether the command has as many threads as it is told: more than it takes
  // by itself.
  static bool ObeysThreads(const Words& words);
  // --drivers of a command that runs a model.
  static void CheckDrivers(const Words& words);
  // Models that the example programs use, too.
  static std::string Example(const std::string& name);
  // A picture: light paper with dark bars, or noise.
  static std::string Drawn(bool is_noise);
};

}  // namespace munja::cli_test

#endif  // MUNJA_TESTS_CLI_MODEL_OPTIONS_H_
