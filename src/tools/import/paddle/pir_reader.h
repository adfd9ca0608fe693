// inference.json (a PIR program as JSON) -> Program.
#ifndef MUNJA_IMPORT_PADDLE_PIR_READER_H_
#define MUNJA_IMPORT_PADDLE_PIR_READER_H_

#include <string_view>

#include "base/status.h"
#include "import/paddle/program.h"

namespace munja::importer::paddle {

// Operators without a row in PirOperator() keep their name from the file, so
// that all unsupported ones are named together later.
Result<Program> ReadPir(std::string_view text);

// How an operator of the new format is called in the old one, and the names of
// its inputs and outputs there, in the order in which the new one lists them.
struct PirOperator {
  std::string_view name, type;
  std::string_view inputs, outputs;  // Separated by spaces.
};
// Null when there is no such row.
const PirOperator* FindPirOperator(std::string_view name);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_PIR_READER_H_
