#!/bin/sh
# onnxruntime_test.sh RUNNER SCRIPT MODELS [FOLDER_OF_NODE_MODULES]
# Exit 77 (skipped) without Node, onnxruntime-node or the models.
runner=$1 script=$2 models=$3 packages=$4
command -v node >/dev/null || { echo "skipped: no node"; exit 77; }
[ -d "$models" ] || { echo "skipped: no models beside the checkout"; exit 77; }
[ -n "$packages" ] && export NODE_PATH="$packages/node_modules"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# Tolerances: float32 sums in another order; for float16 files, that ONNX Runtime
# computes in float16 where the importer computes in float32.
while read -r file height width tolerance; do
  node "$script" "$runner" "$models/$file" "$height" "$width" "$folder" "$tolerance" </dev/null
  code=$?
  [ $code -eq 0 ] || exit $code
done <<EOF
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx 96 160 1e-4
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.onnx 128 64 1e-4
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.from_ncnn.onnx 96 160 1e-4
ppocrv6_tiny/onnx/PP-OCRv6_tiny_det_fp16.onnx 96 160 3e-2
ppocrv6_tiny/onnx/PP-OCRv6_tiny_rec.from_ncnn.onnx 48 200 1e-4
ppocrv6_tiny/onnx/PP-OCRv6_tiny_rec_fp16.onnx 48 200 3e-2
cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer.onnx 48 192 1e-4
textline_ori/onnx/PP-LCNet_x0_25_textline_ori_0.25M.onnx 80 160 1e-4
ppocrv3_det/onnx/ch_PP-OCRv3_det_infer.onnx 64 96 1e-4
rec_crnn_v2/onnx/en_number_mobile_v2.0_rec_infer.onnx 32 160 1e-4
EOF
