#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/rewrite/constants.h"
#include "text/hangul_letters.h"
#include "text/utf8.h"
#include "train/nets/export.h"

namespace munja::train {
namespace {

using graph::ValueId;

// The noise that is added to the mean row of the head: enough to tell new
// characters apart, too little to make one of them likely.
constexpr double kNewRowNoise = 0.1;

using Letters = text::HangulLetters;

// Counted from the first syllable of Unicode; nothing for other characters.
std::optional<int> SyllableIndex(const std::string& character) {
  const std::u32string code = text::DecodeUtf8(character);
  if (code.size() != 1 || code[0] < 0xAC00 ||
      code[0] >= 0xAC00 + static_cast<char32_t>(Letters::kSyllables))
    return std::nullopt;
  return static_cast<int>(code[0] - 0xAC00);
}

// A name that is no character. -1: any syllable.
std::string LetterName(int letter) {
  return "letter " + std::to_string(letter);
}

// The convolutions of a graph in their order, as ExportX() writes them.
class ExportedConvs {
 public:
  explicit ExportedConvs(const graph::Subgraph& subgraph)
      : subgraph_(subgraph) {
    for (const graph::Node& node : subgraph.nodes) {
      if (node.op == "DEQUANTIZE") stored_[node.outputs[0]] = node.inputs[0];
      if (node.op == "CONV_2D" || node.op == "DEPTHWISE_CONV_2D")
        convs_.push_back(&node);
    }
  }

  // The next one, out x in/groups x kh x kw and bias; `expected` are the sizes
  // of its weights, -1 for any number of rows.
  Result<FoldedConv> Next(const std::string& name, bool depthwise,
                          std::vector<int64_t> expected) {
    if (next_ == convs_.size())
      return InvalidArgument("the model ends before the network's " + name);
    const graph::Node& node = *convs_[next_++];
    std::optional<std::vector<float>> weights, bias;
    if (node.inputs.size() == 3) {
      weights = Floats(node.inputs[1]);
      bias = Floats(node.inputs[2]);
    }
    if (!weights || !bias || (node.op == "DEPTHWISE_CONV_2D") != depthwise)
      return Unlike(node, name);
    std::vector<int64_t> sizes;
    for (const int32_t d : subgraph_.values[node.inputs[1]].shape.dims())
      sizes.push_back(d);
    if (sizes.size() != 4 || static_cast<int64_t>(weights->size()) !=
                                 sizes[0] * sizes[1] * sizes[2] * sizes[3])
      return Unlike(node, name);
    FoldedConv conv;
    const torch::Tensor stored =
        torch::from_blob(weights->data(), sizes, torch::kFloat32);
    conv.weight =
        depthwise ? stored.permute({3, 0, 1, 2}) : stored.permute({0, 3, 1, 2});
    conv.weight = conv.weight.contiguous().clone();
    conv.bias =
        torch::from_blob(bias->data(), {static_cast<int64_t>(bias->size())},
                         torch::kFloat32)
            .clone();
    if (expected[0] < 0) expected[0] = conv.weight.size(0);
    if (conv.weight.sizes() != expected || conv.bias.size(0) != expected[0])
      return Unlike(node, name);
    return conv;
  }

  size_t left() const { return convs_.size() - next_; }
  size_t CountDepthwise() const {
    return static_cast<size_t>(std::count_if(
        convs_.begin(), convs_.end(), [](const graph::Node* node) {
          return node->op == "DEPTHWISE_CONV_2D";
        }));
  }
  Status Finish() const {
    if (next_ == convs_.size()) return Status();
    return InvalidArgument("the model has " + std::to_string(convs_.size()) +
                           " convolutions, the network " +
                           std::to_string(next_));
  }

