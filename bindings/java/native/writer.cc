#include "munja/writer.h"

#include <memory>

#include "image.h"

namespace munja_jni {
namespace {

// The bytes that were written since the last call.
jbyteArray Take(JNIEnv* env, munja_writer* writer) {
  char* bytes = nullptr;
  size_t size = 0;
  Check(munja_writer_take(writer, &bytes, &size));
  const std::unique_ptr<char, void (*)(void*)> owner(bytes, munja_free);
  return JavaBytes(env, bytes, size);
}

jlong JNICALL WriterCreate(JNIEnv* env, jclass, jstring format) {
  return Guard(env, [&] {
    munja_writer* writer = nullptr;
    Check(munja_writer_create(TextOf(env, format).c_str(), nullptr, &writer));
    return HandleOf(writer);
  });
}

void JNICALL WriterFree(JNIEnv*, jclass, jlong writer) {
  munja_writer_free(Pointer<munja_writer>(writer));
}

jbyteArray JNICALL WriterAdd(JNIEnv* env, jclass, jlong handle, jlong document,
                             jstring source, jobjectArray planes,
                             jintArray numbers, jdouble image_dpi,
                             jdouble dpi) {
  return Guard(env, [&] {
    auto* writer = Pointer<munja_writer>(handle);
    const std::string source_text = TextOf(env, source);
    munja_page page = {};
    page.struct_size = sizeof page;
    page.document = Pointer<munja_document>(document);
    page.source = source_text.c_str();
    page.dpi = dpi;
    std::unique_ptr<ImageArgument> argument;
    ImagePointer image;
    if (planes != nullptr) {
      argument = std::make_unique<ImageArgument>(env, planes, numbers);
      image = argument->Open(image_dpi);
      page.image = image.get();
      if (argument->is_file()) {
        page.file = argument->data();
        page.file_size = argument->size();
      }
    }
    Check(munja_writer_add(writer, &page));
    return Take(env, writer);
  });
}

jbyteArray JNICALL WriterFinish(JNIEnv* env, jclass, jlong handle) {
  return Guard(env, [&] {
    auto* writer = Pointer<munja_writer>(handle);
    Check(munja_writer_finish(writer));
    return Take(env, writer);
  });
}

// Name, ending and media type of each format, in turns.
jobjectArray JNICALL WriterFormats(JNIEnv* env, jclass) {
  return Guard(env, [&] {
    jclass string = env->FindClass("java/lang/String");
    CheckJava(env);
    const int32_t count = munja_format_count();
    jobjectArray result = env->NewObjectArray(3 * count, string, nullptr);
    CheckJava(env);
    for (int32_t i = 0; i < count; ++i) {
      munja_format format = {};
      format.struct_size = sizeof format;
      Check(munja_format_get(i, &format));
      jsize at = 3 * i;
      for (const char* text :
           {format.name, format.extension, format.media_type}) {
        jstring element = JavaText(env, text);
        env->SetObjectArrayElement(result, at++, element);
        CheckJava(env);
        env->DeleteLocalRef(element);
      }
    }
    return result;
  });
}

}  // namespace

void AddWriter(Methods* methods) {
  Add(methods, "writerCreate", "(Ljava/lang/String;)J", WriterCreate);
  Add(methods, "writerFree", "(J)V", WriterFree);
  Add(methods, "writerAdd", "(JJLjava/lang/String;[Ljava/lang/Object;[IDD)[B",
      WriterAdd);
  Add(methods, "writerFinish", "(J)[B", WriterFinish);
  Add(methods, "writerFormats", "()[Ljava/lang/String;", WriterFormats);
}

}  // namespace munja_jni
