"""One engine in a process of its own: prints what its start took, then reads the images that standard input names.

    worker.py munja|rapidocr|pytesseract THREADS MODEL        MODEL: a bundle; a directory of ONNX files; a language

Each line of standard input is the path of an image; each line of standard output is JSON.
"""
import json
import os
import resource
import sys
import time


def processor_seconds():
    """Counts this process and those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def memory(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def munja_reader(threads, model):
    import munja

    engine = munja.Engine(model or None, threads=threads)

    def read(path):
        return [{"text": line.text, "polygon": [list(point) for point in line.polygon]} for line in engine.read(path)]

    return read


def rapidocr_reader(threads, model):
    from rapidocr import RapidOCR

    engine = RapidOCR(params={
        "Global.log_level": "error", "Global.use_cls": False,
        "Det.model_path": os.path.join(model, "detector.onnx"),
        "Rec.model_path": os.path.join(model, "recognizer.onnx"),
        "Rec.rec_keys_path": os.path.join(model, "keys.txt"),
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    })

    def read(path):
        result = engine(path, use_cls=False)
        if result.txts is None:
            return []
        return [{"text": text, "polygon": box.tolist()} for text, box in zip(result.txts, result.boxes)]

    return read


def pytesseract_reader(threads, model):
    os.environ["OMP_THREAD_LIMIT"] = str(threads)
    import pytesseract
    from PIL import Image

    def read(path):
        data = pytesseract.image_to_data(Image.open(path), lang=model, output_type=pytesseract.Output.DICT)
        lines = {}
        for i, text in enumerate(data["text"]):
            if text.strip():
                lines.setdefault(tuple(data[key][i] for key in ("block_num", "par_num", "line_num")), []).append(i)
        result = []
        for words in lines.values():
            left, top = (min(data[key][i] for i in words) for key in ("left", "top"))
            right, bottom = (max(data[key][i] + data[size][i] for i in words)
                             for key, size in (("left", "width"), ("top", "height")))
            result.append({"text": " ".join(data["text"][i] for i in words),
                           "polygon": [[left, top], [right, top], [right, bottom], [left, bottom]]})
        return result

    return read


def main():
    name, threads, model = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    readers = {"munja": munja_reader, "rapidocr": rapidocr_reader, "pytesseract": pytesseract_reader}
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Engines may print.
    start = time.perf_counter()
    read = readers[name](threads, model)
    print(json.dumps({"start_seconds": time.perf_counter() - start, "memory": memory("VmRSS")}), file=answers, flush=True)
    for line in sys.stdin:
        used, start = processor_seconds(), time.perf_counter()
        lines = read(line.rstrip("\n"))
        answer = {"seconds": time.perf_counter() - start, "processor_seconds": processor_seconds() - used,
                  "memory": memory("VmRSS"), "peak": memory("VmHWM"), "lines": lines}
        print(json.dumps(answer, ensure_ascii=False), file=answers, flush=True)


if __name__ == "__main__":
    main()
