// For the tests of what stands for an attribute that a file leaves out: which
// attributes the sources of an importer read.
#ifndef MUNJA_IMPORT_TESTING_H_
#define MUNJA_IMPORT_TESTING_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"

namespace munja::foreign::testing {

// By operator: the names (of ncnn the numbers) of the attributes that the
// functions read which translate it, found in the text of
// src/tools/import/`folder`. A function that translates several operators reads
// the attributes of all.
std::map<std::string, std::set<std::string>> AttributesRead(
    const std::string& folder);

// What a model gives for made-up inputs of the shapes that it asks for, free
// sizes 4: the shape and numbers of its first output.
struct Answer {
  std::string refusal;  // Why it cannot be imported or run, or empty.
  Tensor tensor = {};
};
Answer AnswerOf(const Result<ImportedModel>& model);

// An attribute that was tried, for CheckAttribute().
struct Tried {
  std::string what;  // For messages.
  Answer without, with_other;
  std::optional<Answer> with_default;  // Where the specification has one.
};

// Leaving it out is like giving what the format's specification says; and
// another value changes something, or is refused, or the test shows nothing.
void CheckAttribute(const Tried& tried);

// Every operator and every attribute that is read has a row. `listed`: by
// operator the attributes of its rows, and those that are none of its own.
void CheckAllAreListed(
    const std::string& folder,
    const std::map<std::string, std::set<std::string>>& listed);

}  // namespace munja::foreign::testing

#endif  // MUNJA_IMPORT_TESTING_H_
