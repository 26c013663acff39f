#!/usr/bin/env python3
"""Builds and records programs with a planted cause, and counts how often `adatrace why` names it first.

Usage: corpus.py DIRECTORY FROM TO [--busy] [--keep] [--again] [--sure] [KIND…]   seeds FROM to TO - 1; works in DIRECTORY

ada-clang++ and adatrace are those on the PATH. For each kind and seed there is a program with the cause and one of the same shape without it. The first finding must be of that
kind, and its share between 80 and 120 % of what the program itself measured; without the cause, nothing may be found. --busy
starts a process on each core that spins. --keep leaves the sessions in DIRECTORY, and --again asks about those that are there,
which compares two builds of adatrace by the same recordings. --sure is for tests that run each time: it looks only for the kinds that no other program
on the machine can change, and fails if one is not found first.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import planted

# Which kinds have a share that the program measures by its own clock.
MEASURED = set(planted.KINDS) - {"crash", "never-ended", "woken-for-nothing"}
# What else is a right answer, because the two say the same.
ALSO = {"batch-lock": {"lock"}}
DETAIL = {"repeated-calls": "priceOf", "slower-with-argument": "sort"}
# Kinds whose findings do not depend on what else runs on the machine.
SURE = ["never-ended", "crash"]

arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
flags = set(sys.argv[1:]) - set(arguments)
place = pathlib.Path(arguments[0]).resolve()
isSure = "--sure" in flags


def record(directory, kind, seed, isPlanted):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / "program.cpp").write_text(planted.program(kind, seed, isPlanted))
    subprocess.run(["ada-clang++", "-std=c++20", "-O2", "-g", "-pthread", "--ada-calls=default", "program.cpp", "-o", "program"],
                   cwd=directory, check=True)
    detail = [f"--detail={DETAIL[kind]}"] if kind in DETAIL else []
    with open(directory / "told", "w") as told:
        subprocess.run(["adatrace", "record", "-q", "--waits", "--packed", *detail, "--session=session", "./program"],
                       cwd=directory, stdout=told, stderr=subprocess.DEVNULL, timeout=300)


def run(kind, seed, isPlanted):
    directory = place / f"{kind}-{seed}-{'with' if isPlanted else 'without'}"
    if "--again" not in flags:
        record(directory, kind, seed, isPlanted)
    lines = [line for line in (directory / "told").read_text().splitlines() if line.startswith("{")]
    told = json.loads(lines[-1]) if lines else {"planted_ns": 0, "total_ns": 1}
    found = subprocess.run(["adatrace", "why", "--format=json", "session"], cwd=directory, capture_output=True, text=True, timeout=300)
    try:
        answer = json.loads(found.stdout)
    except ValueError:
        sys.exit(f"{directory}: {found.stderr}")
    if not flags & {"--keep", "--again"}:
        shutil.rmtree(directory)
    return told, answer


def verdict(kind, isPlanted, told, answer):
    """Empty if the answer is right."""
    first = answer["findings"][0] if answer["findings"] else None
    if not isPlanted:
        return f"found {first['kind']} {first['share']:.2f}: {first['text']}" if first else ""
    if not first:
        return "nothing found"
    if first["kind"] not in ALSO.get(kind, {kind}):
        return f"{first['kind']} {first['share']:.2f} first: {first['text']}"
    share = told["planted_ns"] / max(told["total_ns"], 1)
    # By the program's clock, its time has that in it for which the recorder held it up: a good part of a short run.
    isRight = 0.8 * share <= first["share"] <= 1.2 * share or 0.8 <= first["stake_ns"] / max(told["planted_ns"], 1) <= 1.2
    if kind in MEASURED and not isSure and not isRight:
        return f"share {first['share']:.3f}, {share:.3f} by the program's clock: {first['text']}"
    return ""


def main():
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())] if "--busy" in flags else []
    failed = False
    try:
        for kind in arguments[3:] or (SURE if isSure else planted.KINDS):
            for isPlanted in (True,) if isSure else (True, False):
                wrong, seeds = [], range(int(arguments[1]), int(arguments[2]))
                for seed in seeds:
                    problem = verdict(kind, isPlanted, *run(kind, seed, isPlanted))
                    if problem:
                        wrong.append(f"{seed}: {problem}")
                failed |= bool(wrong)
                print(f"{kind}{'' if isPlanted else ', without'}: {len(seeds) - len(wrong)} of {len(seeds)}", *wrong, sep="\n    ", flush=True)
    finally:
        for spinner in spinners:
            spinner.kill()
    return 1 if failed and isSure else 0


sys.exit(main())
