#include "tflite_api/options.h"

#include <algorithm>
#include <climits>
#include <string_view>
#include <utility>

#include "tensorflow/lite/core/c/builtin_ops.h"
#include "tflite/option_table.h"
#include "tflite_api/builtin_data.h"
#include "tflite_api/external_operator.h"
#include "tflite_api/guard.h"
#include "tflite_api/operator.h"

namespace munja::compat {
namespace {

const ops::OpImpl* NoOperators(std::string_view) { return nullptr; }

bool Fits(const AddedOperator& added, const graph::Node& node) {
  if (node.is_custom)
    return added.builtin_code == kTfLiteBuiltinCustom &&
           added.custom_name == node.op;
  // Outside of the versions given, the operator is not replaced.
  return added.builtin_code == BuiltinCode(node) &&
         node.version >= added.min_version && node.version <= added.max_version;
}

std::optional<TfLiteRegistration> Find(const FoundOperators& found,
                                       const graph::Node& node) {
  const TfLiteRegistration* registration = nullptr;
  const TfLiteOperator* external = nullptr;
  const char* name = node.op.c_str();
  const int code = BuiltinCode(node);
  if (node.is_custom) {
    if (found.custom)
      registration = found.custom(found.user_data, name, node.version);
    if (found.external_custom)
      external = found.external_custom(found.user_data, name, node.version);
  } else {
    if (found.builtin)
      registration =
          found.builtin(found.user_data,
                        static_cast<TfLiteBuiltinOperator>(code), node.version);
    if (found.external_builtin)
      external = found.external_builtin(found.user_data, code, node.version);
  }
  if (registration != nullptr) return *registration;
  if (external != nullptr) return RegistrationOf(*external);
  return std::nullopt;
}

void Add(const TfLiteRegistration& registration, const graph::Node& node,
         const std::shared_ptr<SharedState>& shared,
         runtime::Resolver& resolver) {
  runtime::Resolver::Operator op = WrapRegistration(registration, shared);
  op.min_version = 0;
  op.max_version = INT_MAX;
  resolver.Add(node.op, node.is_custom, std::move(op));
}

}  // namespace

std::shared_ptr<const runtime::Resolver> MakeResolver(
    const TfLiteInterpreterOptions& options, const graph::Graph& graph,
    bool with_builtins, const std::shared_ptr<SharedState>& shared) {
  const bool is_found = options.found.has_value();
  auto resolver = with_builtins && !is_found
                      ? std::make_shared<runtime::Resolver>()
                      : std::make_shared<runtime::Resolver>(NoOperators);
  for (const graph::Subgraph& subgraph : graph.subgraphs) {
    for (const graph::Node& node : subgraph.nodes) {
      if (is_found) {
        if (const auto registration = Find(*options.found, node))
          Add(*registration, node, shared, *resolver);
        continue;
      }
      // The last one added counts.
      const auto it = std::find_if(
          options.operators.rbegin(), options.operators.rend(),
          [&](const AddedOperator& added) { return Fits(added, node); });
      if (it != options.operators.rend())
        Add(it->registration, node, shared, *resolver);
    }
  }
  return resolver;
}

namespace {

template <class Body>
void Change(TfLiteInterpreterOptions* options, Body&& body) {
  if (options == nullptr) return;
  Guard(options->reporter.value_or(Reporter()), false, [&] {
    body(*options);
    return true;
  });
}

void AddOperator(TfLiteInterpreterOptions* options, int code, const char* name,
                 const TfLiteRegistration& registration, int min_version,
                 int max_version) {
  Change(options, [&](TfLiteInterpreterOptions& o) {
    AddedOperator added{code, name ? name : "", registration, min_version,
                        max_version};
    added.registration.builtin_code = code;
    o.operators.push_back(std::move(added));
  });
}

}  // namespace
}  // namespace munja::compat

using munja::compat::Change;
using munja::compat::FoundOperators;
using munja::compat::Guard;
using munja::compat::Reporter;

