// Tables that turn every field of a struct of the interface, and graphs for
// them.
#ifndef MUNJA_CAPI_TOOLS_TESTING_H_
#define MUNJA_CAPI_TOOLS_TESTING_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "munja/control.h"
#include "munja/document.h"

namespace munja::capi {

inline constexpr char kDefaultBundle[] = MUNJA_SOURCE_DIR "/models/default";

// The C++ interface has names of the modules below: these tests do without it.
template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

inline std::string TakeText(char* text) {
  const Handle<char, munja_free> owner(text);
  return std::string(text);
}

using ControlHandle = Handle<munja_control, munja_control_free>;
ControlHandle CancelledControl();

// The fields of a struct of include/munja, in their order.
std::vector<std::string> FieldsOf(const std::string& header,
                                  const std::string& name);

// Runs a row for each field of the struct, which turns it and looks at what
// comes of that. A field without a row is a failure, as is a row without a
// field; struct_size has none. `begin` runs before each row, to undo what the
// one before it turned.
void CheckAll(
    const std::string& header, const std::string& name,
    const std::map<std::string, std::function<void()>>& rows,
    const std::function<void()>& begin = [] {});

// A value, constant where there are data.
graph::ValueId AddValue(graph::Subgraph& g, const char* name, Shape shape,
                        const std::vector<float>& data = {});
void AddNode(graph::Subgraph& g, const char* op,
             std::vector<graph::ValueId> inputs, graph::ValueId output);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_TOOLS_TESTING_H_