 private:
  std::optional<std::vector<float>> Floats(ValueId v) const {
    const auto it = stored_.find(v);
    return graph::ReadFloats(subgraph_, it == stored_.end() ? v : it->second);
  }
  Status Unlike(const graph::Node& node, const std::string& name) const {
    const graph::Value& out = subgraph_.values[node.outputs[0]];
    std::string shape = "none";
    if (node.inputs.size() > 1 && node.inputs[1] != graph::kNoValue)
      shape = subgraph_.values[node.inputs[1]].shape.ToString();
    return InvalidArgument("the model's " + out.name + ", a " + node.op +
                           " with weights of " + shape +
                           ", does not fit the network's " + name);
  }

  const graph::Subgraph& subgraph_;
  std::map<ValueId, ValueId> stored_;  // Float32 value -> what is stored.
  std::vector<const graph::Node*> convs_;
  size_t next_ = 0;
};

Status ReadBlock(ExportedConvs& convs, const std::string& name,
                 ConvBlock& block) {
  const ConvBlockOptions& o = block->options();
  MUNJA_ASSIGN_OR_RETURN(
      const FoldedConv conv,
      convs.Next(name, o.depthwise,
                 {o.out, o.depthwise ? 1 : o.in, o.kernel_h, o.kernel_w}));
  block->SetFolded(conv);
  return Status();
}

// Two layers that do what `head` does as nearly as `channels` between them
// allow: the largest singular values of its weights (Eckart and Young 1936).
std::pair<FoldedConv, FoldedConv> Parted(const FoldedConv& head,
                                         int64_t channels) {
  const torch::Tensor weight = head.weight.flatten(1);
  const auto [u, values, v] =
      torch::linalg_svd(weight, /*full_matrices=*/false, c10::nullopt);
  const int64_t rank = std::min(channels, values.size(0));
  // Shared out evenly, so that both learn at the same pace.
  const torch::Tensor root = values.slice(0, 0, rank).sqrt();
  FoldedConv first, second;
  first.weight = torch::zeros({channels, weight.size(1)});
  first.weight.slice(0, 0, rank).copy_(root.unsqueeze(1) * v.slice(0, 0, rank));
  second.weight = torch::zeros({weight.size(0), channels});
  second.weight.slice(1, 0, rank).copy_(u.slice(1, 0, rank) * root);
  first.weight = first.weight.unsqueeze(2).unsqueeze(3);
  second.weight = second.weight.unsqueeze(2).unsqueeze(3);
  first.bias = torch::zeros({channels});
  second.bias = head.bias;
  return {first, second};
}

// The names of a head's rows: characters, "" for the blank and, where Hangul
// is read by letters, numbers for "any syllable" and the letters.
std::vector<std::string> RowNames(const std::vector<std::string>& alphabet,
                                  bool hangul_letters) {
  std::vector<std::string> names = {""};
  for (const std::string& character : alphabet) {
    const bool is_whole = !hangul_letters || !SyllableIndex(character);
    if (is_whole)
      names.push_back(character);
    else if (*SyllableIndex(character) == 0)
      names.push_back(LetterName(-1));
  }
  names.push_back(" ");
  for (int i = 0; hangul_letters && i < Letters::kLetters; ++i)
    names.push_back(LetterName(i));
  return names;
}

// For each row of the new head the row of the old one, or -1.
std::vector<int64_t> OldRows(const std::vector<std::string>& old_names,
                             const std::vector<std::string>& new_names) {
  std::map<std::string, int64_t> index;
  for (size_t i = 0; i < old_names.size(); ++i)
    index[old_names[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> from;
  for (const std::string& name : new_names) {
    const auto it = index.find(name);
    from.push_back(it == index.end() ? -1 : it->second);
  }
  return from;
}

// Appends rows for "any syllable" and the letters to a head that has a row for
// each syllable it knows: those whose sums are nearest to the syllables' rows
// by least squares.
void AppendLetters(FoldedConv& head, std::vector<std::string>& names) {
  std::vector<int64_t> rows;
  std::vector<int> syllables;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<int> syllable = SyllableIndex(names[i]);
    if (!syllable) continue;
    rows.push_back(static_cast<int64_t>(i));
    syllables.push_back(*syllable);
  }
  if (rows.empty()) return;
  const auto count = static_cast<int64_t>(rows.size());
  // A syllable is the sum of four rows: of all, and of its letters.
  const torch::Tensor parts = torch::zeros({count, 1 + Letters::kLetters});
  for (int64_t i = 0; i < count; ++i) {
    parts[i][0] = 1;
    for (const int letter :
         Letters::LettersAt(syllables[static_cast<size_t>(i)]))
      parts[i][1 + letter] = 1;
  }
  const torch::Tensor chosen = torch::tensor(rows);
  const torch::Tensor wanted =
      torch::cat({head.weight.flatten(1), head.bias.unsqueeze(1)}, 1)
          .index_select(0, chosen);
  const torch::Tensor transposed = parts.transpose(0, 1);
  const torch::Tensor found = torch::linalg_solve(
      transposed.mm(parts) + torch::eye(1 + Letters::kLetters),
      transposed.mm(wanted));
  const int64_t channels = wanted.size(1) - 1;
  head.weight = torch::cat(
      {head.weight, found.slice(1, 0, channels).unsqueeze(2).unsqueeze(3)});
  head.bias = torch::cat({head.bias, found.select(1, channels)});
  for (int i = -1; i < Letters::kLetters; ++i) names.push_back(LetterName(i));
}

// The rows of the parts of an exported head, one after another.
Result<FoldedConv> ReadHead(ExportedConvs& convs, int64_t channels,
                            bool hangul_letters) {
  FoldedConv head;
  MUNJA_ASSIGN_OR_RETURN(head, convs.Next("head", false, {-1, channels, 1, 1}));
  for (const int letters :
       {Letters::kInitials, Letters::kVowels, Letters::kFinals}) {
    if (!hangul_letters) break;
    MUNJA_ASSIGN_OR_RETURN(
        const FoldedConv part,
        convs.Next("letters", false, {letters, channels, 1, 1}));
    head.weight = torch::cat({head.weight, part.weight});
    head.bias = torch::cat({head.bias, part.bias});
  }
  return head;
}

void SetHead(torch::nn::Conv2d& head, const FoldedConv& old,
             const std::vector<int64_t>& from) {
  // New characters: the mean of all but the blank scores below whatever the
  // network sees.
  const torch::Tensor mean = old.weight.slice(0, 1).mean(0);
  const torch::Tensor mean_bias = old.bias.slice(0, 1).mean(0);
  const double noise = kNewRowNoise * old.weight.std().item<double>();
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i);
    if (from[i] >= 0) {
      head->weight[row].copy_(old.weight[from[i]]);
      head->bias[row].copy_(old.bias[from[i]]);
    } else {
      head->weight[row].copy_(mean + noise * torch::randn_like(mean));
      head->bias[row].copy_(mean_bias);
    }
  }
}

}  // namespace

