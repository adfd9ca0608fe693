/* Pruning: smaller networks with fewer filters. */
#ifndef MUNJA_TOOLS_PRUNE_H_
#define MUNJA_TOOLS_PRUNE_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which filters of a layer are kept. */
typedef enum munja_prune_criterion MUNJA_ANY_INT {
  MUNJA_PRUNE_L1 = 0, /* Largest sum of magnitudes. */
  MUNJA_PRUNE_L2 = 1,
  MUNJA_PRUNE_GEOMETRIC_MEDIAN = 2,
  MUNJA_PRUNE_BATCH_NORM = 3, /* Largest scale of a batch normalization. */
  MUNJA_PRUNE_RANDOM = 4,
  /* One of each cluster of similar feature maps: the one that varies most
   * inside the labeled boxes. */
  MUNJA_PRUNE_CLUSTERS = 5
} munja_prune_criterion;

/* Number of clusters of MUNJA_PRUNE_CLUSTERS. */
typedef enum munja_prune_clusters MUNJA_ANY_INT {
  MUNJA_CLUSTERS_RATIO = 0, /* 1 / (1 - sparsity). */
  MUNJA_CLUSTERS_KEPT = 1   /* The number of filters that are kept. */
} munja_prune_clusters;

typedef struct munja_prune_options {
  size_t struct_size;
  /* "0.7", "70" or "70%": of each layer's n filters floor(n * 0.3) are kept, at
   * least one; "0" changes nothing. Required without budget. */
  const char* sparsity;
  munja_prune_criterion criterion;
  munja_prune_clusters clusters;
  /* Labels (.jsonl) with boxes, of images for MUNJA_PRUNE_CLUSTERS; the first
   * max_images with boxes are used. 0: 1. */
  const char* calibrate;
  int32_t max_images;
  /* Model whose detector's pre-processing the network shares; NULL: as found by
   * munja_model_find(). */
  const char* model;
  uint64_t seed;          /* For MUNJA_PRUNE_CLUSTERS and _RANDOM. */
  int32_t threads;        /* 0: one per processor. */
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* With sparsity NULL: the share of the cost that remains, above 0 and at most
   * 1. Each group of layers gets a sparsity of its own: those whose pruning
   * changes the outputs least on the images of `calibrate` get the highest. */
  double budget;
  /* With budget, the cost of layers: the output of `munja bench MODEL
   * --op-profile --json`. NULL: their number of weights. */
  const char* profile;
  /* Round the kept filter count of pruned layers down to a multiple of this, at
   * least one, so that vectors are full. 0: 1. */
  int32_t round_to;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_prune_options;

/* Removes filters from the layers of a float .tflite network and writes the
 * smaller network to `output`; its inputs and outputs do not change. *report
 * (JSON, munja_free(), may be NULL): see docs/how-to/prune.md.
 * MUNJA_INVALID_ARGUMENT: also a sparsity that leaves a layer without filters,
 * which is named. */
MUNJA_API munja_status munja_prune(const char* network,
                                   const munja_prune_options* options,
                                   const char* output, char** report);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_PRUNE_H_ */
