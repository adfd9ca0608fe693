// In C an enumeration holds any int: those without a name are answered with a
// status or a word. Read as an enumeration without a fixed type of its own they
// would be undefined behavior, which a sanitizer sees here.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "capi/reading/handles.h"
#include "capi/tools/testing.h"
#include "graph/graph.h"
#include "munja/delegates.h"
#include "munja/document.h"
#include "munja/log.h"
#include "munja/ocr.h"
#include "munja/operators.h"
#include "munja/runtime.h"

namespace munja::capi {
namespace {

template <class Enum>
constexpr bool kHoldsAnyInt = std::is_same_v<std::underlying_type_t<Enum>, int>;
static_assert(kHoldsAnyInt<munja_status>);
static_assert(kHoldsAnyInt<munja_precision>);
static_assert(kHoldsAnyInt<munja_element_type>);
static_assert(kHoldsAnyInt<munja_network_part>);
static_assert(kHoldsAnyInt<munja_task>);
static_assert(kHoldsAnyInt<munja_log_severity>);

using ModelHandle = Handle<munja_network, munja_network_free>;
using SessionHandle = Handle<munja_session, munja_session_free>;
using EngineHandle = Handle<munja_engine, munja_engine_free>;
using ImageHandle = Handle<munja_image, munja_image_free>;

class UnknownNumber : public testing::TestWithParam<int> {
 protected:
  // As C does it: four bytes.
  template <class Enum>
  static Enum Unknown() {
    static_assert(sizeof(Enum) == sizeof(int));
    const int number = GetParam();
    Enum value;
    std::memcpy(&value, &number, sizeof value);
    return value;
  }
  static std::string Text() { return std::to_string(GetParam()); }

