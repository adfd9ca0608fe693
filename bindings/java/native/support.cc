#include "support.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

namespace munja_jni {
namespace {

jclass exception_class = nullptr;
jmethodID exception_constructor = nullptr;
jmethodID progress_method = nullptr;
jmethodID live_sink_method = nullptr;
thread_local Call* current_call = nullptr;

jclass GlobalClass(JNIEnv* env, const char* name) {
  jclass local = env->FindClass(name);
  CheckJava(env);
  auto global = static_cast<jclass>(env->NewGlobalRef(local));
  CheckJava(env);
  env->DeleteLocalRef(local);
  return global;
}

// The bytes of a sequence that begins with `lead`.
int SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

// Lives until the process ends, which may be while threads still wait for it.
std::mutex& SignalMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

void FindClasses(JNIEnv* env) {
  exception_class = GlobalClass(env, "io/munja/MunjaException");
  exception_constructor =
      env->GetMethodID(exception_class, "<init>", "(ILjava/lang/String;)V");
  CheckJava(env);
  jclass progress = GlobalClass(env, "io/munja/Progress");
  progress_method =
      env->GetMethodID(progress, "onProgress", "(Ljava/lang/String;JJ)Z");
  CheckJava(env);
  jclass sink = GlobalClass(env, "io/munja/LiveSink");
  live_sink_method =
      env->GetMethodID(sink, "onEvent", "(IIJDDDLjava/lang/String;F[FZI)V");
  CheckJava(env);
}

jmethodID LiveSinkMethod() { return live_sink_method; }

void CheckJava(JNIEnv* env) {
  if (env->ExceptionCheck()) throw Pending();
}

void Check(munja_status status) {
  if (status != MUNJA_OK) throw Failure{status, munja_last_error()};
}

void ThrowJava(JNIEnv* env, const Failure& failure) noexcept {
  try {
    jstring message = JavaText(env, failure.message);
    jobject exception =
        env->NewObject(exception_class, exception_constructor,
                       static_cast<jint>(failure.status), message);
    if (!env->ExceptionCheck()) env->Throw(static_cast<jthrowable>(exception));
  } catch (const Pending&) {
    // Java had no memory: its own exception is pending.
  } catch (const std::bad_alloc&) {
    env->ThrowNew(exception_class, "no memory");
  }
}

std::string Utf8Of(std::u16string_view text) {
  std::string utf8;
  utf8.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t code = text[i];
    if (code >= 0xD800 && code < 0xE000) {
      if (code >= 0xDC00 || i + 1 == text.size() || text[i + 1] < 0xDC00 ||
          text[i + 1] >= 0xE000) {
        throw Failure{MUNJA_INVALID_ARGUMENT,
                      "a text has half of a surrogate pair at index " +
                          std::to_string(i)};
      }
      code = 0x10000 + ((code - 0xD800) << 10) + (text[++i] - 0xDC00U);
    }
    const auto add = [&](uint32_t byte) {
      utf8.push_back(static_cast<char>(byte));
    };
    const auto add_tail = [&](int shift) {
      add(0x80 | ((code >> shift) & 0x3F));
    };
    if (code == 0) {
      throw Failure{MUNJA_INVALID_ARGUMENT,
                    "a text has the character 0 at index " + std::to_string(i)};
    }
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0 | (code >> 6));
      add_tail(0);
    } else if (code < 0x10000) {
      add(0xE0 | (code >> 12));
      add_tail(6);
      add_tail(0);
    } else {
      add(0xF0 | (code >> 18));
      add_tail(12);
      add_tail(6);
      add_tail(0);
    }
  }
  return utf8;
}

void AppendUtf16(std::string_view text, std::u16string* utf16,
                 std::vector<uint32_t>* units) {
  utf16->reserve(utf16->size() + text.size());
  if (units != nullptr) units->reserve(units->size() + text.size() + 1);
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = std::min<size_t>(
        static_cast<size_t>(SequenceLength(lead)), text.size() - i);
    if (units != nullptr) {
      units->insert(units->end(), length, static_cast<uint32_t>(utf16->size()));
    }
    uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (size_t k = 1; k < length; ++k)
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    i += length;
    if (code >= 0x10000) {
      code -= 0x10000;
      utf16->push_back(static_cast<char16_t>(0xD800 + (code >> 10)));
      code = 0xDC00 + (code & 0x3FF);
    }
    utf16->push_back(static_cast<char16_t>(code));
  }
  if (units != nullptr) units->push_back(static_cast<uint32_t>(utf16->size()));
}

