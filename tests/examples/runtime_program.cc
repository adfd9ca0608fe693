// The runtime through its C++ and C interfaces, as a program sees it.
// Argument: the folder with the models that write_models made.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "munja/compiled_model.hpp"
#include "munja/delegates.h"
#include "munja/log.h"
#include "munja/munja.hpp"

using munja::CompiledModel;
using munja::Environment;
using munja::Node;
using munja::Options;
using munja::Status;
using munja::TensorBuffer;

namespace {

int failures = 0;

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, \
                   __LINE__, #condition, munja_last_error());          \
      ++failures;                                                      \
    }                                                                  \
  } while (0)

int inits = 0, frees = 0, prepares = 0;

class Sin final : public munja::Operator {
 public:
  Sin() { ++inits; }
  ~Sin() override { ++frees; }
  Status Init(const Node& node) override {
    EXPECT(node.options().size() == 3 && node.options()[2] == 3);
    EXPECT(node.input(0).dims[0] == -1);
    EXPECT(node.input(0).data == nullptr);
    return Status();
  }
  Status Prepare(Node& node) override {
    ++prepares;
    EXPECT(node.options().empty());  // Only Init sees options.
    EXPECT(!node.has_input(1));
    EXPECT(node.SetOutputShape(1, {}).code() == MUNJA_NOT_FOUND);
    if (node.input(0).dims[0] == 7)
      return Status(MUNJA_UNSUPPORTED, "seven is too many");
    if (node.input(0).dims[0] == 5 && node.input(0).data == nullptr)
      return Status(MUNJA_NEEDS_VALUES, "five have to be seen");
    return Operator::Prepare(node);
  }
  Status Eval(Node& node) override {
    const munja_tensor in = node.input(0), out = node.output(0);
    EXPECT(node.SetOutputShape(0, {}).code() == MUNJA_INVALID_ARGUMENT);
    for (size_t i = 0; i < in.bytes / sizeof(float); ++i) {
      const float x = static_cast<const float*>(in.data)[i];
      static_cast<float*>(out.data)[i] = std::sin(x);
    }
    return Status();
  }
};

TensorBuffer Wrap(std::vector<float>& values) {
  const int32_t dims[] = {static_cast<int32_t>(values.size())};
  auto buffer = TensorBuffer::Wrap(MUNJA_TYPE_FLOAT32, dims, values.data(),
                                   values.size() * sizeof(float));
  EXPECT(buffer.ok());
  return std::move(*buffer);
}

