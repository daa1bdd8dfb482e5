"""./dev mutate: plants mechanical mutants in src/, all in one library, and says which tests kill them (docs/reliability.md)."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import threading

import faults
import fuzzing
import judging
import planting

RESULTS = os.path.join(planting.BUILD, "results.json")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__)
    parser.add_argument("--sample", type=int, metavar="N", help="how many mutants are drawn (300, if none are named)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of what is drawn (1)")
    parser.add_argument("--only", default="", metavar="FOLDER", help="of src/, for instance lower or src/lower/rows.cpp")
    parser.add_argument("--at", action="append", default=[], metavar="FILE:LINE", help="all mutants of this line")
    parser.add_argument("--mutant", action="append", type=int, default=[], metavar="NUMBER", help="this one, with its text")
    parser.add_argument("--again", choices=["no", "survivors", "all"], default="no",
                        help="judge again what an earlier run of the same sources has judged")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="mutants that are judged at once")
    parser.add_argument("--seconds", type=int, default=60, metavar="N",
                        help="how long tests run for one mutant, by the time they take without it (60)")
    parser.add_argument("--list", action="store_true", help="count the mutants that there are, by folder and kind, and stop")
    parser.add_argument("--faults", action="store_true", help="plant what the library once did wrong, and say how soon random programs notice")
    options = parser.parse_args()
    if options.sample is None:
        options.sample = 0 if options.at or options.mutant else 300
    return options


def in_drawn_order(sites, seed):
    """By a hash of what a mutant changes, so that a sample stays nearly as it is when sources change."""
    seen, order = {}, []
    for site in sites:
        what = json.dumps([seed, site["file"], site["kind"], planting.difference_of(site)])
        seen[what] = seen.get(what, 0) + 1
        order.append((hashlib.sha256(f"{what} {seen[what]}".encode()).digest(), site))
    return [site for _, site in sorted(order, key=lambda entry: entry[0])]


def choose(options, sites):
    """The mutants that are asked for; of a sample, as many as it wants, among the mutants that compile."""
    named = [site for site in sites if site["number"] in options.mutant or f"{site['file']}:{site['line']}" in options.at]
    prefix = options.only if options.only.startswith("src/") else "src/" + options.only
    among = [site for site in in_drawn_order(sites, options.seed) if site["file"].startswith(prefix)]
    out = planting.refused()
    drawn = [site for site in among if site["number"] not in out][:options.sample]
    return drawn + [site for site in named if site["number"] not in out and site not in drawn]


def counts(sites):
    for key in (lambda s: "/".join(s["file"].split("/")[:2]) if s["file"].count("/") > 1 else "src", lambda s: s["kind"]):
        numbers = {}
        for site in sites:
            numbers[key(site)] = numbers.get(key(site), 0) + 1
        print("  ".join(f"{name} {count}" for name, count in sorted(numbers.items())))
    print(f"{len(sites)} mutants")


class Results:
    """What earlier runs found, for mutants of files that have not changed since."""

    def __init__(self):
        self.found, self.lock = {}, threading.Lock()
        if os.path.exists(RESULTS):
            with open(RESULTS, encoding="utf-8") as file:
                self.found = json.load(file)

    @staticmethod
    def key(site):
        text = hashlib.sha256(planting.read_source(site["file"])).hexdigest()
        return json.dumps([text, site["begin"], site["end"], site["kind"], site["mutant"]])

    def get(self, site):
        return self.found.get(self.key(site))

    def set(self, site, result):
        with self.lock:
            self.found[self.key(site)] = result
            with open(RESULTS + ".new", "w", encoding="utf-8") as file:
                json.dump(self.found, file)
            os.replace(RESULTS + ".new", RESULTS)


def plant(options, sites):
    """The chosen mutants, all of which compile, in the library that tests link."""
    while True:
        chosen = choose(options, sites)
        out = planting.refused()
        if not planting.plant(chosen) - out:
            return [site for site in chosen if site["number"] not in out]


def main():
    options = arguments()
    planting.configure()
    if options.faults:
        return faults.report(options.jobs)
    sites = planting.all_sites()
    if options.list:
        return counts(sites)
    chosen = plant(options, sites)
    planting.build("mutants_and_tests")
    judging.record(options.jobs)
    fuzzing.record()
    results, reaching, random_programs = Results(), judging.reaching(), fuzzing.reaching()

    def one(site):
        known = results.get(site)
        if not known or options.again == "all" or (options.again == "survivors" and known["outcome"] != "killed"):
            number = site["number"]
            results.set(site, judging.judge(site, reaching.get(number, {}), random_programs.get(number, []), options.seconds))
        result = results.get(site)
        print(f"{site['number']:6} {result['outcome']:11} {planting.name(site)} {site['kind']}  {result['by']} {result['seconds']} s",
              flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, chosen))
    for outcome in ("survived", "not reached"):
        left = [site for site in chosen if results.get(site)["outcome"] == outcome]
        if left:
            print(f"\n{outcome}:\n")
            for site in sorted(left, key=lambda s: s["number"]):
                print(planting.difference(site))
    outcomes = [results.get(site)["outcome"] for site in chosen]
    tests, programs = outcomes.count("killed"), outcomes.count("killed by random programs")
    print(f"{tests + programs} of {len(chosen)} mutants killed: {100 * (tests + programs) / max(1, len(chosen)):.1f} %, "
          f"{tests} by tests, {programs} by nothing but random programs of ./dev fuzz")
    return None


main()
