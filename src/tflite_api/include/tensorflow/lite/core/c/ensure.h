/* Macros that leave prepare and invoke with a message when a condition does
 * not hold. Not included by itself: "common.h" has it all. */
#ifndef MUNJA_TFLITE_CORE_C_ENSURE_H_
#define MUNJA_TFLITE_CORE_C_ENSURE_H_

#ifdef TF_LITE_STRIP_ERROR_STRINGS
#define TF_LITE_KERNEL_LOG(context, ...) \
  do {                                   \
    (void)(context);                     \
  } while (0)
#define TF_LITE_MAYBE_KERNEL_LOG(context, ...) TF_LITE_KERNEL_LOG(context)
#else
#define TF_LITE_KERNEL_LOG(context, ...)            \
  do {                                              \
    (context)->ReportError((context), __VA_ARGS__); \
  } while (0)
/* Says nothing when there is no context. */
#define TF_LITE_MAYBE_KERNEL_LOG(context, ...)        \
  do {                                                \
    if ((context) != NULL) {                          \
      (context)->ReportError((context), __VA_ARGS__); \
    }                                                 \
  } while (0)
#endif

/* Where no program comes. */
#define TFL_UNREACHABLE() (__builtin_unreachable())

#define TF_LITE_ENSURE_MSG(context, value, ...)   \
  do {                                            \
    if (!(value)) {                               \
      TF_LITE_KERNEL_LOG((context), __VA_ARGS__); \
      return kTfLiteError;                        \
    }                                             \
  } while (0)

#define TF_LITE_ENSURE(context, a)                                      \
  do {                                                                  \
    if (!(a)) {                                                         \
      TF_LITE_KERNEL_LOG((context), "%s:%d %s was not true.", __FILE__, \
                         __LINE__, #a);                                 \
      return kTfLiteError;                                              \
    }                                                                   \
  } while (0)

#define TF_LITE_ENSURE_STATUS(a)              \
  do {                                        \
    const TfLiteStatus tf_lite_status_ = (a); \
    if (tf_lite_status_ != kTfLiteOk) {       \
      return tf_lite_status_;                 \
    }                                         \
  } while (0)

/* The arguments are evaluated once more for the message, as integers. */
#define TF_LITE_ENSURE_EQ(context, a, b)                                   \
  do {                                                                     \
    if ((a) != (b)) {                                                      \
      TF_LITE_KERNEL_LOG((context), "%s:%d %s != %s (%d != %d)", __FILE__, \
                         __LINE__, #a, #b, (int)(a), (int)(b));            \
      return kTfLiteError;                                                 \
    }                                                                      \
  } while (0)

#define TF_LITE_ENSURE_TYPES_EQ(context, a, b)                             \
  do {                                                                     \
    if ((a) != (b)) {                                                      \
      TF_LITE_KERNEL_LOG((context), "%s:%d %s != %s (%s != %s)", __FILE__, \
                         __LINE__, #a, #b, TfLiteTypeGetName(a),           \
                         TfLiteTypeGetName(b));                            \
      return kTfLiteError;                                                 \
    }                                                                      \
  } while (0)

#define TF_LITE_ENSURE_NEAR(context, a, b, epsilon)                         \
  do {                                                                      \
    const double tf_lite_near_a_ = (double)(a);                             \
    const double tf_lite_near_b_ = (double)(b);                             \
    const double tf_lite_near_d_ = tf_lite_near_a_ > tf_lite_near_b_        \
                                       ? tf_lite_near_a_ - tf_lite_near_b_  \
                                       : tf_lite_near_b_ - tf_lite_near_a_; \
    /* A NaN is near to nothing. */                                         \
    if (!(tf_lite_near_d_ <= (double)(epsilon))) {                          \
      TF_LITE_KERNEL_LOG((context), "%s:%d %s not near %s (%f != %f)",      \
                         __FILE__, __LINE__, #a, #b, tf_lite_near_a_,       \
                         tf_lite_near_b_);                                  \
      return kTfLiteError;                                                  \
    }                                                                       \
  } while (0)

#define TF_LITE_ENSURE_OK(context, status, ...) \
  do {                                          \
    const TfLiteStatus tf_lite_ok_ = (status);  \
    if (tf_lite_ok_ != kTfLiteOk) {             \
      return tf_lite_ok_;                       \
    }                                           \
  } while (0)

/* The same for operators on opaque objects: with c_api_opaque.h. */
#ifdef TF_LITE_STRIP_ERROR_STRINGS
#define TF_LITE_OPAQUE_KERNEL_LOG(opaque_context, ...) \
  do {                                                 \
    (void)(opaque_context);                            \
  } while (0)
#define TF_LITE_OPAQUE_MAYBE_KERNEL_LOG(opaque_context, ...) \
  TF_LITE_OPAQUE_KERNEL_LOG(opaque_context)
#else
#define TF_LITE_OPAQUE_KERNEL_LOG(opaque_context, ...)             \
  do {                                                             \
    TfLiteOpaqueContextReportError((opaque_context), __VA_ARGS__); \
  } while (0)
#define TF_LITE_OPAQUE_MAYBE_KERNEL_LOG(opaque_context, ...)         \
  do {                                                               \
    if ((opaque_context) != NULL) {                                  \
      TfLiteOpaqueContextReportError((opaque_context), __VA_ARGS__); \
    }                                                                \
  } while (0)
#endif

#define TF_LITE_OPAQUE_ENSURE_MSG(opaque_context, value, ...)   \
  do {                                                          \
    if (!(value)) {                                             \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), __VA_ARGS__); \
      return kTfLiteError;                                      \
    }                                                           \
  } while (0)

