// Networks and sessions.
#include <algorithm>
#include <bit>
#include <memory>

#include "accelerators.h"
#include "munja/runtime.h"

namespace munja_jni {
namespace {

// Numbers that describe a tensor: Session.kt has the same.
enum TensorNumber {
  kType,
  kRank,
  kDims,
  kScale = kDims + MUNJA_MAX_RANK,  // The bits of a float.
  kZeroPoint,
  kTensorNumbers
};

// The bytes of an input: an array, which is copied, or a direct buffer.
class Bytes {
 public:
  Bytes(JNIEnv* env, jobject object) {
    data_ = env->GetDirectBufferAddress(object);
    if (data_ != nullptr) {
      size_ = static_cast<size_t>(env->GetDirectBufferCapacity(object));
      return;
    }
    const jsize length = env->GetArrayLength(static_cast<jarray>(object));
    size_ = static_cast<size_t>(length);
    copy_.reset(new char[std::max<size_t>(1, size_)]);
    env->GetByteArrayRegion(static_cast<jbyteArray>(object), 0, length,
                            reinterpret_cast<jbyte*>(copy_.get()));
    CheckJava(env);
    data_ = copy_.get();
  }
  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_;
  size_t size_ = 0;
  std::unique_ptr<char[]> copy_;
};

jintArray JavaInts(JNIEnv* env, const std::vector<jint>& numbers) {
  jintArray array = env->NewIntArray(static_cast<jsize>(numbers.size()));
  CheckJava(env);
  env->SetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()),
                         numbers.data());
  CheckJava(env);
  return array;
}

jobjectArray JavaArray(JNIEnv* env, const char* type, jsize size) {
  jclass element = env->FindClass(type);
  CheckJava(env);
  jobjectArray array = env->NewObjectArray(size, element, nullptr);
  CheckJava(env);
  return array;
}

jlong JNICALL NetworkLoad(JNIEnv* env, jclass, jobject content) {
  return Guard(env, [&] {
    const Bytes bytes(env, content);
    munja_network* network = nullptr;
    Check(munja_network_load_bytes(bytes.data(), bytes.size(), &network));
    return HandleOf(network);
  });
}

void JNICALL NetworkFree(JNIEnv*, jclass, jlong network) {
  munja_network_free(Pointer<munja_network>(network));
}

jlong JNICALL SessionCreate(JNIEnv* env, jclass, jlong network, jlong control,
                            jobject progress, jint threads, jint precision,
                            jstring signature, jobjectArray accelerators) {
  return Guard(env, [&] {
    const std::string key = TextOf(env, signature);
    const Accelerators chosen(env, accelerators);
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = threads;
    options.precision = static_cast<munja_precision>(precision);
    options.signature = OrNull(key);
    options.delegates = chosen.data();
    options.delegate_count = chosen.count();
    const Call call(env, control, progress);
    munja_session* session = nullptr;
    const munja_status status = munja_session_create(
        Pointer<munja_network>(network), &options, &session);
    if (env->ExceptionCheck()) {
      if (status == MUNJA_OK) munja_session_free(session);
      throw Pending();
    }
    Check(status);
    return HandleOf(session);
  });
}

jlong JNICALL SessionFork(JNIEnv* env, jclass, jlong session, jint threads) {
  return Guard(env, [&] {
    munja_session* fork = nullptr;
    Check(munja_session_fork(Pointer<munja_session>(session), threads, &fork));
    return HandleOf(fork);
  });
}

void JNICALL SessionFree(JNIEnv*, jclass, jlong session) {
  munja_session_free(Pointer<munja_session>(session));
}