void RunsACustomOperator(const std::string& path) {
  auto environment = Environment::Create();
  EXPECT(environment.ok());
  const auto missing = CompiledModel::Create(*environment, path);
  EXPECT(missing.code() == MUNJA_UNSUPPORTED);
  EXPECT(missing.message().find("missing operators: custom Sin (1 node)") !=
         std::string::npos);
  EXPECT(environment->AddOperator<Sin>("Sin").ok());
  EXPECT(environment->AddOperator<Sin>("").code() == MUNJA_INVALID_ARGUMENT);
  {
    auto model = CompiledModel::Create(*environment, path,
                                       Options{.signature = "serving"});
    EXPECT(model.ok());
    if (!model) return;
    EXPECT(*model->FindInput("x") == 0);
    EXPECT(*model->FindOutput("y") == 0);
    EXPECT(*model->FindInput("input_tensor") == 0);
    EXPECT(model->FindInput("z").code() == MUNJA_NOT_FOUND);
    auto inputs = model->CreateInputBuffers();
    EXPECT(inputs.ok() && inputs->size() == 1);
    EXPECT((*inputs)[0].dims()[0] == 1);
    EXPECT((*inputs)[0].Write<float>(std::vector<float>{2}).ok());
    EXPECT((*inputs)[0].Write<float>(std::vector<float>{2, 3}).code() ==
           MUNJA_INVALID_ARGUMENT);
    EXPECT((*inputs)[0].Read<int32_t>().code() == MUNJA_INVALID_ARGUMENT);
    EXPECT(model->WarmUp(*inputs).ok());
    auto outputs = model->CreateOutputBuffers();
    EXPECT(outputs[0].Read<float>().code() == MUNJA_INVALID_ARGUMENT);
    EXPECT(model->Run(*inputs, outputs).ok());
    EXPECT(outputs[0].Read<float>().ok());
    EXPECT(std::abs((*outputs[0].Read<float>())[0] - std::sin(3.0f)) < 1e-6f);
    EXPECT(prepares == 1);

    // Memory of the caller on both sides, and other shapes.
    std::vector<float> x = {0, 1, 2}, y(3), short_y(2), seven(7);
    TensorBuffer in[] = {Wrap(x)}, out[] = {Wrap(y)}, bad[] = {Wrap(short_y)};
    EXPECT(model->Run(in, out).ok());
    EXPECT(std::abs(y[2] - std::sin(3.0f)) < 1e-6f);
    EXPECT(model->Run(in, bad).code() == MUNJA_INVALID_ARGUMENT);
    TensorBuffer too_many[] = {Wrap(seven)};
    const Status failure = model->Run(too_many, {});
    EXPECT(failure.code() == MUNJA_UNSUPPORTED);
    EXPECT(failure.message() == "node 1 (Sin): seven is too many");

    // The deciding value is dynamic: planning fails, but a run succeeds.
    std::vector<float> five = {0, 1, 2, 3, 4}, of_five(5);
    TensorBuffer seen[] = {Wrap(five)}, answer[] = {Wrap(of_five)};
    EXPECT(munja_session_plan(model->session(), &seen[0].tensor(), 1) ==
           MUNJA_NEEDS_VALUES);
    EXPECT(std::strcmp(munja_last_error(),
                       "node 1 (Sin): five have to be seen") == 0);
    EXPECT(model->Run(seen, answer).ok());
    EXPECT(std::abs(of_five[4] - std::sin(5.0f)) < 1e-6f);

    munja_session* fork = nullptr;
    EXPECT(munja_session_fork(model->session(), 1, &fork) == MUNJA_OK);
    const char* const name = "x";
    EXPECT(munja_session_run_named(fork, &name, &in[0].tensor(), 1) ==
           MUNJA_OK);
    const char* const wrong = "w";
    EXPECT(munja_session_run_named(fork, &wrong, &in[0].tensor(), 1) ==
           MUNJA_NOT_FOUND);
    EXPECT(munja_session_reset_variables(fork) == MUNJA_OK);
    munja_session_free(fork);
    EXPECT(
        CompiledModel::Create(*environment, path, Options{.signature = "other"})
            .code() == MUNJA_NOT_FOUND);
  }
  EXPECT(inits == 2 && frees == 2);
}

// A delegate that takes additions of what the run brings and a constant.
struct Adder {
  float constant = 0;
};
int delegates_freed = 0, kernels_freed = 0;

munja_status JudgeAdd(void*, munja_op_context* node) {
  if (std::strcmp(munja_op_name(node), "ADD") != 0)
    return munja_op_fail(node, MUNJA_UNSUPPORTED, "is no addition");
  return MUNJA_OK;
}

munja_status CompileAdd(void* user, munja_partition* partition,
                        munja_operator* kernel) {
  EXPECT(user == &delegates_freed);
  EXPECT(munja_partition_node_count(partition) == 1);
  munja_op_context* const node = munja_partition_node(partition, 0);
  EXPECT(munja_partition_input_count(partition) == 1);
  EXPECT(munja_partition_input(partition, 0) == munja_op_input_id(node, 0));
  EXPECT(munja_partition_output(partition, 0) == munja_op_output_id(node, 0));
  EXPECT(munja_partition_node(partition, 1) == nullptr);
  munja_tensor constant = {};
  EXPECT(munja_op_input(node, 1, &constant) == MUNJA_OK);
  if (constant.data == nullptr)
    return munja_partition_fail(partition, MUNJA_UNSUPPORTED, "no constant");
  kernel->user = new Adder{*static_cast<const float*>(constant.data)};
  kernel->eval = [](void* adder, munja_op_context* context) {
    Node seen(context);
    const munja_tensor in = seen.input(0), out = seen.output(0);
    for (size_t i = 0; i < in.bytes / sizeof(float); ++i)
      static_cast<float*>(out.data)[i] = static_cast<const float*>(in.data)[i] +
                                         static_cast<Adder*>(adder)->constant;
    return MUNJA_OK;
  };
  kernel->free = [](void*, void* adder) {
    ++kernels_freed;
    delete static_cast<Adder*>(adder);
  };
  return MUNJA_OK;
}

