#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "accelerators.h"
#include "image.h"
#include "munja/ocr.h"
#include "page.h"

namespace munja_jni {
namespace {

// Positions in the array of texts: OcrEngine.kt has the same.
enum EngineText {
  kModel,
  kSettings,
  kWords,
  kLanguages,
  kAllowed,
  kDenied,
  kEngineTexts
};

// Bytes of the files of a model: byte[] or a direct buffer each. All are copied
// or used during the call only.
class ModelFiles {
 public:
  ModelFiles(JNIEnv* env, jobjectArray names, jobjectArray contents)
      : names_(TextsOf(env, names)) {
    for (size_t i = 0; i < names_.size(); ++i) {
      jobject content =
          env->GetObjectArrayElement(contents, static_cast<jsize>(i));
      CheckJava(env);
      munja_file file = {};
      file.name = names_[i].c_str();
      if (void* address = env->GetDirectBufferAddress(content)) {
        file.data = address;
        file.size = static_cast<size_t>(env->GetDirectBufferCapacity(content));
      } else {
        const jsize size = env->GetArrayLength(static_cast<jarray>(content));
        std::string& copy = copies_.emplace_back(static_cast<size_t>(size), 0);
        env->GetByteArrayRegion(static_cast<jbyteArray>(content), 0, size,
                                reinterpret_cast<jbyte*>(copy.data()));
        CheckJava(env);
        file.size = static_cast<size_t>(size);
      }
      files_.push_back(file);
    }
    size_t copy = 0;
    for (munja_file& file : files_)
      if (file.data == nullptr) file.data = copies_[copy++].data();
  }
  const munja_file* data() const {
    return files_.empty() ? nullptr : files_.data();
  }
  int32_t count() const { return static_cast<int32_t>(files_.size()); }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> copies_;
  std::vector<munja_file> files_;
};

jlong JNICALL EngineCreate(JNIEnv* env, jclass, jlong control, jobject progress,
                           jobjectArray texts, jint threads, jint precision,
                           jobjectArray accelerators, jobjectArray file_names,
                           jobjectArray file_contents) {
  return Guard(env, [&] {
    const std::vector<std::string> text = TextsOf(env, texts);
    const Accelerators chosen(env, accelerators);
    const ModelFiles files(env, file_names, file_contents);
    munja_engine_options options = {};
    options.struct_size = sizeof options;
    options.model = OrNull(text[kModel]);
    options.overrides = OrNull(text[kSettings]);
    options.words = OrNull(text[kWords]);
    options.languages = OrNull(text[kLanguages]);
    options.allowed_characters = OrNull(text[kAllowed]);
    options.denied_characters = OrNull(text[kDenied]);
    options.threads = threads;
    options.precision = static_cast<munja_precision>(precision);
    options.delegates = chosen.data();
    options.delegate_count = chosen.count();
    options.files = files.data();
    options.file_count = files.count();
    const Call call(env, control, progress);
    munja_engine* engine = nullptr;
    const munja_status status = munja_engine_create(&options, &engine);
    if (env->ExceptionCheck()) {
      if (status == MUNJA_OK) munja_engine_free(engine);
      throw Pending();
    }
    Check(status);
    return HandleOf(engine);
  });
}

void JNICALL EngineFree(JNIEnv*, jclass, jlong engine) {
  munja_engine_free(Pointer<munja_engine>(engine));
}

jstring JNICALL EngineName(JNIEnv* env, jclass, jlong engine) {
  return Guard(env, [&] {
    return JavaText(env, munja_engine_name(Pointer<munja_engine>(engine)));
  });
}

jstring JNICALL EngineSettings(JNIEnv* env, jclass, jlong engine) {
  return Guard(env, [&] {
    char* json = nullptr;
    Check(munja_engine_settings(Pointer<munja_engine>(engine), &json));
    return TakeText(env, json);
  });
}

jbyteArray JNICALL EngineRead(JNIEnv* env, jclass, jlong engine, jlong control,
                              jobject progress, jobjectArray planes,
                              jintArray numbers, jdouble dpi, jint task,
                              jfloat min_confidence, jintArray region,
                              jfloatArray boxes) {
  return Guard(env, [&] {
    munja_read_options options = {};
    options.struct_size = sizeof options;
    options.task = static_cast<munja_task>(task);
    if (!std::isnan(min_confidence)) {
      options.has_min_confidence = 1;
      options.min_confidence = min_confidence;
    }
    if (region != nullptr) {
      env->GetIntArrayRegion(region, 0, 4, options.region);
      CheckJava(env);
    }
    std::vector<float> corners;
    if (boxes != nullptr) {
      const jsize count = env->GetArrayLength(boxes);
      corners.resize(static_cast<size_t>(count));
      env->GetFloatArrayRegion(boxes, 0, count, corners.data());
      CheckJava(env);
      options.boxes = corners.data();
      options.box_count = count / 8;
    }
    DocumentPointer document;
    {
      const Call call(env, control, progress);
      const ImagePointer image = ImageArgument(env, planes, numbers).Open(dpi);
      munja_document* read = nullptr;
      const munja_status status = munja_engine_read(
          Pointer<munja_engine>(engine), image.get(), &options, &read);
      document.reset(read);
      CheckJava(env);
      Check(status);
    }
    return PackPage(env, std::move(document));
  });
}

jint JNICALL ImageCount(JNIEnv* env, jclass, jobjectArray planes,
                        jintArray numbers) {
  return Guard(env, [&] {
    const ImageArgument image(env, planes, numbers);
    if (!image.is_file()) return jint{1};
    int32_t count = 0;
    Check(munja_image_count(image.data(), image.size(), &count));
    return jint{count};
  });
}

// Opaque pixels 0xFFRRGGBB of the upright image; its width and height go to
// `size`.
jintArray JNICALL ImageArgb(JNIEnv* env, jclass, jobjectArray planes,
                            jintArray numbers, jdouble dpi, jintArray size) {
  return Guard(env, [&] {
    const ImagePointer image = ImageArgument(env, planes, numbers).Open(dpi);
    const std::array<jint, 2> extent = {munja_image_width(image.get()),
                                        munja_image_height(image.get())};
    env->SetIntArrayRegion(size, 0, 2, extent.data());
    CheckJava(env);
    const auto [width, height] = extent;
    if (height > std::numeric_limits<jsize>::max() / width) {
      throw Failure{MUNJA_OUT_OF_MEMORY,
                    "an image of " + std::to_string(width) + " x " +
                        std::to_string(height) +
                        " pixels has more than an array of Java can"};
    }
    jintArray argb = env->NewIntArray(width * height);
    CheckJava(env);
    size_t stride = 0;
    const uint8_t* rgb = munja_image_pixels(image.get(), &stride);
    std::vector<jint> row(static_cast<size_t>(width));
    for (jint y = 0; y < height; ++y, rgb += stride) {
      for (size_t x = 0; x < row.size(); ++x) {
        row[x] = static_cast<jint>(0xFF000000u | uint32_t{rgb[3 * x]} << 16 |
                                   uint32_t{rgb[3 * x + 1]} << 8 |
                                   uint32_t{rgb[3 * x + 2]});
      }
      env->SetIntArrayRegion(argb, y * width, width, row.data());
    }
    CheckJava(env);
    return argb;
  });
}

void JNICALL DocumentFree(JNIEnv*, jclass, jlong document) {
  munja_document_free(Pointer<munja_document>(document));
}

}  // namespace

void AddEngine(Methods* methods) {
  Add(methods, "engineCreate",
      "(JLio/munja/Progress;[Ljava/lang/String;II[[Ljava/lang/String;"
      "[Ljava/lang/String;[Ljava/lang/Object;)J",
      EngineCreate);
  Add(methods, "engineFree", "(J)V", EngineFree);
  Add(methods, "engineName", "(J)Ljava/lang/String;", EngineName);
  Add(methods, "engineSettings", "(J)Ljava/lang/String;", EngineSettings);
  Add(methods, "engineRead",
      "(JJLio/munja/Progress;[Ljava/lang/Object;[IDIF[I[F)[B", EngineRead);
  Add(methods, "imageCount", "([Ljava/lang/Object;[I)I", ImageCount);
  Add(methods, "imageArgb", "([Ljava/lang/Object;[ID[I)[I", ImageArgb);
  Add(methods, "documentFree", "(J)V", DocumentFree);
}

}  // namespace munja_jni
