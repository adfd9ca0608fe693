// Networks in C++ as a program runs them, and the model tools. Arguments:
// double.tflite (y = x + x), an integer network.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ++failures;
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Signatures(const munja::Network& network) {
  const std::vector<munja::Signature> signatures = network.signatures();
  Expect(signatures.size() == 1 && signatures[0].key == "serving_default" &&
             signatures[0].subgraph == 0 &&
             signatures[0].inputs[0].name == "in" &&
             signatures[0].outputs[0].name == "out",
         "the signature with its names");
  munja::Session by_signature(network, {.signature = "serving_default"});
  Expect(by_signature.FindInput("in").value() == 0 &&
             by_signature.FindOutput("out").value() == 0,
         "inputs and outputs by the names of the signature");
  Expect(munja::Session::Create(network, {.signature = "none"}).code() ==
             MUNJA_NOT_FOUND,
         "a signature that does not exist");
}

void Run(const munja::Network& network) {
  munja::Session session(network, {.threads = 1, .profile = true});
  const std::vector<munja::TensorInfo> inputs = session.inputs();
  Expect(inputs.size() == 1 && inputs[0].name == "x" &&
             inputs[0].type == MUNJA_TYPE_FLOAT32 &&
             inputs[0].dims.size() == 1 && inputs[0].dims[0] == -1 &&
             inputs[0].scale == 0,
         "the input: float32 [-1]");
  Expect(munja::NameOf(inputs[0].type) == "float32", "the name of a type");
  Expect(session.output_count() == 1 && session.outputs()[0].name == "y",
         "the output");
  Expect(session.FindInput("x").value() == 0 &&
             session.FindInput("y").code() == MUNJA_NOT_FOUND,
         "inputs by name");

  std::vector<float> numbers = {1, 2, 3};
  const munja::Tensor input =
      munja::Tensor::Of<float>(MUNJA_TYPE_FLOAT32, {{3}}, numbers);
  const munja::Tensor shape =
      munja::Tensor::Of<float>(MUNJA_TYPE_FLOAT32, {{3}}, {});
  Expect(session.Plan({&shape, 1}).ok(), "a plan needs no data");
  Expect(session.Plan({}).code() == MUNJA_INVALID_ARGUMENT &&
             session.Run({}).code() == MUNJA_INVALID_ARGUMENT,
         "no input");
  for (int run = 0; run < 2; ++run) {
    const std::vector<munja::Tensor> outputs = session.Run({&input, 1}).value();
    const std::vector<float> expected = {2, 4, 6};
    Expect(outputs.size() == 1 && outputs[0].bytes() == 12 &&
               outputs[0].dims().size() == 1 && outputs[0].dims()[0] == 3 &&
               std::ranges::equal(outputs[0].data<float>(), expected),
           "y = x + x");
  }
  const std::vector<munja::NodeProfile> profile = session.Profile();
  Expect(profile.size() == 1 && profile[0].op == "ADD" &&
             profile[0].runs == 2 && profile[0].bytes == 36,
         "the profile: ADD, two runs, three operands of twelve bytes");
  session.ResetProfile();
  for (const munja::NodeProfile& row : session.Profile())
    Expect(row.runs == 0, "a profile that was reset");
  Expect(session.memory().arena > 0, "the memory of the plan");
}

void DevicesAndOperators(const munja::Network& network) {
  const std::vector<munja::NodeOwner> owners = munja::OwnersOf(network).value();
  Expect(owners.size() == 1 && owners[0].op == "ADD" &&
             owners[0].owner == "cpu" && owners[0].partition == -1,
         "without delegates all nodes run on the CPU");
  munja::Delegate delegate =
      munja::Delegate::Create({"nn", {{"device", "reference"}}}).value();
  const auto offered =
      munja::OwnersOf(network, {.delegates = {delegate.get()}}).value();
  Expect(offered.size() == 1 && !offered[0].owner.empty(),
         "who runs a node that a delegate was offered");
  const std::vector<std::string> known = munja::Delegate::Known();
  Expect(std::find(known.begin(), known.end(), "nn") != known.end(),
         "the delegates of the library");
  Expect(munja::Delegate::Create({"none"}).code() == MUNJA_NOT_FOUND,
         "a delegate that does not exist");
  Expect(munja::Delegate::Create({"nn", {{"none", "1"}}}).code() ==
             MUNJA_INVALID_ARGUMENT,
         "an option that does not exist");
  Expect(munja::Delegate::Load({"./none.so"}).code() == MUNJA_UNAVAILABLE,
         "a library that does not exist");
  munja::Resolver resolver;
  Expect(resolver.Load("./none.so").code() == MUNJA_UNAVAILABLE,
         "operators of a library that does not exist");
  Expect(munja::Session::Create(network, {.resolver = resolver.get()}).ok(),
         "a resolver with the operators of the library");
  Expect(munja::Devices().value().starts_with("{"), "devices as JSON");
}

void LimitsAndMessages(const std::string& directory) {
  munja::Control control({.max_memory = 1 << 20});
  Expect(control.state().ok() && control.memory().max_memory == 1 << 20,
         "a limit of memory");
  control.Cancel();
  Expect(control.state().code() == MUNJA_CANCELLED, "a cancellation");
  munja::Check(control.Restart());
  Expect(control.state().ok(), "a restart");

  Expect(munja::Version() == MUNJA_VERSION_TEXT, "the version");
  std::string seen;
  munja::SetLog([&](munja_log_severity severity, std::string_view line) {
    seen += severity == MUNJA_LOG_WARNING ? line : "";
  });
  // The second one ends the first, whose folder does not exist.
  const std::string path = directory + "/trace";
  munja::Check(munja::StartTrace(directory + "/none/trace"));
  munja::Check(munja::StartTrace(path));
  Expect(Contains(seen, "none/trace"), "a warning in the log");
  munja::SetLog(nullptr);
  munja::Check(munja::FinishTrace());
  Expect(!Contents(path).empty(), "a trace");
  munja::Check(munja::StartTrace(directory + "/none/trace"));
  Expect(munja::FinishTrace().code() == MUNJA_IO, "a trace without a folder");
}

