#include "munja/live.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "image.h"
#include "munja/ocr.h"

namespace munja_jni {
namespace {

// Positions in the array of numbers: LiveReader.kt has the same.
enum LiveNumber {
  kAsynchronous,
  kFrameMs,
  kTimeShare,
  kAgreeReadings,
  kBestFrames,
  kAppearAfter,
  kLeaveAfter,
  kMinConfidence,  // Negative: the model's own.
  kMaxGap,
  kLiveNumbers
};

// The thread of the library that reads becomes one of Java with its first event
// and leaves when it ends. A daemon: it does not keep the JVM alive.
class Attachment {
 public:
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment() {
    if (vm_ != nullptr) vm_->DetachCurrentThread();
  }
  // Null if the JVM takes no threads any more.
  JNIEnv* Get(JavaVM* vm) {
    void* env = nullptr;
    if (vm->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK)
      return static_cast<JNIEnv*>(env);
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6,
                                  const_cast<char*>("munja-live"), nullptr};
    JNIEnv* attached =
        Attach(vm, &JavaVM::AttachCurrentThreadAsDaemon, &arguments);
    if (attached != nullptr) vm_ = vm;
    return attached;
  }

 private:
  // Env: void in the JDK's jni.h, JNIEnv in Android's.
  template <class Env>
  static JNIEnv* Attach(JavaVM* vm, jint (JavaVM::*attach)(Env**, void*),
                        void* arguments) {
    Env* env = nullptr;
    if ((vm->*attach)(&env, arguments) != JNI_OK) return nullptr;
    return static_cast<JNIEnv*>(env);
  }

  JavaVM* vm_ = nullptr;
};
thread_local Attachment attachment;

struct Live {
  Live(JNIEnv* env, jobject events) : sink(env->NewGlobalRef(events)) {
    CheckJava(env);
    env->GetJavaVM(&vm);
  }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;
  ~Live() {
    munja_live_free(live);
    if (JNIEnv* env = attachment.Get(vm)) env->DeleteGlobalRef(sink);
  }

