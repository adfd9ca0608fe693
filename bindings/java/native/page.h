// A document as one array of bytes.
#ifndef MUNJA_BINDINGS_JAVA_NATIVE_PAGE_H_
#define MUNJA_BINDINGS_JAVA_NATIVE_PAGE_H_

#include <memory>

#include "munja/document.h"
#include "support.h"

namespace munja_jni {

struct FreeDocument {
  void operator()(munja_document* document) const {
    munja_document_free(document);
  }
};
using DocumentPointer = std::unique_ptr<munja_document, FreeDocument>;

// The array that PageDecoder.kt reads, in the byte order of the machine; it
// begins with the document's handle, which belongs to the array's receiver.
jbyteArray PackPage(JNIEnv* env, DocumentPointer document);

}  // namespace munja_jni

#endif  // MUNJA_BINDINGS_JAVA_NATIVE_PAGE_H_
