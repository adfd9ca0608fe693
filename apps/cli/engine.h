// Options that every command with an OCR engine shares.
#ifndef MUNJA_CLI_ENGINE_H_
#define MUNJA_CLI_ENGINE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/executor_arguments.h"
#include "munja/munja.hpp"

namespace munja::cli {

using EngineHandle = munja::Handle<munja_engine, munja_engine_free>;
using DocumentHandle = munja::Handle<munja_document, munja_document_free>;

struct EngineArguments {
  std::string model;
  int threads = 0;
  std::vector<std::string> settings;  // "detector.limit_side=1280"
  std::string words;
  bool no_language = false;
  Precision precision = {MUNJA_PRECISION_DEFAULT};
  ExecutorArguments executor;  // Its delegates.
};

void AddEngineOptions(CLI::App& command, EngineArguments* arguments);

// For munja_engine_read(): a picture that is decoded is not to blame for what
// the model does to it. A message and the exit code.
int FailRead(munja_status status, const std::string& picture);

// Makes the engine; on failure prints a message and gives the exit code.
int CreateEngine(const EngineArguments& arguments, EngineHandle* engine);

}  // namespace munja::cli

#endif  // MUNJA_CLI_ENGINE_H_
