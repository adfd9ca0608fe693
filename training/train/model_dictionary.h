// The dictionary of an exported recognizer. Free of libtorch.
#ifndef MUNJA_TRAIN_MODEL_DICTIONARY_H_
#define MUNJA_TRAIN_MODEL_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::train {

// Longer files are refused.
inline constexpr size_t kMaxDictionaryBytes = size_t{64} << 20;

// One character a line.
std::vector<uint8_t> DictionaryText(const std::vector<std::string>& alphabet);

// The text that is packed with the model as dictionary.txt, or that of the
// file of this name beside it, as in a bundle's folder. kNotFound, which names
// the file, when there is neither.
Result<std::vector<uint8_t>> DictionaryOfModel(const graph::Graph& model,
                                               const std::string& model_path);

// Its characters, without the blank and the space that every recognizer of the
// training kit has.
Result<std::vector<std::string>> AlphabetOfModel(const graph::Graph& model,
                                                 const std::string& model_path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_MODEL_DICTIONARY_H_