#define TF_LITE_OPAQUE_ENSURE(opaque_context, a)                            \
  do {                                                                      \
    if (!(a)) {                                                             \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), "%s:%d %s was not true.", \
                                __FILE__, __LINE__, #a);                    \
      return kTfLiteError;                                                  \
    }                                                                       \
  } while (0)

#define TF_LITE_OPAQUE_ENSURE_EQ(opaque_context, a, b)                         \
  do {                                                                         \
    if ((a) != (b)) {                                                          \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), "%s:%d %s != %s (%d != %d)", \
                                __FILE__, __LINE__, #a, #b, (int)(a),          \
                                (int)(b));                                     \
      return kTfLiteError;                                                     \
    }                                                                          \
  } while (0)

#define TF_LITE_OPAQUE_ENSURE_TYPES_EQ(opaque_context, a, b)                   \
  do {                                                                         \
    if ((a) != (b)) {                                                          \
      TF_LITE_OPAQUE_KERNEL_LOG((opaque_context), "%s:%d %s != %s (%s != %s)", \
                                __FILE__, __LINE__, #a, #b,                    \
                                TfLiteTypeGetName(a), TfLiteTypeGetName(b));   \
      return kTfLiteError;                                                     \
    }                                                                          \
  } while (0)

#define TF_LITE_OPAQUE_ENSURE_NEAR(opaque_context, a, b, epsilon)           \
  do {                                                                      \
    const double tf_lite_near_a_ = (double)(a);                             \
    const double tf_lite_near_b_ = (double)(b);                             \
    const double tf_lite_near_d_ = tf_lite_near_a_ > tf_lite_near_b_        \
                                       ? tf_lite_near_a_ - tf_lite_near_b_  \
                                       : tf_lite_near_b_ - tf_lite_near_a_; \
    if (!(tf_lite_near_d_ <= (double)(epsilon))) {                          \
      TF_LITE_OPAQUE_KERNEL_LOG(                                            \
          (opaque_context), "%s:%d %s not near %s (%f != %f)", __FILE__,    \
          __LINE__, #a, #b, tf_lite_near_a_, tf_lite_near_b_);              \
      return kTfLiteError;                                                  \
    }                                                                       \
  } while (0)

#endif /* MUNJA_TFLITE_CORE_C_ENSURE_H_ */
