#include "import/paddle/testing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>

namespace munja::importer::paddle {
namespace {

namespace proto = munja::paddle;

Attr MakeAttr(const char* name, int type) {
  Attr a;
  a.set_name(name);
  a.set_type(type);
  return a;
}

proto::VarDesc& AddVariable(proto::BlockDesc& block, const std::string& name,
                            const std::vector<int64_t>& dims) {
  proto::VarDesc& v = *block.add_vars();
  v.set_name(name);
  v.mutable_type()->set_type(7);
  auto* tensor = v.mutable_type()->mutable_lod_tensor()->mutable_tensor();
  tensor->set_data_type(5);
  for (const int64_t d : dims) tensor->add_dims(d);
  return v;
}

template <class T>
void Append(std::vector<uint8_t>* bytes, T value) {
  const size_t at = bytes->size();
  bytes->resize(at + sizeof value);
  std::memcpy(bytes->data() + at, &value, sizeof value);
}

}  // namespace

Attr IntAttr(const char* name, int32_t value) {
  Attr a = MakeAttr(name, 0);
  a.set_i(value);
  return a;
}
Attr FloatAttr(const char* name, float value) {
  Attr a = MakeAttr(name, 1);
  a.set_f(value);
  return a;
}
Attr BoolAttr(const char* name, bool value) {
  Attr a = MakeAttr(name, 6);
  a.set_b(value);
  return a;
}
Attr TextAttr(const char* name, const char* value) {
  Attr a = MakeAttr(name, 2);
  a.set_s(value);
  return a;
}
Attr IntsAttr(const char* name, const std::vector<int32_t>& values) {
  Attr a = MakeAttr(name, 3);
  for (const int32_t v : values) a.add_ints(v);
  return a;
}
Attr BlockAttr(int number) {
  Attr a = MakeAttr("sub_block", 8);
  a.set_block_idx(number);
  return a;
}

ProgramFile::ProgramFile(const std::vector<int64_t>& input) {
  desc_.add_blocks();
  proto::VarDesc& feed = *block().add_vars();
  feed.set_name("feed");
  feed.mutable_type()->set_type(9);
  feed.set_persistable(true);
  AddVariable(block(), "x", input);
  Op("feed", {{"X", "feed"}}, {{"Out", "x"}});
}

void ProgramFile::Parameter(const std::string& name, std::vector<int64_t> dims,
                            std::vector<float> values) {
  AddVariable(block(), name, dims).set_persistable(true);
  parameters_[name] = {std::move(dims), std::move(values)};
}

proto::OpDesc& ProgramFile::Op(const char* type, const Vars& inputs,
                               const Vars& outputs, std::vector<Attr> attrs) {
  proto::OpDesc& op = *block().add_ops();
  op.set_type(type);
  const auto add = [](auto* vars, const Vars& given) {
    for (const auto& [parameter, variable] : given) {
      proto::OpDesc::Var* at = nullptr;
      for (auto& var : *vars)
        if (var.parameter() == parameter) at = &var;
      if (at == nullptr) at = vars->Add();
      at->set_parameter(parameter);
      at->add_arguments(variable);
    }
  };
  add(op.mutable_inputs(), inputs);
  add(op.mutable_outputs(), outputs);
  for (Attr& a : attrs) *op.add_attrs() = std::move(a);
  return op;
}

void ProgramFile::Fetch(const std::string& variable) {
  Op("fetch", {{"X", variable}}, {{"Out", "fetch"}});
}

std::vector<uint8_t> ProgramFile::Bytes() const {
  const std::string text = desc_.SerializeAsString();
  return {text.begin(), text.end()};
}

std::vector<uint8_t> StoredTensor(const std::vector<int64_t>& dims,
                                  const std::vector<float>& values) {
  std::vector<uint8_t> bytes;
  Append(&bytes, uint32_t{0});
  Append(&bytes, uint64_t{0});
  Append(&bytes, uint32_t{0});
  proto::VarType::TensorDesc desc;
  desc.set_data_type(5);
  for (const int64_t d : dims) desc.add_dims(d);
  const std::string text = desc.SerializeAsString();
  Append(&bytes, static_cast<int32_t>(text.size()));
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (const float v : values) Append(&bytes, v);
  return bytes;
}

std::vector<uint8_t> ProgramFile::ParameterBytes() const {
  std::vector<uint8_t> bytes;
  for (const auto& [name, tensor] : parameters_) {
    const std::vector<uint8_t> one = StoredTensor(tensor.first, tensor.second);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

Result<ImportedModel> ProgramFile::Import(const ImportOptions& options) const {
  return ImportPaddle(Bytes(), ParameterBytes(), options);
}

std::vector<float> RunImported(const Result<ImportedModel>& model, Dims shape,
                               std::vector<float> x, Dims* result) {
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  const Tensor input = Tensor::Floats(std::move(shape), std::move(x));
  const auto y = RunReference(*model, std::span<const Tensor>(&input, 1));
  EXPECT_TRUE(y.ok()) << y.status().message();
  if (!y.ok()) return {};
  if (result != nullptr) *result = (*y)[0].shape;
  return (*y)[0].floats;
}

std::vector<float> ProgramFile::Run(Dims shape, std::vector<float> x,
                                    Dims* result) const {
  return RunImported(Import(), std::move(shape), std::move(x), result);
}

}  // namespace munja::importer::paddle