void LookInside(const munja::Network& network, const munja::Network& integer) {
  Expect(Contains(munja::ToText(network).value(), "ADD"), "a listing");
  Expect(munja::ToDot(network).value().starts_with("digraph"), "a graph");
  Expect(munja::OperatorsOf({&network, 1}).value() == "ADD\n",
         "the operators that a network needs");
  const munja::Network all = munja::ExposeAll(integer).value();
  munja::Session session(all, {.threads = 1});
  const std::vector<munja::TensorInfo> outputs = session.outputs();
  Expect(outputs.size() > 10, "all tensors are outputs");
  Expect(std::any_of(outputs.begin(), outputs.end(),
                     [](const munja::TensorInfo& output) {
                       return output.type == MUNJA_TYPE_INT8 &&
                              output.scale > 0;
                     }),
         "the scale of a quantized tensor");
  const munja::Producer producer = munja::ProducerOf(network, 0).value();
  Expect(producer.node == 0 && producer.op == "ADD", "the node of an output");
  Expect(munja::ProducerOf(network, 1).code() != MUNJA_OK,
         "an output that does not exist");
  Expect(!munja::IsHybrid(network, 0), "a network of floats");
}

void Tools(const std::string& directory) {
  std::vector<int32_t> numbers = {1, -2, 3, -4, 5, -6};
  const std::string path = directory + "/array.npy";
  munja::Check(munja::Array::Save(
      path, munja::Tensor::Of<int32_t>(MUNJA_TYPE_INT32, {{2, 3}}, numbers)));
  const munja::Array array = munja::Array::Load(path).value();
  const munja::Tensor loaded = array.tensor();
  Expect(loaded.type() == MUNJA_TYPE_INT32 && loaded.dims().size() == 2 &&
             loaded.dims()[1] == 3 &&
             std::ranges::equal(loaded.data<int32_t>(), numbers),
         "an array comes back from its file");
  Expect(munja::Array::Load(directory + "/none").code() == MUNJA_NOT_FOUND,
         "an array that does not exist");

  Expect(!munja::SimdName().empty(), "the vector instructions in use");
  Expect(munja::SelectSimd("none").code() == MUNJA_INVALID_ARGUMENT,
         "vector instructions that do not exist");

  // The tools hand their failures on.
  const std::string none = directory + "/none", out = directory + "/out";
  Expect(munja::Convert(none, out).code() == MUNJA_NOT_FOUND, "convert");
  Expect(munja::CreateModel(
             out, {.detector = none, .recognizer = none, .dictionary = none})
                 .code() == MUNJA_NOT_FOUND,
         "create a model");
  Expect(munja::Prune(none, out, {.sparsity = "0.5"}).code() == MUNJA_NOT_FOUND,
         "prune");
  Expect(munja::Quantize("", "", none, out, {.calibration = {none}}).code() ==
             MUNJA_NOT_FOUND,
         "quantize");
  Expect(munja::QuantizeModel(none, out, {.mode = MUNJA_QUANTIZE_WEIGHTS})
                 .code() == MUNJA_NOT_FOUND,
         "quantize a model");
  Expect(munja::TestDriver({none}).code() == MUNJA_NOT_FOUND, "driver tests");
  Expect(munja::Evaluation::Create(none).code() == MUNJA_NOT_FOUND, "labels");
}

// Two labeled lines of an image that need not exist: nothing is read.
void Evaluate(const std::string& directory) {
  const std::string labels = directory + "/labels/set.jsonl";
  std::filesystem::create_directories(directory + "/labels");
  munja::Check(munja::WriteFile(
      labels, R"({"image": "a.png", "lines": [)"
              R"({"text": "one", "poly": [[0,0],[9,0],[9,5],[0,5]]}]})"));
  munja::Evaluation evaluation = munja::Evaluation::Create(labels).value();
  Expect(evaluation.count() == 1 && !evaluation.is_crop(0) &&
             evaluation.image(0).ends_with("a.png") &&
             evaluation.image(1).empty(),
         "one entry");
  Expect(Contains(evaluation.Compare(0, nullptr).value(), "\"one\""),
         "a line that was not found");
  munja::Check(evaluation.Add(0, nullptr));
  Expect(Contains(evaluation.Figures().value(), "\"images\""), "figures");
  Expect(!evaluation.LoadedResult(0).value().has_value(), "no results");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const auto directory =
      (std::filesystem::temp_directory_path() /
       ("munja_networks_program_" + std::to_string(::getpid())))
          .string();
  std::filesystem::create_directories(directory);
  const munja::Network network = munja::Network::Load(argv[1]).value();
  Signatures(network);
  Run(network);
  DevicesAndOperators(network);
  LimitsAndMessages(directory);
  LookInside(network, munja::Network::Load(argv[2]).value());
  Tools(directory);
  Evaluate(directory);
  std::filesystem::remove_all(directory);
  return failures == 0 ? 0 : 1;
} catch (const munja::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
