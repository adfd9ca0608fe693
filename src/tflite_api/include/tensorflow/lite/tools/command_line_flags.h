// Arguments of programs: --name=value, and positional ones.
#ifndef MUNJA_TFLITE_TOOLS_COMMAND_LINE_FLAGS_H_
#define MUNJA_TFLITE_TOOLS_COMMAND_LINE_FLAGS_H_

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tflite {

// One argument. Its hook is called with each value given, and with the place of
// the argument on the command line. Hooks of bool, int32_t, int64_t, float and
// std::string.
class Flag {
 public:
  enum FlagType { kPositional = 0, kRequired, kOptional };

  template <class T>
  static Flag CreateFlag(const char* name, T* val, const char* usage,
                         FlagType flag_type = kOptional) {
    return Make<T>(
        name, [val](const T& v, int) { *val = v; }, *val, usage, flag_type);
  }

#define MUNJA_TFLITE_FLAG_OF(T)                                            \
  Flag(const char* name, const std::function<void(const T&, int)>& hook,   \
       T default_value, const std::string& usage_text, FlagType flag_type) \
      : Flag(Make<T>(name, hook, default_value, usage_text, flag_type)) {} \
  Flag(const char* name, const std::function<void(const T&)>& hook,        \
       T default_value, const std::string& usage_text, FlagType flag_type) \
      : Flag(Make<T>(                                                      \
            name, [hook](const T& v, int) { hook(v); }, default_value,     \
            usage_text, flag_type)) {}
  MUNJA_TFLITE_FLAG_OF(int32_t)
  MUNJA_TFLITE_FLAG_OF(int64_t)
  MUNJA_TFLITE_FLAG_OF(float)
  MUNJA_TFLITE_FLAG_OF(bool)
  MUNJA_TFLITE_FLAG_OF(std::string)
#undef MUNJA_TFLITE_FLAG_OF

  FlagType GetFlagType() const { return flag_type_; }
  std::string GetFlagName() const { return name_; }

 private:
  friend class Flags;
  Flag() = default;

  template <class T>
  static Flag Make(const char* name, std::function<void(const T&, int)> hook,
                   const T& default_value, const std::string& usage,
                   FlagType flag_type) {
    Flag flag;
    flag.name_ = name;
    flag.usage_text_ = usage;
    flag.flag_type_ = flag_type;
    std::ostringstream shown;
    shown << std::boolalpha << default_value;
    flag.default_for_display_ = shown.str();
    flag.value_hook_ = [hook = std::move(hook)](const std::string& text,
                                                int position) {
      T value{};
      if (!Read(text, &value)) return false;
      hook(value, position);
      return true;
    };
    if constexpr (std::is_same_v<T, bool>) {
      flag.type_name_ = "bool";
      flag.is_bool_ = true;
    } else if constexpr (std::is_same_v<T, float>) {
      flag.type_name_ = "float";
    } else if constexpr (std::is_same_v<T, int32_t>) {
      flag.type_name_ = "int32";
    } else if constexpr (std::is_same_v<T, int64_t>) {
      flag.type_name_ = "int64";
    } else {
      flag.type_name_ = "string";
    }
    return flag;
  }

  static bool Read(const std::string& text, std::string* value) {
    *value = text;
    return true;
  }
  static bool Read(const std::string& text, bool* value) {
    *value = text == "true" || text == "1";
    return *value || text == "false" || text == "0";
  }
  static bool Read(const std::string& text, float* value) {
    char* end = nullptr;
    *value = std::strtof(text.c_str(), &end);
    return !text.empty() && *end == '\0';
  }
  template <class Integer>
  static bool Read(const std::string& text, Integer* value) {
    char* end = nullptr;
    errno = 0;
    const long long read = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || errno == ERANGE ||
        read < std::numeric_limits<Integer>::min() ||
        read > std::numeric_limits<Integer>::max())
      return false;
    *value = static_cast<Integer>(read);
    return true;
  }

  // Whether the argument is this flag.
  bool Parse(const std::string& arg, int position, bool* value_parsed) const {
    *value_parsed = true;
    if (flag_type_ == kPositional) {
      *value_parsed = value_hook_(arg, position);
      return *value_parsed;
    }
    const std::string option = "--" + name_;
    if (arg == option && is_bool_) {
      *value_parsed = value_hook_("true", position);
      return true;
    }
    if (arg.compare(0, option.size() + 1, option + "=") != 0) return false;
    *value_parsed = value_hook_(arg.substr(option.size() + 1), position);
    return true;
  }

  std::string name_, usage_text_, default_for_display_, type_name_;
  bool is_bool_ = false;
  std::function<bool(const std::string&, int)> value_hook_;
  FlagType flag_type_ = kOptional;
};

