#include "cli/model_options.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>

#include "cli/program.h"

namespace munja::cli_test {

namespace fs = std::filesystem;

bool ModelOptions::ObeysThreads(const Words& words) {
  const int many = ManyThreads();
  return HasThreads(words + Words{"--threads", std::to_string(many)}, many);
}

void ModelOptions::CheckDrivers(const Words& words) {
  const std::string folder = TestFolder() + "/drivers";
  fs::create_directories(folder);
  WriteAll(folder + "/libbroken.so", "no library");
  const Outcome outcome =
      Munja(words + Words{"--device=nn:broken", "--driver-path=" + folder});
  EXPECT_EQ(outcome.exit_code, 8);
  EXPECT_THAT(outcome.err, testing::HasSubstr("libbroken.so"));
}

std::string ModelOptions::Example(const std::string& name) {
  const std::string folder = TestFolder() + "/examples";
  if (!fs::exists(folder)) {
    fs::create_directories(folder);
    EXPECT_EQ(cli_test::Run(MUNJA_EXAMPLE_MODELS, {folder}).exit_code, 0);
  }
  return folder + "/" + name;
}

std::string ModelOptions::Drawn(bool is_noise) {
  std::string ppm = "P6 160 96 255\n";
  uint32_t state = 1;
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 160; ++x) {
      const bool is_bar = y % 32 > 12 && y % 32 < 22 && x > 20 && x < 130;
      for (int c = 0; c < 3; ++c) {
        state = state * 1664525u + 1013904223u;
        ppm += static_cast<char>(is_noise ? state >> 24
                                 : is_bar ? 30 + 20 * c
                                          : 250 - x / 2 - y / 3);
      }
    }
  }
  const std::string path =
      TestFolder() + (is_noise ? "/noise.ppm" : "/bars.ppm");
  WriteAll(path, ppm);
  return path;
}

}  // namespace munja::cli_test
