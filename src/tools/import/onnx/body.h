// Graphs within a graph: the branches and bodies of operators.
#ifndef MUNJA_IMPORT_ONNX_BODY_H_
#define MUNJA_IMPORT_ONNX_BODY_H_

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "import/onnx/context.h"

namespace munja::importer::onnx {

// Translates the constants and nodes of a graph whose inputs have values.
Status AddNodes(Context& context, const munja::onnx::GraphProto& graph);

// Inlines the nodes of a body with these values as its inputs. Names defined in
// it are not visible outside. Returns the values of its outputs.
Result<std::vector<ValueId>> AddBody(Context& context, const Operator& op,
                                     const munja::onnx::GraphProto& body,
                                     std::span<const ValueId> inputs);

// Run-time values of `context` that the graph reads and does not compute.
std::vector<std::string> FreeNames(const Context& context,
                                   const munja::onnx::GraphProto& graph);

// A body as a model of its own.
class Outline {
 public:
  // The names of `captured` become inputs behind those that are added here;
  // constants of `outer` are seen in it.
  Outline(const Context& outer, const munja::onnx::GraphProto* graph);
  ValueId AddInput(const std::string& name, const Dims& shape,
                   ElementType type);
  // Inputs for values of the outer graph, by name.
  void Capture(const std::vector<std::string>& names);
  Context& context() { return context_; }
  // The model with these outputs, each a value of its own.
  Result<std::shared_ptr<const Model>> Finish(std::vector<ValueId> outputs);

 private:
  const Context& outer_;
  ModelBuilder builder_;
  Context context_;
  std::set<ValueId> taken_;
};

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_BODY_H_
