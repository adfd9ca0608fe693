// Pieces that all native methods share: texts, errors, limits of calls.
#ifndef MUNJA_BINDINGS_JAVA_NATIVE_SUPPORT_H_
#define MUNJA_BINDINGS_JAVA_NATIVE_SUPPORT_H_

#include <jni.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "munja/control.h"
#include "munja/types.h"

namespace munja_jni {

// A failure that becomes a MunjaException.
struct Failure {
  munja_status status;
  std::string message;
};
// A Java exception is pending: the native method returns at once.
struct Pending {};

// Throws Pending if the last call of JNI failed.
void CheckJava(JNIEnv* env);
// Throws Failure with the library's message unless `status` is MUNJA_OK.
void Check(munja_status status);
// Makes a MunjaException pending.
void ThrowJava(JNIEnv* env, const Failure& failure) noexcept;

// Runs a native method. Exceptions of C++ become pending ones of Java, and the
// method then returns 0 or null.
template <class F>
auto Guard(JNIEnv* env, F function) noexcept {
  using R = std::invoke_result_t<F>;
  try {
    return function();
  } catch (const Pending&) {
  } catch (const Failure& failure) {
    if (!env->ExceptionCheck()) ThrowJava(env, failure);
  } catch (const std::bad_alloc&) {
    ThrowJava(env, {MUNJA_OUT_OF_MEMORY, "no memory for the call"});
  } catch (...) {
    ThrowJava(env, {MUNJA_INTERNAL, "an unknown exception"});
  }
  return R();
}

// Texts cross as UTF-16. JNI's own "modified UTF-8" stores characters beyond
// the Basic Multilingual Plane as two surrogates, which no one else reads.
// Half a surrogate pair: Failure.
std::string Utf8Of(std::u16string_view text);
// Appends valid UTF-8 as UTF-16. `units`, if not NULL, gets for each byte of
// `text` the number of units before it, and one more for the end.
void AppendUtf16(std::string_view text, std::u16string* utf16,
                 std::vector<uint32_t>* units = nullptr);
// "" for null.
std::string TextOf(JNIEnv* env, jstring text);
// Null elements become "". Null: no elements.
std::vector<std::string> TextsOf(JNIEnv* env, jobjectArray texts);
jstring JavaText(JNIEnv* env, std::string_view text);
// Text of the library, which is freed.
jstring TakeText(JNIEnv* env, char* text);
jbyteArray JavaBytes(JNIEnv* env, const void* bytes, size_t size);

inline const char* OrNull(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

template <class T>
T* Pointer(jlong handle) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(handle));
}
inline jlong HandleOf(const void* pointer) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(pointer));
}

// Limits and progress of the calls that a native method makes. The progress
// callback is an object of the method's caller, so that the control keeps no
// reference to Java.
class Call {
 public:
  // control: 0 for none. progress: null for none.
  Call(JNIEnv* env, jlong control, jobject progress);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  static int OnProgress(void* context, const char* what, uint64_t done,
                        uint64_t total);

 private:
  JNIEnv* env_;
  jobject progress_;
  Call* outer_;
  munja_control* bound_;
};

// Puts the handlers of signals back that a driver replaced while it was opened:
// without its own the JVM takes a null pointer for a crash. (POCL's compiler
// installs handlers for all signals that end a program.) One at a time.
class KeepSignals {
 public:
  KeepSignals();
  KeepSignals(const KeepSignals&) = delete;
  KeepSignals& operator=(const KeepSignals&) = delete;
  ~KeepSignals();

 private:
  std::vector<std::pair<int, struct sigaction>> handlers_;
};

// Native methods by file.
using Methods = std::vector<JNINativeMethod>;
void AddControl(Methods* methods);
void AddEngine(Methods* methods);
void AddLive(Methods* methods);
void AddSession(Methods* methods);
void AddWriter(Methods* methods);

template <class F>
void Add(Methods* methods, const char* name, const char* signature, F* method) {
  methods->push_back({const_cast<char*>(name), const_cast<char*>(signature),
                      reinterpret_cast<void*>(method)});
}

// Called once when the library is loaded. Throws Pending.
void FindClasses(JNIEnv* env);
// io.munja.LiveSink.onEvent().
jmethodID LiveSinkMethod();

}  // namespace munja_jni

#endif  // MUNJA_BINDINGS_JAVA_NATIVE_SUPPORT_H_
