// Options that every command with an OCR engine shares.
#ifndef MUNJA_CLI_ENGINE_H_
#define MUNJA_CLI_ENGINE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/executor_arguments.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct EngineArguments {
  std::string model;
  int threads = 0;
  std::vector<std::string> settings;  // "detector.limit_side=1280"
  std::string words, languages;
  std::string allowed_characters, denied_characters;
  bool no_language = false;
  Precision precision = {MUNJA_PRECISION_DEFAULT};
  ExecutorArguments executor;  // Its delegates.
};

void AddEngineOptions(CLI::App& command, EngineArguments* arguments);

// For munja::Engine::Read(): a picture that is decoded is not to blame for what
// the model does to it. A message and the exit code.
int FailRead(const munja::Status& status, const std::string& picture);

// Makes another engine of arguments that made one, with other languages or
// characters.
munja::Result<munja::Engine> MakeEngine(const EngineArguments& arguments);

// Makes the engine; on failure prints a message and gives the exit code.
int CreateEngine(const EngineArguments& arguments,
                 std::optional<munja::Engine>* engine);

}  // namespace munja::cli

#endif  // MUNJA_CLI_ENGINE_H_