// Two elements: the names of inputs, then those of outputs; the number of
// inputs and, for each tensor, its numbers.
jobjectArray JNICALL SessionDescribe(JNIEnv* env, jclass, jlong handle) {
  return Guard(env, [&] {
    const auto* session = Pointer<munja_session>(handle);
    const int32_t inputs = munja_session_input_count(session);
    const int32_t count = inputs + munja_session_output_count(session);
    std::vector<jint> numbers = {inputs};
    jobjectArray names = JavaArray(env, "java/lang/String", count);
    for (int32_t i = 0; i < count; ++i) {
      munja_tensor_info info = {};
      info.struct_size = sizeof info;
      Check(i < inputs ? munja_session_input_info(session, i, &info)
                       : munja_session_output_info(session, i - inputs, &info));
      jstring name = JavaText(env, info.name);
      env->SetObjectArrayElement(names, i, name);
      CheckJava(env);
      env->DeleteLocalRef(name);
      numbers.push_back(info.type);
      numbers.push_back(info.rank);
      numbers.insert(numbers.end(), info.dims, info.dims + MUNJA_MAX_RANK);
      numbers.push_back(std::bit_cast<jint>(info.scale));
      numbers.push_back(info.zero_point);
    }
    jobjectArray result = JavaArray(env, "java/lang/Object", 2);
    env->SetObjectArrayElement(result, 0, names);
    CheckJava(env);
    env->SetObjectArrayElement(result, 1, JavaInts(env, numbers));
    CheckJava(env);
    return result;
  });
}

// Element 0: the numbers of all outputs; then the bytes of each.
jobjectArray JNICALL SessionRun(JNIEnv* env, jclass, jlong handle,
                                jlong control, jobject progress,
                                jobjectArray contents, jintArray numbers) {
  return Guard(env, [&] {
    auto* session = Pointer<munja_session>(handle);
    const jsize count = env->GetArrayLength(contents);
    std::vector<jint> shapes(static_cast<size_t>(count) * kTensorNumbers);
    env->GetIntArrayRegion(numbers, 0, static_cast<jsize>(shapes.size()),
                           shapes.data());
    CheckJava(env);
    std::vector<Bytes> bytes;
    std::vector<munja_tensor> inputs;
    for (jsize i = 0; i < count; ++i) {
      jobject content = env->GetObjectArrayElement(contents, i);
      CheckJava(env);
      const Bytes& input = bytes.emplace_back(env, content);
      const jint* shape = &shapes[static_cast<size_t>(i) * kTensorNumbers];
      munja_tensor tensor = {};
      tensor.type = static_cast<munja_element_type>(shape[kType]);
      tensor.rank = shape[kRank];
      std::copy_n(shape + kDims, MUNJA_MAX_RANK, tensor.dims);
      tensor.data = input.data();
      tensor.bytes = input.size();
      inputs.push_back(tensor);
    }
    {
      const Call call(env, control, progress);
      const munja_status status =
          munja_session_run(session, inputs.data(), count);
      CheckJava(env);
      Check(status);
    }
    const int32_t outputs = munja_session_output_count(session);
    std::vector<jint> output_numbers;
    jobjectArray result = JavaArray(env, "java/lang/Object", outputs + 1);
    for (int32_t i = 0; i < outputs; ++i) {
      munja_tensor tensor = {};
      Check(munja_session_output_tensor(session, i, &tensor));
      output_numbers.push_back(tensor.type);
      output_numbers.push_back(tensor.rank);
      output_numbers.insert(output_numbers.end(), tensor.dims,
                            tensor.dims + MUNJA_MAX_RANK);
      output_numbers.insert(output_numbers.end(), {0, 0});
      jbyteArray array = JavaBytes(env, tensor.data, tensor.bytes);
      env->SetObjectArrayElement(result, i + 1, array);
      CheckJava(env);
      env->DeleteLocalRef(array);
    }
    env->SetObjectArrayElement(result, 0, JavaInts(env, output_numbers));
    CheckJava(env);
    return result;
  });
}

void JNICALL SessionReset(JNIEnv* env, jclass, jlong session) {
  Guard(env, [&] {
    Check(munja_session_reset_variables(Pointer<munja_session>(session)));
  });
}

}  // namespace

void AddSession(Methods* methods) {
  Add(methods, "networkLoad", "(Ljava/lang/Object;)J", NetworkLoad);
  Add(methods, "networkFree", "(J)V", NetworkFree);
  Add(methods, "sessionCreate",
      "(JJLio/munja/Progress;IILjava/lang/String;[[Ljava/lang/String;)J",
      SessionCreate);
  Add(methods, "sessionFork", "(JI)J", SessionFork);
  Add(methods, "sessionFree", "(J)V", SessionFree);
  Add(methods, "sessionDescribe", "(J)[Ljava/lang/Object;", SessionDescribe);
  Add(methods, "sessionRun",
      "(JJLio/munja/Progress;[Ljava/lang/Object;[I)[Ljava/lang/Object;",
      SessionRun);
  Add(methods, "sessionReset", "(J)V", SessionReset);
}

}  // namespace munja_jni
