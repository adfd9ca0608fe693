// Option tables <-> attributes, for every table of the schema alike.
#ifndef MUNJA_TFLITE_OPTIONS_H_
#define MUNJA_TFLITE_OPTIONS_H_

#include "base/status.h"
#include "flatbuffers/flatbuffers.h"
#include "graph/attributes.h"
#include "tflite/option_table.h"

namespace munja::tflite {

// Whether the table and each field that ReadOptions will touch lie inside the
// verifier's buffer. `table` points into it and may be null.
bool VerifyOptions(const OptionTable& layout, const flatbuffers::Table* table,
                   flatbuffers::Verifier& verifier);

// Every scalar field becomes an attribute, with the schema's default where the
// file has none; lists and texts only if present. A null `table` reads as one
// without fields. The table must have passed VerifyOptions. kUnsupported: an
// enumerator without a name.
Result<graph::Attributes> ReadOptions(const OptionTable& layout,
                                      const flatbuffers::Table* table);

// The other way. kInvalidArgument: an attribute that the table does not have,
// of another type or out of range.
Result<flatbuffers::Offset<flatbuffers::Table>> WriteOptions(
    const OptionTable& layout, const graph::Attributes& attributes,
    flatbuffers::FlatBufferBuilder& builder);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_OPTIONS_H_
