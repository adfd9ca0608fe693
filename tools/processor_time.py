"""How long a model takes, in processor time, on a machine that others use, too."""
import resource
import subprocess

# Neighbors on a core make a round slower, never faster: of enough rounds the least is one without them.
ROUNDS = 5


def _spent(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(w) for w in words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def milliseconds(munja, models, runs, *options):
    """The CPU time of a run of each model on one thread; the models take turns. Start and first run do not count: they are in a
    long and in a short bench, which are subtracted."""
    least = {}
    for _ in range(ROUNDS):
        for number, model in enumerate(models):
            for count in (2, 2 + runs):
                spent = _spent([munja, "bench", model, "--threads", 1, "--json", *options, "--runs", count])
                least[number, count] = min(least.get((number, count), spent), spent)
    return [1000 * (least[n, 2 + runs] - least[n, 2]) / runs for n in range(len(models))]
