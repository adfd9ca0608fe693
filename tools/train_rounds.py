"""The rounds of `tools/train-default-model --go-on`, which says what they are."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

RECIPES = pathlib.Path("training/recipes")
# A round is short enough that an hour of idle time ends one: half a cosine each, from a rate at which a trained
# network still moves without forgetting.
STEPS = {"recognizer": 3000, "detector": 1200}
RATE = 0.0008
COMMAND = {"recognizer": "recognize", "detector": "detect"}
# Rounds draw with seeds from FIRST_SEED on; what decides is drawn with one that no round comes to.
FIRST_SEED, DECIDING_SEED = 1000, 90001
DECIDING = {"recognizer": ["--count", "3000"], "detector": ["--count", "40", "--pages"]}
CARD_ROW = r"\| (recognizer|detector), background rounds \| (\d+) min[^|]*\| ([\d,]+) ([^|]*)\|"


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def recipe_of(kind, work):
    """The default recipe with the schedule of a round, in a folder with all that it names."""
    folder = work / "recipes"
    shutil.copytree(RECIPES, folder, dirs_exist_ok=True)
    recipe = json.loads((RECIPES / "default.json").read_text(encoding="utf-8"))
    training = recipe[kind]["training"]
    training.pop("minutes", None)
    training.update(steps=STEPS[kind], learning_rate=RATE, warmup_steps=100, evaluate_minutes=0)
    path = folder / f"round-{kind}.json"
    path.write_text(json.dumps(recipe, indent=1), encoding="utf-8")
    return path


def deciding_pictures(options, kind):
    folder = options.work / f"deciding-{kind}"
    labels = folder / "labels" / "synth.jsonl"
    if not labels.exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(options.train, "synth", "--recipe", RECIPES / "default.json", *DECIDING[kind], "--seed", DECIDING_SEED,
            "--threads", 1, "--out", folder)
    return labels


def errors(options, bundle, kind):
    """The figure that a round has to lower: the recognizer's character error rate, or 1 - F1 of the detector."""
    task = "recognize" if kind == "recognizer" else "detect"
    said = json.loads(run(options.munja, "eval", "--labels", deciding_pictures(options, kind), "--task", task,
                          "--model", bundle, "--precision", "fp32", "--threads", 1, "--json"))
    return said["cer"] if kind == "recognizer" else 1 - said["det_hmean"]


def count_in_card(bundle, kind, seconds, pictures):
    """The time of a round that was taken over, and what it drew, added to the model card."""
    card = bundle / "MODEL_CARD.md"
    text = card.read_text(encoding="utf-8")
    for row in re.finditer(CARD_ROW, text):
        if row.group(1) == kind:
            minutes = int(row.group(2)) + round(seconds / 60)
            drawn = int(row.group(3).replace(",", "")) + pictures
            new = f"| {kind}, background rounds | {minutes} min, at idle priority | {drawn:,} {row.group(4)}|"
            card.write_text(text[:row.start()] + new + text[row.end():], encoding="utf-8")
            return
    sys.exit(f"{card} has no row '{kind}, background rounds' to count in")


def one_round(options, kind, number):
    name = f"round-{number:04d}-{kind}"
    checkpoint, log = options.work / f"{name}.checkpoint", options.work / f"{name}.jsonl"
    run(options.train, COMMAND[kind], "--recipe", recipe_of(kind, options.work), "--out", checkpoint, "--resume",
        "--from", options.bundle / f"{kind}.tflite", "--log", log, "--threads", 1, "--seed", FIRST_SEED + number)
    candidate = options.work / "candidate"
    shutil.rmtree(candidate, ignore_errors=True)
    networks = {"recognizer": options.bundle / "recognizer.tflite", "detector": options.bundle / "detector.tflite"}
    networks[kind] = checkpoint
    described = json.loads((options.bundle / "bundle.json").read_text(encoding="utf-8"))
    run(options.train, "bundle", "--detector", networks["detector"], "--recognizer", networks["recognizer"],
        "--dictionary", options.bundle / "dictionary.txt", "--name", described["name"],
        "--description", described["description"], "--contract", json.dumps(described["contract"]), "-o", candidate)
    # The language models go along, so that both are judged with them.
    made = json.loads((candidate / "bundle.json").read_text(encoding="utf-8"))
    for entry in described.get("languages", []):
        shutil.copyfile(options.bundle / entry["file"], candidate / entry["file"])
        made.setdefault("languages", []).append(entry)
    (candidate / "bundle.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    before, after = (errors(options, bundle, kind) for bundle in (options.bundle, candidate))
    better = after < before
    print(f"{name}: {100 * before:.2f} % errors before, {100 * after:.2f} % after"
          f"{', taken over' if better else ''}", flush=True)
    if better:
        entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        last = [entry for entry in entries if "images" in entry][-1]
        taken = options.work / f"taken-{number:04d}"
        shutil.copytree(options.bundle, taken, dirs_exist_ok=True)  # To go back to.
        replaced = json.loads((candidate / "bundle.json").read_text(encoding="utf-8"))[kind]
        shutil.copyfile(candidate / replaced["file"], options.bundle / described[kind]["file"])
        described[kind].update(bytes=replaced["bytes"], sha256=replaced["sha256"])
        (options.bundle / "bundle.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
        count_in_card(options.bundle, kind, last["seconds"], last["images"])
        for tool in ("add-integer-networks", "fit-confidence", "measure-bundle"):
            print(run(f"tools/{tool}", options.bundle).strip(), flush=True)
    checkpoint.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--munja", "--train", "--bundle", "--work"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--only", choices=list(COMMAND))
    options = parser.parse_args()
    done = options.work / "rounds"
    for _ in range(options.rounds):
        number = int(done.read_text()) + 1 if done.exists() else 1
        # Lines gain more from an hour than boxes do.
        kind = options.only or ("detector" if number % 4 == 0 else "recognizer")
        one_round(options, kind, number)
        done.write_text(f"{number}\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
