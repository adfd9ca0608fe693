// NAME=VALUE arguments that belong to a model's inputs.
#ifndef MUNJA_CLI_MODEL_ARGUMENTS_H_
#define MUNJA_CLI_MODEL_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

// Loads a .tflite file, or standard input for "-". On failure a message, with
// what to do where the path names something else that this program knows, and
// an exit code.
int LoadModel(const std::string& path, std::optional<munja::Network>* model);

// Refuses what is no bundle but exists: on failure a message that says what it
// is and how a bundle comes about, and kBadModel. Names of bundles pass.
int CheckBundlePath(const std::string& path);

// "1x640x640x3", "?" for any size.
std::string ShapeText(std::span<const int32_t> dims);

// "1x640x640x3" for an input "1x?x?x3": its free sizes filled in, as a page
// where height and width are free, a line of text where one of them is.
std::string ExampleShape(const munja::TensorInfo& input);

// "'x' (float32 1x?x?x3), 'mask' (bool 1)": all inputs, in their order.
std::string InputsText(const std::vector<munja::TensorInfo>& inputs);

// Splits each "NAME=VALUE" and puts the values in the order of the inputs;
// names may hold '='. "VALUE" alone goes to the first input that has none yet,
// so that inputs without names can be given. Inputs without a value get an
// empty text. On failure a message and kUsage.
int AssignToInputs(const std::vector<munja::TensorInfo>& inputs,
                   const std::vector<std::string>& arguments,
                   const std::string& option, std::vector<std::string>* values);

// "1x640x640x3" into sizes; false when it is not a shape.
bool ParseShape(const std::string& text, std::vector<int32_t>* dims);

// Bytes of one element; 0 for types without a fixed size.
size_t ElementBytes(munja_element_type type);

}  // namespace munja::cli

#endif  // MUNJA_CLI_MODEL_ARGUMENTS_H_