void RunsADelegate(const std::string& path) {
  munja_delegate_callbacks callbacks = {};
  callbacks.struct_size = sizeof callbacks;
  callbacks.name = "adder";
  callbacks.user = &delegates_freed;
  callbacks.check_support = JudgeAdd;
  callbacks.compile = CompileAdd;
  callbacks.free = [](void* user) { ++*static_cast<int*>(user); };
  munja_delegate* delegate = nullptr;
  EXPECT(munja_delegate_define(&callbacks, &delegate) == MUNJA_OK);
  auto environment = Environment::Create();
  EXPECT(environment->AddOperator<Sin>("Sin").ok());
  {
    Options options;
    options.delegates = {delegate};
    options.devices = {{"none such"}, {"nn:cpu"}};
    auto model = CompiledModel::Create(*environment, path, options);
    munja_delegate_free(delegate);
    EXPECT(model.ok());
    if (!model) return;
    EXPECT(model->skipped().size() == 1);
    EXPECT(model->skipped()[0].starts_with("none such: "));
    std::vector<float> x = {0, 1, 2}, y(3);
    TensorBuffer in[] = {Wrap(x)}, out[] = {Wrap(y)};
    EXPECT(model->Run(in, out).ok());
    EXPECT(std::abs(y[2] - std::sin(3.0f)) < 1e-6f);
    munja_partition_report* report = nullptr;
    EXPECT(munja_session_partition_report(model->session(), &report) ==
           MUNJA_OK);
    munja_node_owner owner = {};
    owner.struct_size = sizeof owner;
    EXPECT(munja_partition_report_row(report, 0, &owner) == MUNJA_OK);
    EXPECT(std::strcmp(owner.owner, "adder") == 0);
    EXPECT(munja_partition_report_row(report, 1, &owner) == MUNJA_OK);
    EXPECT(std::strcmp(owner.owner, "cpu") == 0);
    EXPECT(std::strstr(owner.reason, "is no addition") != nullptr);
    munja_partition_report_free(report);
    EXPECT(delegates_freed == 0);
  }
  EXPECT(delegates_freed == 1 && kernels_freed == 1);
}

