#include "support.h"

namespace munja_jni {
namespace {

jlong JNICALL ControlCreate(JNIEnv* env, jclass, jlong max_memory,
                            jdouble seconds, jlong max_pixels) {
  return Guard(env, [&] {
    munja_control_options options = {};
    options.struct_size = sizeof options;
    options.max_memory = max_memory;
    options.seconds = seconds;
    options.max_pixels = max_pixels;
    options.progress = Call::OnProgress;
    munja_control* control = nullptr;
    Check(munja_control_create(&options, &control));
    return HandleOf(control);
  });
}

void JNICALL ControlFree(JNIEnv*, jclass, jlong control) {
  munja_control_free(Pointer<munja_control>(control));
}

void JNICALL ControlCancel(JNIEnv*, jclass, jlong control) {
  munja_control_cancel(Pointer<munja_control>(control));
}

void JNICALL ControlRestart(JNIEnv* env, jclass, jlong control) {
  Guard(env,
        [&] { Check(munja_control_restart(Pointer<munja_control>(control))); });
}

jlong JNICALL ControlPeak(JNIEnv* env, jclass, jlong control) {
  return Guard(env, [&] {
    munja_control_use use = {};
    use.struct_size = sizeof use;
    Check(munja_control_memory(Pointer<munja_control>(control), &use));
    return static_cast<jlong>(use.peak);
  });
}

}  // namespace

void AddControl(Methods* methods) {
  Add(methods, "controlCreate", "(JDJ)J", ControlCreate);
  Add(methods, "controlFree", "(J)V", ControlFree);
  Add(methods, "controlCancel", "(J)V", ControlCancel);
  Add(methods, "controlRestart", "(J)V", ControlRestart);
  Add(methods, "controlPeak", "(J)J", ControlPeak);
}

}  // namespace munja_jni
