// The command line of Tesseract, as programs use it.
#ifndef MUNJA_TESSERACT_ARGUMENTS_H_
#define MUNJA_TESSERACT_ARGUMENTS_H_

#include <map>
#include <string>
#include <vector>

namespace munja::tesseract {

struct Arguments {
  enum Action { kRead, kVersion, kLanguages, kHelp, kIncomplete, kParameters };
  Action action = kRead;
  std::string image, base;             // "-" or "stdin", "stdout" as given.
  std::vector<std::string> languages;  // Values of -l, separated by "+".
  int psm = 3;
  bool has_psm = false;  // Given as an option.
  double dpi = 0;
  std::vector<std::string> configs;  // "pdf", "hocr", names of files ...
  std::string tessdata, user_words, user_patterns;
  // Settings of -c and of bare NAME=VALUE words, then of the configs.
  std::map<std::string, std::string> variables;
};

// Empty, or what is wrong.
std::string Parse(const std::vector<std::string>& words, Arguments* arguments);

// Reads the config files and sets what their variables and -c say. Messages are
// for standard error and fail nothing. Empty, or what is wrong: a variable
// whose value is none of its kind, or one that changes what is read and that is
// not supported.
std::string Configure(Arguments* arguments, std::vector<std::string>* messages);

// The value of a variable, or its default.
std::string ValueOf(const Arguments& arguments, const std::string& variable);

// "NAME<tab>DEFAULT<tab>DESCRIPTION" for each variable that has an effect.
std::string Parameters();

// Whether "1", "T", "true" and the like is what a variable says.
bool IsSet(const Arguments& arguments, const std::string& variable);

// The outputs, as file extensions behind the base: "txt", "hocr" ...; text is
// the default.
std::vector<std::string> Outputs(const Arguments& arguments);

}  // namespace munja::tesseract

#endif  // MUNJA_TESSERACT_ARGUMENTS_H_
