// NAME=VALUE arguments that belong to a model's inputs.
#ifndef MUNJA_CLI_MODEL_ARGUMENTS_H_
#define MUNJA_CLI_MODEL_ARGUMENTS_H_

#include <string>
#include <vector>

#include "munja/munja.hpp"
#include "munja/runtime.h"

namespace munja::cli {

using ModelHandle = api::Handle<munja_model, munja_model_free>;
using SessionHandle = api::Handle<munja_session, munja_session_free>;

std::vector<munja_tensor_info> InputsOf(const munja_session* session);

// "1x640x640x3", "?" for any size.
std::string ShapeText(int32_t rank, const int32_t* dims);

// Splits each "NAME=VALUE" and puts the values in the order of the inputs;
// names may hold '='. "VALUE" alone is taken by a model of one input. Inputs
// without one get an empty text. On failure a message and kUsage.
int AssignToInputs(const std::vector<munja_tensor_info>& inputs,
                   const std::vector<std::string>& arguments,
                   const std::string& option, std::vector<std::string>* values);

// "1x640x640x3" into rank and dims; false when it is not a shape.
bool ParseShape(const std::string& text, munja_tensor* tensor);

// Bytes of one element; 0 for types without a fixed size.
size_t ElementBytes(munja_element_type type);

}  // namespace munja::cli

#endif  // MUNJA_CLI_MODEL_ARGUMENTS_H_
