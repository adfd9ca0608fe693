// Inputs for measurements: of the shapes that are asked for, with content that
// no kernel can shortcut.
#ifndef MUNJA_CLI_INPUT_DATA_H_
#define MUNJA_CLI_INPUT_DATA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

// Floats in [0, 1), bytes of all values, small integers.
class InputData {
 public:
  // `shapes`: what --shape was given. On failure a message and an exit code.
  int Make(const std::vector<munja::TensorInfo>& infos,
           const std::vector<std::string>& shapes);
  // After Make(), and after the shapes have passed for the model's: what a
  // file states may be any size. Again: other content.
  int Fill();
  const std::vector<munja::Tensor>& tensors() const { return tensors_; }

 private:
  int AddInput(const munja::TensorInfo& info, const std::string& shape);
  int FillOne(munja_element_type type, std::vector<uint8_t>* data);
  void FillPart(munja_element_type type, size_t begin, size_t end,
                std::vector<uint8_t>* data);

  uint64_t state_ = 1;
  std::vector<size_t> sizes_;  // Bytes of each tensor.
  std::vector<std::vector<uint8_t>> data_;
  std::vector<munja::Tensor> tensors_;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_INPUT_DATA_H_
