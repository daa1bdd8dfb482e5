"""Random programs with a mutant chosen, as `./dev fuzz` runs them, where quick tests have not noticed it: always the same
programs, in the same order. The first that fails is made smaller and kept below build/mutants/killing."""

import os
import re
import time
from typing import NamedTuple

import judging
from planting import BUILD, read

KILLING = os.path.join(BUILD, "killing")
SEED = 77


class Campaign(NamedTuple):
    name: str
    executable: str
    test: str
    engine: str
    programs: int
    folders: tuple  # of src/, those of whose mutants it is asked


COMPILED = ("lower", "tidy", "emit", "plan", "runtime", "kernel", "scalar", "fuse", "simplify", "soac", "trace", "pipeline")
CAMPAIGNS = (
    Campaign("passes", "test_programs", "RandomPrograms.PropertyPassesKeepMeaning", "cpu", 2000,
             ("fuse", "simplify", "soac", "pipeline", "trace", "scalar")),
    Campaign("emulator", "test_programs_slow", "RandomPrograms.SlowPropertyEnginesGiveWhatTheInterpreterGives", "emulator", 1000,
             COMPILED),
    Campaign("cpu", "test_programs_slow", "RandomPrograms.SlowPropertyEnginesGiveWhatTheInterpreterGives", "cpu", 100,
             ("lower", "tidy", "emit", "plan", "runtime")),
)


def environment(campaign, shrink_seconds):
    return {"RC_PARAMS": f"seed={SEED} max_success={campaign.programs} large=4 shrink_seconds={shrink_seconds}",
            "FULGURITE_TEST_ENGINE": campaign.engine}


def path_of(campaign):
    return os.path.join(judging.REACHED, "random_programs_" + campaign.name)


def record():
    """Runs every campaign without a mutant, and keeps which mutants each reaches and how long it takes."""
    for campaign in CAMPAIGNS:
        path, now = path_of(campaign), f"{judging.built(campaign.executable)} {campaign}"
        if os.path.exists(path + ".of") and read(path + ".of") == now:
            continue
        if os.path.exists(path):
            os.remove(path)
        began = time.time()
        status, output = judging.run(campaign.executable, os.path.join(judging.CACHES, "none"), 1800,
                                     dict(environment(campaign, 0), FULGURITE_REACHED=path), f"--gtest_filter={campaign.test}")
        print(f"mutate: {campaign.programs} random programs on {campaign.name} took {time.time() - began:.0f} s", flush=True)
        if status:
            print(output[-3000:] + f"\nmutate: random programs fail on {campaign.name} without a mutant, and do not count", flush=True)
        with open(path + ".of", "w", encoding="utf-8") as file:
            file.write(now)


def reaching():
    """mutant -> [(campaign, seconds)]"""
    found = {}
    for campaign in CAMPAIGNS:
        for line in read(path_of(campaign)).splitlines():
            _, outcome, milliseconds, *mutants = line.split()
            for mutant in map(int, mutants) if outcome == "passed" else ():
                found.setdefault(mutant, []).append((campaign, int(milliseconds) / 1000))
    return found


def killer(site, campaigns, cache):
    """What of random programs kills the mutant; nothing: none does."""
    for campaign, seconds in campaigns:
        if site["file"].split("/")[1] not in campaign.folders:
            continue
        folder = os.path.join(KILLING, str(site["number"]))
        os.makedirs(folder, exist_ok=True)
        status, output = judging.run(campaign.executable, cache, 60 + 8 * seconds,
                                     dict(environment(campaign, 10), FULGURITE_MUTANT=str(site["number"]), FULGURITE_KEEP=folder),
                                     f"--gtest_filter={campaign.test}")
        if status == 0:
            continue
        with open(os.path.join(folder, campaign.name + ".txt"), "w", encoding="utf-8") as file:
            file.write(output)
        failed = re.search(r"seed \d+, program (\d+)", output)
        how = f"program {failed[1]}" if failed else "(takes too long)" if status is None else "(ends the process)"
        return f"./dev fuzz, {campaign.name}: {how}"
    return ""
