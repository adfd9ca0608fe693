// .pdmodel (a protocol buffer) -> Program.
#ifndef MUNJA_IMPORT_PADDLE_DESC_READER_H_
#define MUNJA_IMPORT_PADDLE_DESC_READER_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "import/paddle/program.h"

namespace munja::importer::paddle {

// kMalformed, kUnsupported (attributes of unknown kind).
Result<Program> ReadDesc(std::span<const uint8_t> bytes);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_DESC_READER_H_
