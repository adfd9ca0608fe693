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
  double dpi = 0;
  std::vector<std::string> configs;  // "pdf", "hocr" ...
  // Settings of -c and of bare NAME=VALUE words.
  std::map<std::string, std::string> variables;
};

// Empty, or what is wrong.
std::string Parse(const std::vector<std::string>& words, Arguments* arguments);

// Whether "1", "T", "true" and the like is what a variable says.
bool IsSet(const Arguments& arguments, const std::string& variable);

// The outputs, as file extensions behind the base: "txt", "hocr" ...; text is
// the default. Configs that are not known are in `unknown`.
std::vector<std::string> Outputs(const Arguments& arguments,
                                 std::vector<std::string>* unknown);

}  // namespace munja::tesseract

#endif  // MUNJA_TESSERACT_ARGUMENTS_H_