Status InitializeFrom(RecognizerNet& net, const graph::Graph& exported,
                      const std::vector<std::string>& old_alphabet,
                      const std::vector<std::string>& new_alphabet) {
  torch::NoGradGuard no_gradients;
  const bool to_letters = net->config().hangul_letters;
  const bool from_letters =
      exported.metadata.contains(text::kHangulLettersEntry);
  const bool has_syllables = std::any_of(
      new_alphabet.begin(), new_alphabet.end(),
      [](const std::string& c) { return SyllableIndex(c).has_value(); });
  if (from_letters && !to_letters && has_syllables)
    return InvalidArgument(
        "the model reads Hangul by letters, the recipe's network does not "
        "(recognizer.network.hangul_letters)");
  const std::vector<std::string> new_names = RowNames(new_alphabet, to_letters);
  if (static_cast<int64_t>(new_names.size()) != net->classes())
    return InvalidArgument("an alphabet of " +
                           std::to_string(new_alphabet.size()) +
                           " characters does not fit a network of " +
                           std::to_string(net->classes()) + " classes");
  ExportedConvs convs(exported.main());
  for (size_t i = 0; i < net->column.size(); ++i)
    MUNJA_RETURN_IF_ERROR(
        ReadBlock(convs, "column" + std::to_string(i), net->column[i]));
  // Only context blocks have a depthwise convolution.
  const size_t known_blocks = convs.CountDepthwise();
  for (size_t i = 0; i < net->context.size(); ++i) {
    const std::string name = "context" + std::to_string(i);
    ContextBlock& block = net->context[i];
    if (i >= known_blocks) {
      block->project->Silence();
      continue;
    }
    MUNJA_RETURN_IF_ERROR(
        ReadBlock(convs, name + "/depthwise", block->depthwise));
    MUNJA_RETURN_IF_ERROR(ReadBlock(convs, name + "/expand", block->expand));
    MUNJA_RETURN_IF_ERROR(ReadBlock(convs, name + "/project", block->project));
  }
  const bool is_split = !net->bottleneck.is_empty();
  const torch::nn::Conv2d& first = is_split ? net->bottleneck : net->head;
  const int64_t channels = first->weight.size(1);
  FoldedConv head;
  if (is_split && convs.left() == 1) {
    MUNJA_ASSIGN_OR_RETURN(head, ReadHead(convs, channels, false));
    auto [before, after] = Parted(head, net->config().bottleneck);
    net->bottleneck->weight.copy_(before.weight);
    net->bottleneck->bias.copy_(before.bias);
    head = after;
  } else {
    if (is_split) {
      MUNJA_ASSIGN_OR_RETURN(
          const FoldedConv conv,
          convs.Next("bottleneck", false, first->weight.sizes().vec()));
      net->bottleneck->weight.copy_(conv.weight);
      net->bottleneck->bias.copy_(conv.bias);
    }
    MUNJA_ASSIGN_OR_RETURN(
        head, ReadHead(convs, net->head->weight.size(1), from_letters));
  }
  std::vector<std::string> old_names = RowNames(old_alphabet, from_letters);
  if (head.weight.size(0) != static_cast<int64_t>(old_names.size()))
    return InvalidArgument(
        "the model has " + std::to_string(head.weight.size(0)) +
        " classes, its alphabet " + std::to_string(old_alphabet.size()) +
        " characters (blank and space come on top)");
  MUNJA_RETURN_IF_ERROR(convs.Finish());
  if (to_letters && !from_letters) AppendLetters(head, old_names);
  SetHead(net->head, head, OldRows(old_names, new_names));
  return Status();
}