void TellsWhatIsInAModel(const std::string& path) {
  munja_network* model = nullptr;
  EXPECT(munja_network_load(path.c_str(), &model) == MUNJA_OK);
  EXPECT(munja_network_signature_count(model) == 1);
  munja_signature signature = {};
  signature.struct_size = sizeof signature;
  EXPECT(munja_network_signature(model, 0, &signature) == MUNJA_OK);
  EXPECT(std::strcmp(signature.key, "serving") == 0);
  EXPECT(signature.input_count == 1 && signature.output_count == 1);
  EXPECT(munja_network_signature(model, 1, &signature) ==
         MUNJA_INVALID_ARGUMENT);
  const char* name = nullptr;
  munja_tensor_info info = {};
  info.struct_size = sizeof info;
  EXPECT(munja_network_signature_output(model, 0, 0, &name, &info) == MUNJA_OK);
  EXPECT(std::strcmp(name, "y") == 0);
  EXPECT(std::strcmp(info.name, "output_tensor") == 0);
  EXPECT(munja_network_find_tensor(model, "offset", &info) == MUNJA_OK);
  EXPECT(info.type == MUNJA_TYPE_FLOAT32 && info.rank == 1 &&
         info.dims[0] == 1);
  EXPECT(munja_network_find_tensor(model, "none", &info) == MUNJA_NOT_FOUND);

  EXPECT(munja_network_part_count(model, MUNJA_NETWORK_FILE) == 0);
  EXPECT(munja_network_part_name(model, MUNJA_NETWORK_FILE, 0) == nullptr);
  const void* bytes = nullptr;
  size_t size = 0;
  EXPECT(munja_network_part_bytes(model, MUNJA_NETWORK_METADATA, "notes",
                                  &bytes, &size) == MUNJA_OK);
  EXPECT(size == 2 && std::memcmp(bytes, "hi", 2) == 0);

  EXPECT(munja_network_op_count(model) == 2);
  munja_op_use use = {};
  use.struct_size = sizeof use;
  EXPECT(munja_network_op(model, nullptr, 0, &use) == MUNJA_OK);
  EXPECT(std::strcmp(use.name, "ADD") == 0 && use.is_missing == 0);
  EXPECT(munja_network_op(model, nullptr, 1, &use) == MUNJA_OK);
  EXPECT(std::strcmp(use.name, "Sin") == 0 && use.is_custom == 1);
  EXPECT(use.is_missing == 1 && use.nodes == 1);
  munja_resolver* none = nullptr;
  EXPECT(munja_resolver_create_empty(&none) == MUNJA_OK);
  EXPECT(munja_network_op(model, none, 0, &use) == MUNJA_OK);
  EXPECT(use.is_missing == 1);
  EXPECT(munja_resolver_add_builtin(none, "ADD") == MUNJA_OK);
  EXPECT(munja_network_op(model, none, 0, &use) == MUNJA_OK);
  EXPECT(use.is_missing == 0);
  EXPECT(munja_resolver_add_builtin(none, "Nothing") == MUNJA_NOT_FOUND);
  munja_resolver_free(none);
  munja_network_free(model);
}

void CarriesStrings(const std::string& path) {
  munja::Session session(munja::Network::Load(path).value(), {.threads = 1});
  const char* const texts[] = {"munja", ""};
  munja_tensor input = {};
  input.type = MUNJA_TYPE_STRING;
  input.rank = 1;
  input.dims[0] = 2;
  EXPECT(munja_strings_pack(texts, nullptr, 2, &input.data, &input.bytes) ==
         MUNJA_OK);
  const munja::Tensor given(input);
  const auto outputs = session.Run({&given, 1}).value();
  const char* text = nullptr;
  size_t length = 1;
  EXPECT(munja_string_at(&outputs[0].get(), 1, &text, &length) == MUNJA_OK);
  EXPECT(length == 0);
  EXPECT(munja_string_at(&outputs[0].get(), 0, &text, &length) == MUNJA_OK);
  EXPECT(std::string(text, length) == "munja");
  EXPECT(munja_string_at(&outputs[0].get(), 2, &text, &length) ==
         MUNJA_INVALID_ARGUMENT);
  input.bytes -= 1;
  EXPECT(munja_string_at(&input, 0, &text, &length) == MUNJA_MALFORMED);
  munja_free(input.data);
}

// The best class of a row is the first of the largest values.
void GivesBestClasses(const std::string& path) {
  auto environment = Environment::Create();
  std::vector<float> image(32), best, all;
  // Bright on the left, dark on the right: either class wins somewhere.
  for (size_t i = 0; i < image.size(); ++i) image[i] = i % 8 < 4 ? 1.0f : -1.0f;
  for (std::vector<float>* values : {&all, &best}) {
    auto model = CompiledModel::Create(
        *environment, path, Options{.threads = 1, .top_k = values == &best});
    EXPECT(model.ok());
    if (!model) return;
    auto inputs = model->CreateInputBuffers();
    auto outputs = model->CreateOutputBuffers();
    EXPECT((*inputs)[0].Write<float>(image).ok());
    EXPECT(model->Run(*inputs, outputs).ok());
    EXPECT(outputs[0].dims()[3] == 2);
    const auto read = *outputs[0].Read<float>();
    values->assign(read.begin(), read.end());
  }
  // Four rows of two classes.
  EXPECT(all.size() == 8 && best.size() == 8);
  bool seen[2] = {};
  for (size_t row = 0; row < all.size(); row += 2) {
    const size_t first = all[row + 1] > all[row] ? 1 : 0;
    seen[first] = true;
    EXPECT(best[row] == static_cast<float>(first));
    EXPECT(best[row + 1] == all[row + first]);
  }
  EXPECT(seen[0] && seen[1]);
}