extern "C" {

TfLiteInterpreterOptions* TfLiteInterpreterOptionsCreate(void) {
  return Guard<TfLiteInterpreterOptions*>(
      Reporter(), nullptr, [] { return new TfLiteInterpreterOptions; });
}

TfLiteInterpreterOptions* TfLiteInterpreterOptionsCopy(
    const TfLiteInterpreterOptions* from) {
  if (from == nullptr) return nullptr;
  return Guard<TfLiteInterpreterOptions*>(
      Reporter(), nullptr, [&] { return new TfLiteInterpreterOptions(*from); });
}

void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions* options) {
  delete options;
}

void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions* options,
                                           int32_t num_threads) {
  if (options != nullptr) options->num_threads = num_threads;
}

void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions* options,
                                         TfLiteOpaqueDelegate* delegate) {
  Change(options,
         [&](TfLiteInterpreterOptions& o) { o.delegates.push_back(delegate); });
}

void TfLiteInterpreterOptionsSetErrorReporter(
    TfLiteInterpreterOptions* options,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data) {
  if (options == nullptr) return;
  options->reporter.reset();
  if (reporter != nullptr) options->reporter.emplace(reporter, user_data);
}

TfLiteStatus TfLiteInterpreterOptionsEnableCancellation(
    TfLiteInterpreterOptions* options, bool enable) {
  if (options == nullptr) return kTfLiteError;
  options->is_cancellable = enable;
  return kTfLiteOk;
}

void TfLiteInterpreterOptionsAddBuiltinOp(
    TfLiteInterpreterOptions* options, TfLiteBuiltinOperator op,
    const TfLiteRegistration* registration, int32_t min_version,
    int32_t max_version) {
  if (registration == nullptr) return;
  munja::compat::AddOperator(options, op, nullptr, *registration, min_version,
                             max_version);
}

void TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions* options,
                                         const char* name,
                                         const TfLiteRegistration* registration,
                                         int32_t min_version,
                                         int32_t max_version) {
  if (registration == nullptr) return;
  munja::compat::AddOperator(options, kTfLiteBuiltinCustom,
                             name ? name : registration->custom_name,
                             *registration, min_version, max_version);
}

void TfLiteInterpreterOptionsAddOperator(TfLiteInterpreterOptions* options,
                                         TfLiteOperator* registration) {
  if (registration == nullptr) return;
  const TfLiteRegistration own = munja::compat::RegistrationOf(*registration);
  munja::compat::AddOperator(options, own.builtin_code, own.custom_name, own,
                             own.version, own.version);
}

void TfLiteInterpreterOptionsSetOpResolver(
    TfLiteInterpreterOptions* options,
    const TfLiteRegistration* (*find_builtin_op)(void* user_data,
                                                 TfLiteBuiltinOperator op,
                                                 int version),
    const TfLiteRegistration* (*find_custom_op)(void* user_data,
                                                const char* custom_op,
                                                int version),
    void* op_resolver_user_data) {
  if (options == nullptr) return;
  FoundOperators& found = options->found.emplace();
  found.builtin = find_builtin_op;
  found.custom = find_custom_op;
  found.user_data = op_resolver_user_data;
}

void TfLiteInterpreterOptionsSetOpResolverExternal(
    TfLiteInterpreterOptions* options,
    const TfLiteOperator* (*find_builtin_op)(void* user_data, int op,
                                             int version),
    const TfLiteOperator* (*find_custom_op)(void* user_data,
                                            const char* custom_op, int version),
    void* op_resolver_user_data) {
  if (options == nullptr) return;
  FoundOperators& found = options->found.emplace();
  found.external_builtin = find_builtin_op;
  found.external_custom = find_custom_op;
  found.user_data = op_resolver_user_data;
}

void TfLiteInterpreterOptionsSetUseNNAPI(TfLiteInterpreterOptions* options,
                                         bool enable) {
  if (options != nullptr) options->uses_nnapi = enable;
}

void TfLiteInterpreterOptionsSetEnableDelegateFallback(
    TfLiteInterpreterOptions* options, bool enable) {
  if (options != nullptr) options->falls_back = enable;
}

}  // extern "C"