Status InitializeFrom(DetectorNet& net, const graph::Graph& exported) {
  torch::NoGradGuard no_gradients;
  ExportedConvs convs(exported.main());
  MUNJA_RETURN_IF_ERROR(ReadBlock(convs, "stem", net->stem));
  for (size_t s = 0; s < net->stages.size(); ++s)
    for (ConvBlock& block : net->stages[s])
      MUNJA_RETURN_IF_ERROR(
          ReadBlock(convs, "stage" + std::to_string(s + 1), block));
  if (!net->context.is_empty())
    MUNJA_RETURN_IF_ERROR(ReadBlock(convs, "context", net->context));
  for (size_t i = net->laterals.size(); i-- > 0;)
    MUNJA_RETURN_IF_ERROR(
        ReadBlock(convs, "lateral" + std::to_string(i + 1), net->laterals[i]));
  MUNJA_RETURN_IF_ERROR(ReadBlock(convs, "smooth", net->probability->smooth));
  torch::nn::Conv2d& pixels = net->probability->pixels;
  MUNJA_ASSIGN_OR_RETURN(
      const FoldedConv conv,
      convs.Next("pixels", false, pixels->weight.sizes().vec()));
  MUNJA_RETURN_IF_ERROR(convs.Finish());
  pixels->weight.copy_(conv.weight);
  pixels->bias.copy_(conv.bias);
  return Status();
}

}  // namespace munja::train