class Flags {
 public:
  // Takes the arguments that are flags out of argv. False: a value cannot be
  // read, or a required or positional flag is missing; standard error says
  // which. Arguments behind "--" are left alone. The last of several values
  // counts.
  static bool Parse(int* argc, const char** argv,
                    const std::vector<Flag>& flag_list) {
    bool good = true;
    std::vector<const char*> rest, positional;
    std::vector<int> positions;
    std::vector<bool> given(flag_list.size(), false);
    if (*argc > 0) rest.push_back(argv[0]);
    int i = 1;
    for (; i < *argc && std::string(argv[i]) != "--"; ++i) {
      bool taken = false;
      for (size_t f = 0; f < flag_list.size() && !taken; ++f) {
        if (flag_list[f].flag_type_ == Flag::kPositional) continue;
        bool parsed = true;
        taken = flag_list[f].Parse(argv[i], i, &parsed);
        if (!taken) continue;
        given[f] = true;
        if (!parsed) {
          std::cerr << "Cannot read " << argv[i] << " as "
                    << flag_list[f].type_name_ << '\n';
          good = false;
        }
      }
      if (taken) continue;
      positional.push_back(argv[i]);
      positions.push_back(i);
    }
    size_t next = 0;
    for (size_t f = 0; f < flag_list.size(); ++f) {
      const Flag& flag = flag_list[f];
      bool parsed = true;
      if (flag.flag_type_ == Flag::kPositional) {
        if (next == positional.size() ||
            !flag.Parse(positional[next], positions[next], &parsed)) {
          std::cerr << "Missing or wrong: " << flag.name_ << '\n';
          good = false;
        } else {
          ++next;
        }
      } else if (flag.flag_type_ == Flag::kRequired && !given[f]) {
        std::cerr << "Missing: --" << flag.name_ << '\n';
        good = false;
      }
    }
    rest.insert(rest.end(), positional.begin() + static_cast<long>(next),
                positional.end());
    for (; i < *argc; ++i) rest.push_back(argv[i]);
    for (size_t k = 0; k < rest.size(); ++k) argv[k] = rest[k];
    *argc = static_cast<int>(rest.size());
    return good;
  }

  static std::string Usage(const std::string& cmdline,
                           const std::vector<Flag>& flag_list) {
    std::ostringstream text;
    text << "usage: " << cmdline << " <flags>\nFlags:\n";
    for (const Flag& flag : flag_list) {
      static constexpr const char* kTypes[] = {"positional", "required",
                                               "optional"};
      text << '\t'
           << (flag.flag_type_ == Flag::kPositional ? flag.name_
                                                    : "--" + flag.name_)
           << "=" << flag.default_for_display_ << '\t' << flag.type_name_
           << '\t' << kTypes[flag.flag_type_] << '\t' << flag.usage_text_
           << '\n';
    }
    return text.str();
  }

  static std::string ArgsToString(int argc, const char** argv) {
    std::string text;
    for (int i = 1; i < argc; ++i)
      text += (i > 1 ? " " : "") + std::string(argv[i]);
    return text;
  }
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_TOOLS_COMMAND_LINE_FLAGS_H_
