#include "import/onnx/functions.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;
using Nodes = google::protobuf::RepeatedPtrField<proto::NodeProto>;

constexpr int kDeepest = 32;  // Calls and bodies within each other.
constexpr int64_t kMaxNodes = 1 << 20;
constexpr int64_t kMaxInlinedBytes = int64_t{1} << 30;  // Added by calls.

// Domain, name and overload.
using Key = std::tuple<std::string, std::string, std::string>;

// One call: the bindings of its names and attributes.
class Call {
 public:
  Call(const proto::FunctionProto& function, const proto::NodeProto& node,
       std::string prefix)
      : function_(function), node_(node), prefix_(std::move(prefix)) {
    const auto given = [](const auto& names, int i) {
      return i < names.size() ? names.Get(i) : std::string();
    };
    for (int i = 0; i < function.input_size(); ++i)
      names_[function.input(i)] = given(node.input(), i);
    for (int i = 0; i < function.output_size(); ++i) {
      const std::string name = given(node.output(), i);
      if (name.empty()) continue;
      // An input, or an output before, that is handed out as it is.
      if (!names_.emplace(function.output(i), name).second)
        passed_.emplace_back(names_[function.output(i)], name);
    }
  }
  const std::vector<std::pair<std::string, std::string>>& passed() const {
    return passed_;
  }

  proto::NodeProto Copy(const proto::NodeProto& inner) const {
    proto::NodeProto node = inner;
    for (std::string& name : *node.mutable_input()) name = NameOf(name);
    for (std::string& name : *node.mutable_output()) name = NameOf(name);
    if (!node.name().empty()) node.set_name(prefix_ + node.name());
    node.clear_attribute();
    for (const proto::AttributeProto& a : inner.attribute()) {
      const proto::AttributeProto* from = &a;
      if (!a.ref_attr_name().empty()) {
        from = Find(node_.attribute(), a.ref_attr_name());
        if (from == nullptr)
          from = Find(function_.attribute_proto(), a.ref_attr_name());
        if (from == nullptr) continue;  // Neither given nor with a default.
      }
      proto::AttributeProto* to = node.add_attribute();
      *to = *from;
      to->set_name(a.name());
      // The call's own attributes are in the scope of the caller.
      if (from == &a && to->has_g()) CopyGraph(to->mutable_g());
    }
    return node;
  }

 private:
  template <class Attributes>
  static const proto::AttributeProto* Find(const Attributes& all,
                                           const std::string& name) {
    for (const proto::AttributeProto& a : all)
      if (a.name() == name) return &a;
    return nullptr;
  }

  std::string NameOf(const std::string& name) const {
    if (name.empty()) return name;
    const auto it = names_.find(name);
    return it != names_.end() ? it->second : prefix_ + name;
  }

  void CopyGraph(proto::GraphProto* graph) const {
    for (proto::TensorProto& t : *graph->mutable_initializer())
      t.set_name(NameOf(t.name()));
    for (proto::ValueInfoProto& v : *graph->mutable_input())
      v.set_name(NameOf(v.name()));
    for (proto::ValueInfoProto& v : *graph->mutable_output())
      v.set_name(NameOf(v.name()));
    for (proto::NodeProto& node : *graph->mutable_node()) node = Copy(node);
  }

  const proto::FunctionProto& function_;
  const proto::NodeProto& node_;
  std::string prefix_;
  std::map<std::string, std::string> names_;
  std::vector<std::pair<std::string, std::string>> passed_;
};

class Inliner {
 public:
  explicit Inliner(const proto::ModelProto& file) {
    for (const proto::FunctionProto& f : file.functions())
      functions_[{f.domain(), f.name(), f.overload()}] = &f;
  }

  Status Expand(Nodes* nodes, int64_t set, int depth) {
    if (depth > kDeepest)
      return Malformed("functions and bodies within each other ", kDeepest,
                       " deep");
    Nodes expanded;
    for (proto::NodeProto& node : *nodes) {
      if (++nodes_ > kMaxNodes)
        return OutOfMemory("its functions are more than ", kMaxNodes,
                           " nodes when they are written out");
      const auto it =
          functions_.find({node.domain(), node.op_type(), node.overload()});
      if (it == functions_.end()) {
        node.set_operator_set(set);
        for (proto::AttributeProto& a : *node.mutable_attribute())
          if (a.has_g())
            MUNJA_RETURN_IF_ERROR(
                Expand(a.mutable_g()->mutable_node(), set, depth + 1));
        expanded.Add()->Swap(&node);
        continue;
      }
      MUNJA_RETURN_IF_ERROR(
          ExpandCall(*it->second, node, set, depth, &expanded));
    }
    nodes->Swap(&expanded);
    return {};
  }

 private:
  Status ExpandCall(const proto::FunctionProto& f, const proto::NodeProto& node,
                    int64_t set, int depth, Nodes* to) {
    if (node.input_size() > f.input_size() ||
        node.output_size() > f.output_size())
      return Malformed("the call '", node.name(), "' of function '", f.name(),
                       "' has more inputs or outputs than it");
    const Call call(
        f, node, f.name().substr(0, 64) + "_" + std::to_string(calls_++) + "/");
    Nodes body;
    for (const proto::NodeProto& inner : f.node()) {
      proto::NodeProto* copy = body.Add();
      *copy = call.Copy(inner);
      bytes_ += static_cast<int64_t>(copy->ByteSizeLong());
      if (bytes_ > kMaxInlinedBytes)
        return OutOfMemory("its functions are more than ", kMaxInlinedBytes,
                           " bytes when they are written out");
    }
    for (const auto& [from, name] : call.passed()) {
      proto::NodeProto* same = body.Add();
      same->set_op_type("Identity");
      same->add_input(from);
      same->add_output(name);
    }
    MUNJA_RETURN_IF_ERROR(
        Expand(&body, OwnOperatorSet(f.opset_import(), set), depth + 1));
    for (proto::NodeProto& inner : body) to->Add()->Swap(&inner);
    return {};
  }

  std::map<Key, const proto::FunctionProto*> functions_;
  int64_t calls_ = 0, nodes_ = 0, bytes_ = 0;
};

}  // namespace

bool IsOwnDomain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

Status InlineFunctions(proto::ModelProto* file, int64_t operator_set) {
  Inliner inliner(*file);
  return inliner.Expand(file->mutable_graph()->mutable_node(), operator_set, 0);
}

}  // namespace munja::importer::onnx
