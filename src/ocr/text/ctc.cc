#include "text/ctc.h"

#include <utility>

namespace munja::text {

namespace {

// Calls add(step) for each character; the mean of their probabilities.
template <class Add>
float ForEachCharacter(std::span<const CtcStep> steps, const Add& add) {
  constexpr int kBlank = 0;
  double sum = 0;
  size_t count = 0;
  int previous = kBlank;
  for (size_t i = 0; i < steps.size(); ++i) {
    const CtcStep& step = steps[i];
    if (step.cls != previous && step.cls != kBlank) {
      add(i);
      sum += step.probability;
      ++count;
    }
    previous = step.cls;
  }
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
}

}  // namespace

CtcText DecodeCtc(std::span<const CtcStep> steps,
                  const Dictionary& dictionary) {
  CtcText result;
  result.confidence = ForEachCharacter(steps, [&](size_t i) {
    const std::string_view symbol = dictionary.TextOf(steps[i].cls);
    result.text += symbol;
    result.characters.push_back({std::string(symbol), i, steps[i].probability});
  });
  return result;
}

void DecodeCtc(std::span<const CtcStep> steps, const Dictionary& dictionary,
               CtcLine& line) {
  line.text.clear();
  line.marks.clear();
  line.confidence = ForEachCharacter(steps, [&](size_t i) {
    line.text += dictionary.TextOf(steps[i].cls);
    CtcMark& mark = line.marks.emplace_back();
    mark.text_end = line.text.size();
    mark.begin = i;
    mark.cls = steps[i].cls;
    mark.probability = steps[i].probability;
    mark.others = steps[i].others;
    for (mark.end = i + 1;
         mark.end < steps.size() && steps[mark.end].cls == mark.cls;)
      ++mark.end;
  });
}

float MeanProbability(std::span<const CtcStep> steps) {
  return ForEachCharacter(steps, [](size_t) {});
}

std::vector<std::string_view> CharactersOf(const CtcLine& line) {
  const std::string_view text = line.text;
  std::vector<std::string_view> characters;
  characters.reserve(line.marks.size());
  size_t begin = 0;
  for (const CtcMark& mark : line.marks) {
    characters.push_back(text.substr(begin, mark.text_end - begin));
    begin = mark.text_end;
  }
  return characters;
}

void ReplaceCharacters(std::span<const int> classes,
                       const Dictionary& dictionary, CtcLine& line) {
  const std::vector<std::string_view> characters = CharactersOf(line);
  std::string spelled;
  for (size_t i = 0; i < characters.size(); ++i) {
    CtcMark& mark = line.marks[i];
    if (classes[i] != 0) mark.cls = classes[i];
    spelled += classes[i] != 0 ? dictionary.TextOf(classes[i]) : characters[i];
    mark.text_end = spelled.size();
  }
  line.text = std::move(spelled);
}

}  // namespace munja::text
