/* A plugin with one custom operator, against include/munja alone. */
#include <math.h>

#include "munja/operators.h"

static munja_status Eval(void* node, munja_op_context* context) {
  munja_tensor in, out;
  size_t i;
  (void)node;
  if (munja_op_input(context, 0, &in) != MUNJA_OK ||
      munja_op_output(context, 0, &out) != MUNJA_OK ||
      in.type != MUNJA_TYPE_FLOAT32 || out.type != MUNJA_TYPE_FLOAT32)
    return munja_op_fail(context, MUNJA_UNSUPPORTED, "takes float32 only");
  for (i = 0; i < in.bytes / sizeof(float); ++i)
    ((float*)out.data)[i] = sinf(((const float*)in.data)[i]);
  return MUNJA_OK;
}

MUNJA_API munja_status munja_register_operators(munja_resolver* resolver) {
  munja_operator sine = {sizeof sine};
  sine.name = "Sin";
  sine.eval = Eval;
  return munja_resolver_add(resolver, &sine);
}
