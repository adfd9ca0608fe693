#include "cli/model_arguments.h"

#include <cstdlib>

#include "cli/exit_code.h"

namespace munja::cli {

std::vector<munja_tensor_info> InputsOf(const munja_session* session) {
  std::vector<munja_tensor_info> inputs(
      static_cast<size_t>(munja_session_input_count(session)));
  for (size_t i = 0; i < inputs.size(); ++i)
    munja_session_input(session, static_cast<int32_t>(i), &inputs[i]);
  return inputs;
}

std::string ShapeText(int32_t rank, const int32_t* dims) {
  if (rank == 0) return "scalar";
  std::string text;
  for (int32_t d = 0; d < rank; ++d) {
    if (d > 0) text += 'x';
    text += dims[d] < 0 ? "?" : std::to_string(dims[d]);
  }
  return text;
}

int AssignToInputs(const std::vector<munja_tensor_info>& inputs,
                   const std::vector<std::string>& arguments,
                   const std::string& option,
                   std::vector<std::string>* values) {
  values->assign(inputs.size(), "");
  for (const std::string& argument : arguments) {
    std::string* place = nullptr;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string start = std::string(inputs[i].name) + "=";
      if (!argument.starts_with(start)) continue;
      place = &(*values)[i];
      *place = argument.substr(start.size());
    }
    if (place == nullptr && inputs.size() == 1 &&
        argument.find('=') == std::string::npos) {
      place = &(*values)[0];
      *place = argument;
    }
    if (place == nullptr || place->empty()) {
      std::string names;
      for (const munja_tensor_info& input : inputs)
        names += (names.empty() ? "" : ", ") + std::string(input.name);
      return UsageError(option + " '" + argument +
                        "' names no input of the model; it has: " + names);
    }
  }
  return kSuccess;
}

bool ParseShape(const std::string& text, munja_tensor* tensor) {
  tensor->rank = 0;
  const char* at = text.c_str();
  for (;;) {
    if (*at < '0' || *at > '9' || tensor->rank == MUNJA_MAX_RANK) return false;
    char* end = nullptr;
    const long value = std::strtol(at, &end, 10);
    if (value < 0 || value > (1L << 30)) return false;
    tensor->dims[tensor->rank++] = static_cast<int32_t>(value);
    if (*end == 0) return true;
    if (*end != 'x' && *end != ',') return false;
    at = end + 1;
  }
}

size_t ElementBytes(munja_element_type type) {
  switch (type) {
    case MUNJA_UINT8:
    case MUNJA_INT8:
    case MUNJA_BOOL:
      return 1;
    case MUNJA_FLOAT16:
    case MUNJA_INT16:
    case MUNJA_UINT16:
      return 2;
    case MUNJA_FLOAT32:
    case MUNJA_INT32:
    case MUNJA_UINT32:
      return 4;
    case MUNJA_INT64:
    case MUNJA_UINT64:
    case MUNJA_FLOAT64:
    case MUNJA_COMPLEX64:
      return 8;
    default:
      return 0;
  }
}

}  // namespace munja::cli
