#include "bundle/yaml.h"

#include <yaml.h>

#include <memory>

namespace munja::bundle {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxNodes = 1'000'000;

class Parser {
 public:
  explicit Parser(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (ready_)
      yaml_parser_set_input_string(
          &parser_,
          // libyaml takes no null, and an empty view may be one.
          reinterpret_cast<const unsigned char*>(text.empty() ? ""
                                                              : text.data()),
          text.size());
  }
  ~Parser() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Result<YamlNode> Document() {
    if (!ready_) return OutOfMemory("no memory to read YAML");
    for (;;) {
      MUNJA_RETURN_IF_ERROR(Next());
      if (event_->type == YAML_STREAM_END_EVENT)
        return Malformed("the YAML text is empty");
      if (event_->type == YAML_DOCUMENT_START_EVENT) break;
    }
    MUNJA_RETURN_IF_ERROR(Next());
    return Node(0);
  }

 private:
  struct Free {
    void operator()(yaml_event_t* event) const {
      yaml_event_delete(event);
      delete event;
    }
  };

  Status Next() {
    auto event = std::make_unique<yaml_event_t>();
    if (yaml_parser_parse(&parser_, event.get()) == 0)
      return Malformed(
          "YAML line " + std::to_string(parser_.problem_mark.line + 1) + ": " +
          (parser_.problem ? parser_.problem : "it cannot be read"));
    event_.reset(event.release());
    return Status();
  }

  // Reads the node that the current event starts.
  Result<YamlNode> Node(int depth) {
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes)
      return OutOfMemory("the YAML text is nested too deep or too long");
    YamlNode node;
    switch (event_->type) {
      case YAML_SCALAR_EVENT:
        node.scalar.assign(
            reinterpret_cast<const char*>(event_->data.scalar.value),
            event_->data.scalar.length);
        return node;
      case YAML_ALIAS_EVENT:
        return node;
      case YAML_SEQUENCE_START_EVENT:
        node.kind = YamlNode::Kind::kSequence;
        for (;;) {
          MUNJA_RETURN_IF_ERROR(Next());
          if (event_->type == YAML_SEQUENCE_END_EVENT) return node;
          MUNJA_ASSIGN_OR_RETURN(YamlNode item, Node(depth + 1));
          node.items.push_back(std::move(item));
        }
      case YAML_MAPPING_START_EVENT:
        node.kind = YamlNode::Kind::kMapping;
        for (;;) {
          MUNJA_RETURN_IF_ERROR(Next());
          if (event_->type == YAML_MAPPING_END_EVENT) return node;
          MUNJA_ASSIGN_OR_RETURN(YamlNode key, Node(depth + 1));
          MUNJA_RETURN_IF_ERROR(Next());
          MUNJA_ASSIGN_OR_RETURN(YamlNode value, Node(depth + 1));
          node.keys.push_back(std::move(key.scalar));
          node.values.push_back(std::move(value));
        }
      default:
        return Malformed("the YAML text ends early");
    }
  }

  yaml_parser_t parser_;
  bool ready_ = false;
  std::unique_ptr<yaml_event_t, Free> event_;
  size_t nodes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::Find(std::string_view name) const {
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == name) return &values[i];
  return nullptr;
}

Result<YamlNode> ParseYaml(std::string_view text) {
  return Parser(text).Document();
}

}  // namespace munja::bundle