std::string TextOf(JNIEnv* env, jstring text) {
  if (text == nullptr) return "";
  const jsize length = env->GetStringLength(text);
  std::u16string utf16(static_cast<size_t>(length), u'\0');
  if (length > 0) {
    env->GetStringRegion(text, 0, length,
                         reinterpret_cast<jchar*>(utf16.data()));
    CheckJava(env);
  }
  return Utf8Of(utf16);
}

std::vector<std::string> TextsOf(JNIEnv* env, jobjectArray texts) {
  std::vector<std::string> result;
  const jsize count = texts == nullptr ? 0 : env->GetArrayLength(texts);
  for (jsize i = 0; i < count; ++i) {
    auto text = static_cast<jstring>(env->GetObjectArrayElement(texts, i));
    CheckJava(env);
    result.push_back(TextOf(env, text));
    env->DeleteLocalRef(text);
  }
  return result;
}

jstring JavaText(JNIEnv* env, std::string_view text) {
  std::u16string utf16;
  AppendUtf16(text, &utf16);
  jstring result = env->NewString(reinterpret_cast<const jchar*>(utf16.data()),
                                  static_cast<jsize>(utf16.size()));
  CheckJava(env);
  return result;
}

jstring TakeText(JNIEnv* env, char* text) {
  const std::unique_ptr<char, void (*)(void*)> owner(text, munja_free);
  return JavaText(env, text);
}

jbyteArray JavaBytes(JNIEnv* env, const void* bytes, size_t size) {
  if (size > static_cast<size_t>(std::numeric_limits<jsize>::max())) {
    throw Failure{MUNJA_OUT_OF_MEMORY,
                  "the result has " + std::to_string(size) +
                      " bytes, more than an array of Java holds"};
  }
  const auto length = static_cast<jsize>(size);
  jbyteArray array = env->NewByteArray(length);
  CheckJava(env);
  env->SetByteArrayRegion(array, 0, length, static_cast<const jbyte*>(bytes));
  CheckJava(env);
  return array;
}

Call::Call(JNIEnv* env, jlong control, jobject progress)
    : env_(env),
      progress_(progress),
      outer_(current_call),
      bound_(munja_control_bind(Pointer<munja_control>(control))) {
  current_call = this;
}

Call::~Call() {
  current_call = outer_;
  munja_control_bind(bound_);
}

// The thread that made the call runs it, so its environment is known.
int Call::OnProgress(void*, const char* what, uint64_t done, uint64_t total) {
  const Call* call = current_call;
  if (call == nullptr || call->progress_ == nullptr) return 0;
  JNIEnv* env = call->env_;
  if (env->ExceptionCheck()) return 1;
  jstring text = nullptr;
  try {
    text = JavaText(env, what == nullptr ? "" : what);
  } catch (...) {
    return 1;
  }
  const jboolean go_on = env->CallBooleanMethod(
      call->progress_, progress_method, text, static_cast<jlong>(done),
      static_cast<jlong>(total));
  // An exception of the callback ends the call and reaches its caller.
  if (env->ExceptionCheck()) return 1;
  env->DeleteLocalRef(text);
  return go_on == JNI_TRUE ? 0 : 1;
}

KeepSignals::KeepSignals() {
  SignalMutex().lock();
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT,
                           SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,
                           SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS}) {
    struct sigaction handler = {};
    if (sigaction(signal, nullptr, &handler) == 0)
      handlers_.emplace_back(signal, handler);
  }
}

KeepSignals::~KeepSignals() {
  for (const auto& [signal, handler] : handlers_) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) == 0 &&
        now.sa_sigaction != handler.sa_sigaction) {
      sigaction(signal, &handler, nullptr);
    }
  }
  SignalMutex().unlock();
}

}  // namespace munja_jni
