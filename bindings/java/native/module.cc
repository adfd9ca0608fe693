// The entry point: gives the native methods of io.munja.Native to the JVM.
#include "munja/devices.h"
#include "munja/model.h"
#include "munja/system.h"
#include "support.h"

namespace munja_jni {
namespace {

jstring JNICALL Version(JNIEnv* env, jclass) {
  return Guard(env, [&] { return JavaText(env, munja_version()); });
}

jstring JNICALL Models(JNIEnv* env, jclass) {
  return Guard(env, [&] {
    char* json = nullptr;
    Check(munja_model_list(&json));
    return TakeText(env, json);
  });
}

jstring JNICALL System(JNIEnv* env, jclass, jstring drivers) {
  return Guard(env, [&] {
    const KeepSignals keep;
    char* json = nullptr;
    Check(munja_system_describe(TextOf(env, drivers).c_str(), &json));
    return TakeText(env, json);
  });
}

// The texts of tests cross in both directions.
jstring JNICALL Echo(JNIEnv* env, jclass, jstring text) {
  return Guard(env, [&] { return JavaText(env, TextOf(env, text)); });
}

void Register(JNIEnv* env) {
  FindClasses(env);
  Methods methods;
  Add(&methods, "version", "()Ljava/lang/String;", Version);
  Add(&methods, "models", "()Ljava/lang/String;", Models);
  Add(&methods, "system", "(Ljava/lang/String;)Ljava/lang/String;", System);
  Add(&methods, "echo", "(Ljava/lang/String;)Ljava/lang/String;", Echo);
  AddControl(&methods);
  AddEngine(&methods);
  AddLive(&methods);
  AddSession(&methods);
  AddWriter(&methods);
  jclass native = env->FindClass("io/munja/Native");
  CheckJava(env);
  env->RegisterNatives(native, methods.data(),
                       static_cast<jint>(methods.size()));
  CheckJava(env);
}

}  // namespace
}  // namespace munja_jni

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) != JNI_OK)
    return JNI_ERR;
  try {
    munja_jni::Register(env);
  } catch (...) {
    return JNI_ERR;  // The exception of Java is pending.
  }
  return JNI_VERSION_1_6;
}
