// Bundle: models and dictionary, checked and in memory.
#ifndef MUNJA_BUNDLE_BUNDLE_H_
#define MUNJA_BUNDLE_BUNDLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "graph/graph.h"
#include "reading/network/config.h"
#include "reading/pipeline.h"
#include "runtime/session.h"
#include "text/language_model.h"
#include "text/word_list.h"

namespace munja::bundle {

// Three networks in one precision.
struct Graphs {
  std::shared_ptr<const graph::Graph> detector, recognizer;
  std::shared_ptr<const graph::Graph> classifier;  // Null: none.
};

struct Bundle : Graphs {
  std::shared_ptr<const Files> files;
  Manifest manifest;
  Graphs integer;  // Null where the manifest has none, or they were left out.
  std::string dictionary;  // The file's text.
  // In the order of the manifest.
  std::vector<std::shared_ptr<const text::LanguageModel>> languages;
};

// The table of contents alone. Messages name the file.
Result<Manifest> LoadManifest(const Files& files);

// Reads and checks everything: sizes, SHA-256, the models, the dictionary.
// kNotFound, kMalformed, kUnsupported name the file. `with_integer`: also the
// networks that compute with integers, where there are some.
Result<Bundle> LoadBundle(std::shared_ptr<const Files> files,
                          bool with_integer = true);

// The languages that KeepLanguages() finds: codes, or the name of a language
// model that has none.
std::vector<std::string> LanguagesOf(const Manifest& manifest);

// Whether KeepLanguages() finds all of them.
bool NamesLanguages(const Manifest& manifest, std::string_view languages);

// Keeps the language models of these languages only: codes of bundle.json or
// names of language models without ".lm", in any case, separated by commas;
// "en-US" finds "en". kInvalidArgument for one that is not there lists those
// that are.
Status KeepLanguages(std::string_view languages, Bundle* bundle);

// Writes the files of a bundle, each checked first, and puts the folder in the
// place of what is at `folder` (StagedFolder). A model card goes along where
// there is one.
Status Extract(const Files& files, const std::string& folder);

// An engine that uses `pool`, or the caller's thread alone where that is null.
// `config` is the manifest's or one that overrides it. A dictionary that does
// not fit the recognizer is kMalformed. See runtime::SessionOptions for the
// precision. `is_cascade`: the integer networks read, and the recognizer in
// float (with that precision) re-recognizes low-confidence lines; kNotFound
// without integer networks. `words`, which may be null, are a user's.
// `allowed_characters`: the only ones that are read, but for those among
// `denied_characters`; corrections that bring others are off then. Both empty:
// all. `delegates` are offered the nodes of all
// networks; kInvalidArgument: one serves only one session.
Result<std::unique_ptr<ocr::Pipeline>> CreatePipeline(
    const Bundle& bundle, const ocr::Config& config,
    const std::shared_ptr<ThreadPool>& pool,
    runtime::Precision precision = runtime::Precision::kFloat32,
    bool is_cascade = false,
    std::vector<std::shared_ptr<runtime::Delegate>> delegates = {},
    std::shared_ptr<const text::WordList> words = nullptr,
    std::string_view allowed_characters = {},
    std::string_view denied_characters = {});

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_BUNDLE_H_
