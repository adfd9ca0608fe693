// Delegates by name, as options of engines and sessions.
#ifndef MUNJA_BINDINGS_JAVA_NATIVE_ACCELERATORS_H_
#define MUNJA_BINDINGS_JAVA_NATIVE_ACCELERATORS_H_

#include <memory>

#include "munja/delegates.h"
#include "support.h"

namespace munja_jni {

// An engine or session keeps those it is made with, so these live during a
// call.
class Accelerators {
 public:
  // Each row: a name, then keys and values of options in turns. May be null.
  Accelerators(JNIEnv* env, jobjectArray rows) {
    const jsize count = rows == nullptr ? 0 : env->GetArrayLength(rows);
    if (count > 0) keep_ = std::make_unique<KeepSignals>();
    for (jsize i = 0; i < count; ++i) {
      auto row = static_cast<jobjectArray>(env->GetObjectArrayElement(rows, i));
      CheckJava(env);
      const std::vector<std::string> texts = TextsOf(env, row);
      env->DeleteLocalRef(row);
      std::vector<const char*> keys, values;
      for (size_t k = 1; k + 1 < texts.size(); k += 2) {
        keys.push_back(texts[k].c_str());
        values.push_back(texts[k + 1].c_str());
      }
      munja_delegate* delegate = nullptr;
      Check(munja_delegate_create(texts[0].c_str(), keys.data(), values.data(),
                                  static_cast<int32_t>(keys.size()),
                                  &delegate));
      owners_.emplace_back(delegate);
      pointers_.push_back(delegate);
    }
  }
  munja_delegate* const* data() const {
    return pointers_.empty() ? nullptr : pointers_.data();
  }
  int32_t count() const { return static_cast<int32_t>(pointers_.size()); }

 private:
  std::unique_ptr<KeepSignals> keep_;  // While their drivers are opened.
  struct FreeDelegate {
    void operator()(munja_delegate* delegate) const {
      munja_delegate_free(delegate);
    }
  };
  std::vector<std::unique_ptr<munja_delegate, FreeDelegate>> owners_;
  std::vector<munja_delegate*> pointers_;
};

}  // namespace munja_jni

#endif  // MUNJA_BINDINGS_JAVA_NATIVE_ACCELERATORS_H_
