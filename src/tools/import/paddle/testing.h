// A small Paddle model for tests, written in either format.
#ifndef MUNJA_IMPORT_PADDLE_TESTING_H_
#define MUNJA_IMPORT_PADDLE_TESTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework.pb.h"
#include "import/import.h"

namespace munja::importer::paddle {

using Attr = munja::paddle::OpDesc::Attr;
Attr IntAttr(const char* name, int32_t value);
Attr FloatAttr(const char* name, float value);
Attr BoolAttr(const char* name, bool value);
Attr TextAttr(const char* name, const char* value);
Attr IntsAttr(const char* name, const std::vector<int32_t>& values);
Attr BlockAttr(int number);  // The block that a loop or a branch runs.

// A program as a .pdmodel with input "x" of the given shape. Outputs are what
// Fetch() names.
class ProgramFile {
 public:
  explicit ProgramFile(const std::vector<int64_t>& input);
  munja::paddle::ProgramDesc& desc() { return desc_; }
  munja::paddle::BlockDesc& block() { return *desc_.mutable_blocks(0); }

  void Parameter(const std::string& name, std::vector<int64_t> dims,
                 std::vector<float> values);
  // Pairs of a parameter's name and the variable given for it.
  using Vars = std::vector<std::pair<const char*, std::string>>;
  munja::paddle::OpDesc& Op(const char* type, const Vars& inputs,
                            const Vars& outputs, std::vector<Attr> attrs = {});
  void Fetch(const std::string& variable);

  std::vector<uint8_t> Bytes() const;
  std::vector<uint8_t> ParameterBytes() const;
  Result<ImportedModel> Import(const ImportOptions& options = {}) const;
  // Runs the reference path on float inputs; empty when something fails, which
  // also fails the test.
  std::vector<float> Run(Dims shape, std::vector<float> x,
                         Dims* result = nullptr) const;

 private:
  munja::paddle::ProgramDesc desc_;
  std::map<std::string, std::pair<std::vector<int64_t>, std::vector<float>>>
      parameters_;
};

// One float32 tensor as it lies in a .pdiparams file.
std::vector<uint8_t> StoredTensor(const std::vector<int64_t>& dims,
                                  const std::vector<float>& values);

// Runs a model as ProgramFile::Run() does.
std::vector<float> RunImported(const Result<ImportedModel>& model, Dims shape,
                               std::vector<float> x, Dims* result = nullptr);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_TESTING_H_
