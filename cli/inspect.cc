// munja inspect: what is in a model.
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "munja/munja.hpp"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

int Inspect(const std::string& path, bool dot) {
  munja_model* raw = nullptr;
  munja_status status = munja_model_load(path.c_str(), &raw);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
  const api::Handle<munja_model, munja_model_free> model(raw);
  char* text = nullptr;
  status = dot ? munja_model_to_dot(model.get(), &text)
               : munja_model_to_text(model.get(), &text);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
  Print(api::TakeText(text));
  return FinishOutput();
}

}  // namespace

void AddInspect(CLI::App& app, Action* action) {
  struct Arguments {
    std::string model;
    bool dot = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Print a model's graph, tensors, quantization and metadata");
  command->add_option("MODEL", a->model, "A .tflite file")->required();
  command->add_flag("--dot", a->dot, "As Graphviz");
  command->footer(
      "Examples:\n"
      "  munja inspect det.tflite\n"
      "  munja inspect --dot det.tflite | dot -Tsvg > det.svg");
  command->callback(
      [a, action] { *action = [a] { return Inspect(a->model, a->dot); }; });
}

}  // namespace munja::cli
