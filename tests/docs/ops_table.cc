// Writes docs/reference/ops.md, operator x versions x element types x backend,
// by running each operator. Arguments: a file; with --check, fails if the file
// differs from what would be written.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "probe.h"

using munja::ElementType;

namespace {

constexpr ElementType kTypes[] = {
    ElementType::kFloat32,   ElementType::kFloat16, ElementType::kFloat64,
    ElementType::kInt8,      ElementType::kUInt8,   ElementType::kInt16,
    ElementType::kUInt16,    ElementType::kInt32,   ElementType::kUInt32,
    ElementType::kInt64,     ElementType::kBool,    ElementType::kString,
    ElementType::kComplex64, ElementType::kInt4,
};

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The file (a path under src/core), or an operator or kernel that it includes,
// has code in Highway. The headers that all operators share say nothing.
bool IsVectorized(const std::string& file, std::set<std::string>& seen) {
  const std::set<std::string> shared = {"ops/op.h",
                                        "ops/support/operands.h",
                                        "ops/support/window.h",
                                        "ops/support/broadcast.h",
                                        "ops/support/quantized/quantized.h",
                                        "ops/support/copy_plan.h"};
  if (shared.contains(file) || !seen.insert(file).second) return false;
  const std::string text = ReadText(MUNJA_SOURCE_DIR "/src/core/" + file);
  if (file.starts_with("kernels/") && text.find("hwy/") != std::string::npos)
    return true;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string path = line.substr(10, line.rfind('"') - 10);
    if (!path.starts_with("kernels/") && !path.starts_with("ops/")) continue;
    if (shared.contains(path)) continue;
    const std::string source = path.substr(0, path.size() - 2) + ".cc";
    if (IsVectorized(path, seen) || IsVectorized(source, seen)) return true;
  }
  return false;
}

// The operator's file, a path under src/core.
std::string OperatorFile(const std::string& stem) {
  for (const auto& entry :
       std::filesystem::directory_iterator(MUNJA_SOURCE_DIR "/src/core/ops")) {
    if (std::filesystem::exists(entry.path() / (stem + ".cc")))
      return "ops/" + entry.path().filename().string() + "/" + stem + ".cc";
  }
  return "ops/" + stem + ".cc";
}

std::string Join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string Row(const munja::ops::OpImpl& op, const char* stem) {
  std::vector<std::string> types;
  if (munja::docs::CanProbe(op.name)) {
    for (const ElementType type : kTypes) {
      const auto node = munja::docs::FindNode(op, type);
      if (!node) continue;
      types.emplace_back(munja::ElementTypeName(type));
    }
  }
  std::set<std::string> seen;
  std::string backends = "reference";
  const std::string file = OperatorFile(stem);
  if (IsVectorized(file, seen)) backends += ", SIMD";
  return "| " + std::string(op.name) + " | " + std::to_string(op.min_version) +
         " to " + std::to_string(op.max_version) + " | " +
         (types.empty() ? "see `src/core/" + file + "`" : Join(types)) + " | " +
         backends + " |\n";
}

struct Stem {
  const char* name;
  const char* stem;
};
constexpr Stem kStems[] = {
#define OP(name, stem, min_version, max_version) {#name, #stem},
#include "ops/ops.def"
#undef OP
};

std::string Document() {
  std::string text =
      "# Operators\n\n"
      "This table lists every operator of the runtime with the versions and "
      "element types\nthat it supports. It is written by "
      "`munja_ops_table docs/reference/ops.md`, which\nruns each operator with "
      "each type; the test `docs/ops` fails if it is outdated.\n\n"
      "Element types are those of the main input; the other operands follow "
      "the rules of\nthe format. Operators without types here call subgraphs, "
      "keep state between runs,\nor have operands that depend on each other; "
      "see their sources and tests.\n\n"
      "| Backend | Meaning |\n"
      "|---|---|\n"
      "| reference | plain loops for all types (`reference_kernels`) |\n"
      "| SIMD | vectorized kernels for the types for which they pay |\n\n"
      "| Operator | Versions | Element types | Backends |\n"
      "|---|---|---|---|\n";
  for (const Stem& stem : kStems)
    text += Row(*munja::ops::FindOp(stem.name), stem.stem);
  return text + "\n" + std::to_string(std::size(kStems)) + " operators.\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_check = argc == 3 && std::string(argv[1]) == "--check";
  if ((argc != 2 && !is_check) || argv[argc - 1][0] == '-') {
    std::fprintf(stderr, "usage: munja_ops_table [--check] FILE\n");
    return 2;
  }
  const std::string path = argv[argc - 1];
  const std::string text = Document();
  if (is_check) {
    if (ReadText(path) == text) return 0;
    std::fprintf(stderr, "%s is stale: run munja_ops_table %s\n", path.c_str(),
                 path.c_str());
    return 1;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return file ? 0 : 1;
}
