#include "cli/engine.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/precision.h"
#include "cli/usage.h"

namespace munja::cli {
namespace {

// "detector.limit_side=1280" becomes {"detector": {"limit_side": 1280}}. A
// value that is not JSON is text.
bool AddSetting(const std::string& setting, nlohmann::ordered_json* overrides) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  nlohmann::ordered_json* place = overrides;
  size_t start = 0;
  while (start <= equals) {
    const size_t dot = std::min(setting.find('.', start), equals);
    if (dot == start) return false;
    if (place->is_null()) *place = nlohmann::ordered_json::object();
    if (!place->is_object()) return false;
    place = &(*place)[setting.substr(start, dot - start)];
    start = dot + 1;
  }
  const std::string value = setting.substr(equals + 1);
  *place = nlohmann::ordered_json::parse(value, nullptr, false);
  if (place->is_discarded()) *place = value;
  return true;
}

// On failure a message and an exit code. The options point into the executor.
int FillEngineOptions(const EngineArguments& arguments, Executor* executor,
                      munja::EngineOptions* options) {
  if (const int code = CheckBundlePath(arguments.model); code != kSuccess)
    return code;
  nlohmann::ordered_json overrides;
  for (const std::string& setting : arguments.settings) {
    if (!AddSetting(setting, &overrides))
      return UsageError("--set takes NAME.NAME=VALUE, not '" + setting +
                        "'; 'munja read --print-settings' lists the names");
  }
  if (arguments.no_language)
    AddSetting("recognizer.language_weight=0", &overrides);
  if (!overrides.is_null())
    options->settings = overrides.dump(
        -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (const int code = executor->Make(arguments.executor); code != kSuccess)
    return code;
  options->model = arguments.model;
  options->threads = arguments.threads;
  options->precision = arguments.precision.format;
  options->no_winograd = arguments.precision.no_winograd;
  options->delegates = executor->delegates();
  options->words = arguments.words;
  options->allowed_characters = arguments.allowed_characters;
  options->denied_characters = arguments.denied_characters;
  options->languages = arguments.languages;
  return kSuccess;
}

}  // namespace

void AddEngineOptions(CLI::App& command, EngineArguments* arguments) {
  constexpr char kGroup[] = "Engine";
  command
      .add_option("-m,--model", arguments->model,
                  "Model to read with: a name or a directory (see 'munja help "
                  "models')")
      ->group(kGroup);
  command
      .add_option("-t,--threads", arguments->threads,
                  "Number of threads (default: one per core)")
      ->check(Between(0, 1024))
      ->group(kGroup);
  AddPrecisionOption(command, &arguments->precision, true, kGroup);
  AddDeviceOptions(&command, &arguments->executor, "--device", kGroup);
  command
      .add_option("--set", arguments->settings,
                  "Override a setting of the model, for example "
                  "detector.limit_side=1280; repeatable")
      ->group(kGroup)
      ->allow_extra_args(false)  // The next word is a picture.
      ->take_all();
  command
      .add_option("--words", arguments->words,
                  "Whitespace-separated vocabulary: names, products")
      ->group(kGroup);
  command
      .add_option("--allow-characters", arguments->allowed_characters,
                  "Read only these characters; list the space, too, if words "
                  "are to be apart")
      ->type_name("TEXT")
      ->group(kGroup);
  command
      .add_option("--deny-characters", arguments->denied_characters,
                  "Read all characters except these")
      ->type_name("TEXT")
      ->group(kGroup);
  CLI::Option* const language =
      command
          .add_option("--language", arguments->languages,
                      "Languages of the text, for example ko,en (default: all "
                      "that the model has language models for)")
          ->type_name("CODES")
          ->group(kGroup);
  command
      .add_flag("--no-language", arguments->no_language,
                "Disable the language models")
      ->excludes(language)
      ->group(kGroup);
}

int FailRead(const munja::Status& status, const std::string& picture) {
  const munja_status code = status.code();
  if (code == MUNJA_IO) return Fail(status, Subject::kOutput, picture);
  if (code != MUNJA_MALFORMED && code != MUNJA_UNSUPPORTED &&
      code != MUNJA_NOT_FOUND)
    return Fail(status, Subject::kInput, picture);
  PrintError("",
             InOwnWords(status.message()) + " (while reading " + picture + ")");
  return ExitCodeOf(code, Subject::kModel);
}

munja::Result<munja::Engine> MakeEngine(const EngineArguments& arguments) {
  Executor executor;
  munja::EngineOptions options;
  if (FillEngineOptions(arguments, &executor, &options) != kSuccess)
    return munja::Status(MUNJA_INVALID_ARGUMENT,
                         "the options of the engine are wrong");
  return munja::Engine::Create(options);
}

int CreateEngine(const EngineArguments& arguments,
                 std::optional<munja::Engine>* engine) {
  Executor executor;
  munja::EngineOptions options;
  if (const int code = FillEngineOptions(arguments, &executor, &options);
      code != kSuccess)
    return code;
  munja::Result<munja::Engine> made = munja::Engine::Create(options);
  if (made.ok()) {
    *engine = *std::move(made);
    return kSuccess;
  }
  if (!arguments.words.empty() && made.message().starts_with(arguments.words)) {
    PrintError("", InOwnWords(made.message()));
    return ExitCodeOf(made.code(), Subject::kInput);
  }
  // "languages: the model has none for 'xx'".
  if (made.code() == MUNJA_INVALID_ARGUMENT &&
      made.message().starts_with("languages: "))
    return UsageError("--language" + made.message().substr(9));
  const bool has_list = !arguments.allowed_characters.empty() ||
                        !arguments.denied_characters.empty();
  // "the allowed characters are not UTF-8", "... are denied".
  if (made.code() == MUNJA_INVALID_ARGUMENT && has_list &&
      made.message().find(" characters") != std::string::npos)
    return UsageError("--allow-characters, --deny-characters: " +
                      made.message());
  // With overrides, an invalid argument is what the user wrote.
  if (made.code() == MUNJA_INVALID_ARGUMENT && !options.settings.empty())
    return UsageError("--set: " + InOwnWords(made.message()));
  return Fail(made.error(), Subject::kModel, arguments.model);
}

}  // namespace munja::cli
