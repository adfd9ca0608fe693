// Labels, and what an engine read earlier: lines of JSON, through the C
// interface.
#include <utility>

#include "call.h"
#include "driver.h"
#include "munja/document.h"
#include "munja/tools/evaluate.h"

namespace munja::hostile {
namespace {

const char kLabels[] =
    R"({"image": "a.png", "lines": [{"poly": [[1, 2], [30, 2], [30, 12], [1, 12]], "text": "Hello"}, {"poly": [[1, 22.5], [30, 22], [30, 32], [1, 32]], "text": "wörld"}]}
{"image": "b/c.png", "lines": []}
{"image": "crop.png", "text": "a line"}
)";
const char kResults[] =
    R"({"source": "x/a.png", "width": 100, "height": 50, "lines": [{"text": "Hello", "confidence": 0.9, "polygon": [[1, 2], [30, 2], [30, 12], [1, 12]]}, {"text": "w", "polygon": [[1, 22], [30, 22], [30, 32], [1, 32]]}]}
{"source": "b/c.png", "lines": []}
{"source": "crop.png", "text": "a lime"}
)";

class Labels : public Target {
 public:
  Labels() : labels_{{"labels", kLabels}}, results_{{"results", kResults}} {
    for (File& file : Corpus("labels_fuzz")) labels_.push_back(std::move(file));
    for (File& file : Corpus("results_fuzz"))
      results_.push_back(std::move(file));
  }
  void AddSeed(const std::string& path, const std::string& bytes) override {
    if (!path.ends_with(".jsonl") || bytes.size() > 1 << 16) return;
    (bytes.find("\"source\"") == std::string::npos ? labels_ : results_)
        .push_back({path, bytes});
  }
  Case Make(Random& random) override {
    const File& labels =
        labels_[random.Once(2) ? 0 : random.Below(labels_.size())];
    const File& results =
        results_[random.Once(2) ? 0 : random.Below(results_.size())];
    Case c;
    c.files = {{"labels.jsonl", labels.bytes},
               {"results.jsonl", results.bytes}};
    // Only one of the two most of the time, so that both are often read.
    const size_t which = random.Below(5);
    for (size_t i = 0; i < 2; ++i) {
      if (which != 4 && which % 2 != i) continue;
      if (random.Once(4))
        MutateBytes(random, c.files[i].bytes);
      else
        MutateText(random, c.files[i].bytes);
    }
    c.how = labels.name + " with " + results.name;
    return c;
  }
  std::string Try(const Case&, const std::string& folder) override {
    munja_evaluation* evaluation = nullptr;
    const munja_status status = munja_evaluation_create(
        (folder + "/labels.jsonl").c_str(), &evaluation);
    if (status != MUNJA_OK) return Judge(status);
    const std::string finding = Score(evaluation, folder + "/results.jsonl");
    munja_evaluation_free(evaluation);
    return finding;
  }

 private:
  static std::string Score(munja_evaluation* evaluation,
                           const std::string& results) {
    std::string finding =
        Judge(munja_evaluation_load_results(evaluation, results.c_str()));
    const int32_t count = munja_evaluation_count(evaluation);
    for (int32_t i = 0; i < count && finding.empty(); ++i) {
      if (munja_evaluation_image(evaluation, i) == nullptr)
        return "an entry without a picture";
      munja_document* document = nullptr;
      finding = Judge(munja_evaluation_result(evaluation, i, &document));
      if (finding.empty())
        finding = Judge(munja_evaluation_add(evaluation, i, document));
      char* json = nullptr;
      if (finding.empty() && document != nullptr)
        finding = Judge(munja_document_to_json(document, "picture", &json));
      munja_free(json);
      json = nullptr;
      if (finding.empty())
        finding =
            Judge(munja_evaluation_compare(evaluation, i, document, &json));
      munja_free(json);
      munja_document_free(document);
    }
    char* figures = nullptr;
    if (finding.empty())
      finding = Judge(munja_evaluation_figures(evaluation, &figures));
    if (figures != nullptr &&
        (std::string(figures).find("nan") != std::string::npos ||
         std::string(figures).find("inf") != std::string::npos)) {
      finding = std::string("figures that are NaN or infinite: ") + figures;
    }
    munja_free(figures);
    return finding;
  }

  std::vector<File> labels_, results_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Labels target;
  return munja::hostile::Run(
      argc, argv, {.name = "labels", .write_files = true, .case_mib = 128},
      target);
}
