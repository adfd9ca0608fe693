// Inputs for measurements: of the shapes that are asked for, with content that
// no kernel can shortcut.
#ifndef MUNJA_CLI_INPUT_DATA_H_
#define MUNJA_CLI_INPUT_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

// Floats in [0, 1), bytes of all values, small integers.
class InputData {
 public:
  // `shapes`: what --shape was given. On failure a message and an exit code.
  int Make(const std::vector<munja_tensor_info>& infos,
           const std::vector<std::string>& shapes);
  // After Make(), and after the shapes have passed for the model's: what a
  // file states may be any size. Again: other content.
  int Fill();
  std::vector<munja_tensor>& tensors() { return tensors_; }

 private:
  int AddInput(const munja_tensor_info& info, const std::string& shape);
  int FillOne(munja_element_type type, std::vector<uint8_t>* data);
  void FillPart(munja_element_type type, size_t begin, size_t end,
                std::vector<uint8_t>* data);

  uint64_t state_ = 1;
  std::vector<std::vector<uint8_t>> data_;
  std::vector<munja_tensor> tensors_;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_INPUT_DATA_H_