  JavaVM* vm = nullptr;
  jobject sink;
  munja_live* live = nullptr;
};

// The sink throws nothing; what JNI itself throws, for want of memory, has no
// one to reach in a thread of the library.
void OnLiveEvent(void* user, const munja_live_event* event) {
  const auto* live = static_cast<const Live*>(user);
  JNIEnv* env = attachment.Get(live->vm);
  if (env == nullptr || env->ExceptionCheck()) return;
  jstring text = nullptr;
  jfloatArray polygon = nullptr;
  try {
    text = JavaText(env, event->text == nullptr ? "" : event->text);
    polygon = env->NewFloatArray(8);
    CheckJava(env);
    env->SetFloatArrayRegion(polygon, 0, 8, event->polygon);
    env->CallVoidMethod(
        live->sink, LiveSinkMethod(), static_cast<jint>(event->kind),
        static_cast<jint>(event->status), static_cast<jlong>(event->id),
        event->time, event->first_time, event->last_time, text,
        static_cast<jdouble>(event->confidence), polygon,
        static_cast<jint>(event->is_final != 0), jint{event->readings});
  } catch (...) {
    // Pending, or std::bad_alloc.
  }
  env->ExceptionClear();
  env->DeleteLocalRef(polygon);
  env->DeleteLocalRef(text);
}

jlong JNICALL LiveCreate(JNIEnv* env, jclass, jlong engine, jobject sink,
                         jdoubleArray numbers, jintArray region) {
  return Guard(env, [&] {
    std::array<jdouble, kLiveNumbers> number;
    env->GetDoubleArrayRegion(numbers, 0, kLiveNumbers, number.data());
    CheckJava(env);
    munja_live_options options = {};
    options.struct_size = sizeof options;
    const auto whole = [&](LiveNumber i) {
      return static_cast<int32_t>(number[i]);
    };
    options.asynchronous = whole(kAsynchronous);
    options.frame_ms = number[kFrameMs];
    options.time_share = number[kTimeShare];
    options.agree_readings = whole(kAgreeReadings);
    options.best_frames = whole(kBestFrames);
    options.appear_after = whole(kAppearAfter);
    options.leave_after = whole(kLeaveAfter);
    if (number[kMinConfidence] >= 0) {
      options.has_min_confidence = 1;
      options.min_confidence = static_cast<float>(number[kMinConfidence]);
    }
    options.max_gap = number[kMaxGap];
    if (region != nullptr) {
      env->GetIntArrayRegion(region, 0, 4, options.region);
      CheckJava(env);
    }
    auto live = std::make_unique<Live>(env, sink);
    options.callback = OnLiveEvent;
    options.user = live.get();
    Check(munja_live_create(Pointer<munja_engine>(engine), &options,
                            &live->live));
    return HandleOf(live.release());
  });
}

munja_live* LiveOf(jlong handle) { return Pointer<Live>(handle)->live; }

void JNICALL LiveFree(JNIEnv*, jclass, jlong live) {
  delete Pointer<Live>(live);
}

void JNICALL LiveFeed(JNIEnv* env, jclass, jlong live, jobjectArray planes,
                      jintArray numbers, jdouble seconds) {
  Guard(env, [&] {
    std::array<std::string, 3> copies;
    const munja_pixels pixels =
        ImageArgument(env, planes, numbers).CopyArrays(&copies);
    const munja_status status = munja_live_feed(LiveOf(live), &pixels, seconds);
    CheckJava(env);
    Check(status);
  });
}

void JNICALL LiveFinish(JNIEnv* env, jclass, jlong live) {
  Guard(env, [&] { Check(munja_live_finish(LiveOf(live))); });
}

void JNICALL LiveReset(JNIEnv* env, jclass, jlong live) {
  Guard(env, [&] { Check(munja_live_reset(LiveOf(live))); });
}

void JNICALL LiveCancel(JNIEnv*, jclass, jlong live) {
  munja_live_cancel(LiveOf(live));
}

jdoubleArray JavaDoubles(JNIEnv* env, const std::vector<jdouble>& values) {
  const auto size = static_cast<jsize>(values.size());
  jdoubleArray array = env->NewDoubleArray(size);
  CheckJava(env);
  env->SetDoubleArrayRegion(array, 0, size, values.data());
  CheckJava(env);
  return array;
}

// Eleven numbers for each: id, corners, confidence, whether it is final.
jdoubleArray JNICALL LiveBoxes(JNIEnv* env, jclass, jlong live) {
  return Guard(env, [&] {
    std::vector<munja_live_box> boxes(64);
    int32_t count = 0;
    for (;;) {
      Check(munja_live_boxes(LiveOf(live), boxes.data(),
                             static_cast<int32_t>(boxes.size()), &count));
      if (static_cast<size_t>(count) <= boxes.size()) break;
      boxes.resize(static_cast<size_t>(count));
    }
    boxes.resize(static_cast<size_t>(count));
    std::vector<jdouble> values;
    values.reserve(11 * boxes.size());
    for (const munja_live_box& box : boxes) {
      values.push_back(static_cast<jdouble>(box.id));
      for (const float corner : box.polygon) values.push_back(corner);
      values.push_back(box.confidence);
      values.push_back(box.is_final);
    }
    return JavaDoubles(env, values);
  });
}

jdoubleArray JNICALL LiveStatistics(JNIEnv* env, jclass, jlong live) {
  return Guard(env, [&] {
    munja_live_statistics s = {};
    s.struct_size = sizeof s;
    Check(munja_live_get_statistics(LiveOf(live), &s));
    std::vector<jdouble> values;
    for (const uint64_t count :
         {s.frames, s.read, s.unchanged, s.unusable, s.over_budget, s.dropped,
          s.searches, s.lines_read, s.restarts, s.failures}) {
      values.push_back(static_cast<jdouble>(count));
    }
    values.insert(values.end(), {s.gate_ms, s.search_ms, s.recognize_ms,
                                 static_cast<jdouble>(s.lines)});
    return JavaDoubles(env, values);
  });
}

}  // namespace

void AddLive(Methods* methods) {
  Add(methods, "liveCreate", "(JLio/munja/LiveSink;[D[I)J", LiveCreate);
  Add(methods, "liveFree", "(J)V", LiveFree);
  Add(methods, "liveFeed", "(J[Ljava/lang/Object;[ID)V", LiveFeed);
  Add(methods, "liveFinish", "(J)V", LiveFinish);
  Add(methods, "liveReset", "(J)V", LiveReset);
  Add(methods, "liveCancel", "(J)V", LiveCancel);
  Add(methods, "liveBoxes", "(J)[D", LiveBoxes);
  Add(methods, "liveStatistics", "(J)[D", LiveStatistics);
}

}  // namespace munja_jni