// The delegate of examples/delegate takes four nodes of six, and falls back
// where it fails.
void RunsWithADelegate(const std::string& path, const std::string& library) {
  EXPECT(munja_delegate_known(0) != nullptr);
  EXPECT(munja_delegate_known(-1) == nullptr);
  munja_delegate* delegate = nullptr;
  EXPECT(munja_delegate_create("none", nullptr, nullptr, 0, &delegate) ==
         MUNJA_NOT_FOUND);
  EXPECT(munja_delegate_create("nn", nullptr, nullptr, 1, &delegate) ==
         MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_delegate_load("./none.so", nullptr, nullptr, 0, &delegate) ==
         MUNJA_UNAVAILABLE);
  const char *key = "fail_in", *value = "eval";
  EXPECT(munja_delegate_load(library.c_str(), &key, &value, 1, &delegate) ==
         MUNJA_OK);
  std::string log;
  munja_set_log(
      [](void* user, munja_log_severity severity, const char* line) {
        EXPECT(severity == MUNJA_LOG_WARNING);
        *static_cast<std::string*>(user) += std::string(line) + "\n";
      },
      &log);
  munja_network* model = nullptr;
  EXPECT(munja_network_load(path.c_str(), &model) == MUNJA_OK);
  std::vector<float> image(32, 1.0f), results[2];
  munja_tensor input = {};
  input.rank = 4;
  input.dims[0] = 1;
  input.dims[1] = input.dims[2] = 4;
  input.dims[3] = 2;
  input.data = image.data();
  input.bytes = image.size() * sizeof(float);
  munja_session* session = nullptr;
  for (int32_t count : {0, 1}) {
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = 1;
    options.delegates = &delegate;
    options.delegate_count = count;
    munja_session_free(session);
    EXPECT(munja_session_create(model, &options, &session) == MUNJA_OK);
    EXPECT(munja_session_run(session, &input, 1) == MUNJA_OK);
    munja_tensor out = {};
    EXPECT(munja_session_output_tensor(session, 0, &out) == MUNJA_OK);
    const auto* values = static_cast<const float*>(out.data);
    results[count].assign(values, values + out.bytes / sizeof(float));
  }
  munja_delegate_free(delegate);  // The session keeps what it needs.
  EXPECT(munja_session_run(session, &input, 1) == MUNJA_OK);
  EXPECT(results[0].size() == 8 && results[1].size() == 8);
  for (size_t i = 0; i < results[0].size(); ++i)
    EXPECT(std::abs(results[0][i] - results[1][i]) < 1e-6f);
  EXPECT(log.find("runs on the CPU: eval failed: ") != std::string::npos);
  EXPECT(log.find("told to fail in eval") != std::string::npos);
  munja_partition_report* report = nullptr;
  EXPECT(munja_session_partition_report(session, &report) == MUNJA_OK);
  EXPECT(munja_partition_report_count(report) == 6);
  munja_node_owner row = {};
  row.struct_size = sizeof row;
  EXPECT(munja_partition_report_row(report, 6, &row) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_partition_report_row(report, 1, &row) == MUNJA_OK);
  EXPECT(std::strcmp(row.op, "ADD") == 0);
  EXPECT(std::strcmp(row.owner, "cpu") == 0);
  EXPECT(std::strstr(row.reason, "eval failed") != nullptr);
  munja_partition_report_free(report);
  munja_session_free(session);
  munja_network_free(model);
  munja_set_log(nullptr, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1];
  RunsACustomOperator(folder + "/sine.tflite");
  RunsADelegate(folder + "/sine.tflite");
  TellsWhatIsInAModel(folder + "/sine.tflite");
  CarriesStrings(folder + "/strings.tflite");
  GivesBestClasses(folder + "/network.tflite");
  RunsWithADelegate(folder + "/network.tflite", argv[2]);
  return failures == 0 ? 0 : 1;
}