  // "out" is what the custom operator "Mine" makes of "in".
  static ModelHandle Model() {
    auto graph = std::make_shared<graph::Graph>();
    graph->subgraphs.resize(1);
    graph::Subgraph& main = graph->main();
    graph::Value value;
    value.shape = {2};
    value.name = "in";
    graph::Node node;
    node.op = "Mine";
    node.is_custom = true;
    node.inputs = {main.AddValue(value)};
    value.name = "out";
    node.outputs = {main.AddValue(value)};
    main.inputs = node.inputs;
    main.outputs = node.outputs;
    main.nodes.push_back(std::move(node));
    graph->metadata["notes"] = {1};
    return ModelHandle(new munja_network{std::move(graph)});
  }
  // Runs the operator with this eval.
  static munja_status Run(munja_status (*eval)(void*, munja_op_context*),
                          munja_element_type type = MUNJA_TYPE_FLOAT32) {
    munja_resolver* resolver = nullptr;
    EXPECT_EQ(munja_resolver_create(&resolver), MUNJA_OK);
    munja_operator op = {};
    op.struct_size = sizeof op;
    op.name = "Mine";
    op.eval = eval;
    EXPECT_EQ(munja_resolver_add(resolver, &op), MUNJA_OK);
    const ModelHandle model = Model();
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.resolver = resolver;
    munja_session* made = nullptr;
    EXPECT_EQ(munja_session_create(model.get(), &options, &made), MUNJA_OK)
        << munja_last_error();
    munja_resolver_free(resolver);
    const SessionHandle session(made);
    float values[2] = {};
    munja_tensor input = {};
    input.type = type;
    input.rank = 1;
    input.dims[0] = 2;
    input.data = values;
    input.bytes = sizeof values;
    return munja_session_run(session.get(), &input, 1);
  }
};

TEST_P(UnknownNumber, UnknownNumber_HasNoName) {
  EXPECT_STREQ(munja_status_name(Unknown<munja_status>()), "unknown");
  EXPECT_STREQ(munja_element_type_name(Unknown<munja_element_type>()),
               "unknown");
}

TEST_P(UnknownNumber, Precision_IsRefused) {
  munja_engine_options engine_options = {};
  engine_options.struct_size = sizeof engine_options;
  engine_options.precision = Unknown<munja_precision>();
  munja_engine* engine = nullptr;
  EXPECT_EQ(munja_engine_create(&engine_options, &engine),
            MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_last_error(), "unknown precision " + Text());
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.precision = Unknown<munja_precision>();
  munja_session* session = nullptr;
  EXPECT_EQ(munja_session_create(Model().get(), &options, &session),
            MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_last_error(), "unknown precision " + Text());
}

TEST_P(UnknownNumber, Task_IsRefused) {
  munja_engine* made = nullptr;
  ASSERT_EQ(munja_engine_create(nullptr, &made), MUNJA_OK)
      << munja_last_error();
  const EngineHandle engine(made);
  const std::vector<uint8_t> pixels(32 * 32 * 3, 255);
  munja_image* image = nullptr;
  ASSERT_EQ(munja_image_from_rgb(pixels.data(), 32, 32, 32 * 3, &image),
            MUNJA_OK);
  const ImageHandle picture(image);
  munja_read_options options = {};
  options.struct_size = sizeof options;
  options.task = Unknown<munja_task>();
  munja_document* document = nullptr;
  EXPECT_EQ(munja_engine_read(engine.get(), image, &options, &document),
            MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_last_error(), "unknown task " + Text());
}

TEST_P(UnknownNumber, NetworkPart_IsEmpty) {
  const ModelHandle model = Model();
  EXPECT_EQ(munja_network_part_count(model.get(), MUNJA_NETWORK_METADATA), 1);
  const auto part = Unknown<munja_network_part>();
  EXPECT_EQ(munja_network_part_count(model.get(), part), 0);
  EXPECT_EQ(munja_network_part_name(model.get(), part, 0), nullptr);
  const void* bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(munja_network_part_bytes(model.get(), part, "notes", &bytes, &size),
            MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_last_error(), "unknown part " + Text());
}

TEST_P(UnknownNumber, ElementType_IsRefused) {
  const auto run = [](void*, munja_op_context*) { return MUNJA_OK; };
  EXPECT_EQ(Run(run), MUNJA_OK) << munja_last_error();
  EXPECT_EQ(Run(run, Unknown<munja_element_type>()), MUNJA_INVALID_ARGUMENT);
}

TEST_P(UnknownNumber, OperatorStatus_IsAnInternalError) {
  EXPECT_EQ(
      Run([](void*, munja_op_context*) { return Unknown<munja_status>(); }),
      MUNJA_INTERNAL);
  EXPECT_NE(std::string(munja_last_error()).find("unknown status " + Text()),
            std::string::npos)
      << munja_last_error();
  EXPECT_EQ(Run([](void*, munja_op_context* context) {
              return munja_op_fail(context, Unknown<munja_status>(), "why");
            }),
            MUNJA_INTERNAL);
}

TEST_P(UnknownNumber, DelegateStatus_IsAnInternalError) {
  munja_delegate_callbacks callbacks = {};
  callbacks.struct_size = sizeof callbacks;
  callbacks.name = "mine";
  callbacks.check_support = [](void*, munja_op_context*) { return MUNJA_OK; };
  callbacks.compile = [](void*, munja_partition* partition, munja_operator*) {
    return munja_partition_fail(partition, Unknown<munja_status>(), "why");
  };
  munja_delegate* delegate = nullptr;
  ASSERT_EQ(munja_delegate_define(&callbacks, &delegate), MUNJA_OK);
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.delegates = &delegate;
  options.delegate_count = 1;
  munja_session* session = nullptr;
  // Nodes that the delegate does not take have no operator on the CPU.
  EXPECT_NE(munja_session_create(Model().get(), &options, &session), MUNJA_OK);
  munja_delegate_free(delegate);
}

INSTANTIATE_TEST_SUITE_P(Numbers, UnknownNumber,
                         testing::Values(-1, 77, -2147483647 - 1, 2147483647));

}  // namespace
}  // namespace munja::capi
