"""Usage: printed_names.py MAKE_SESSION. Gives each command the names that commands print."""
import json
import subprocess
import sys

NAMES = """_Z2npILc124EEiv _Z2npIXadL_Z3oneiEEEiv _Z2vaPKcz _Z3ptrPFviERA3_i _Z4packIJidPKcEEiDpT_ main
_Z3addIiLi5EET_S0_RSt3mapIiNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4lessIiESaISt4pairIKiS7_EEE
_Z4nameB5cxx11NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE _Z4takeSt8functionIFiiEE _ZN1S2stEv _ZN1SC2Ei
_ZN1SD2Ev _ZN1SaSERKS_ _ZN1SdlEPv _ZN1SnwEm _ZN1SplERKS_ _ZN1a1b1c2enIL1E0EEEiS3_ _ZN5QueueIiE2asIdEET_S2_
_ZN5QueueISt6vectorIiSaIiEEE3popEv _ZN5QueueIiE3popEv _ZN5QueueIiEclEi _ZN5QueueIiEixEi _ZN5QueueIiElsEi
_ZN5QueueIiEpmEi _ZNK5QueueIiEcvbEv _ZNK5QueueIiEltERKS0_ _ZNK5QueueIiEooERKS0_ _ZNK5QueueIiEorERKS0_
_Z4nameB5cxx11v _ZN1S4nameB5cxx11Ev _ZN12_GLOBAL__N_11fEi _ZZ4mainENKUliE_clEi _RNvC1a4main _D3app4workFiZv""".split()


def run(*command):
    return subprocess.run(["adatrace", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def make(session):
    lines = ["process 7", "module 0 /bin/app", *(f"function {i} {name} a.cpp:{i}" for i, name in enumerate(NAMES, 1)),
             "thread 0 tid 7"]
    for i, name in enumerate(NAMES, 1):
        lines += [f"{1000 * i} call {name}", f"{1000 * i + 500} return {name}"]
    with open("session.txt", "w") as out:
        out.writelines(f"T: {line}\n" for line in lines)
    subprocess.run([sys.argv[1], "session.txt", session], check=True)


make("session")
printed = {row["function"] for style in ("short", "full", "mangled")
           for row in json.loads(run("report", "--format=json", f"--names={style}", "session").stdout)}
missed = 0
for name in sorted(printed):
    for command in (["report", f"--function={name}"], ["tree", f"--function={name}"], ["why", f"--function={name}"],
                    ["report", f"--function=nothing|{name}"], ["graph", f"--function={name}"]):
        done = run(*command, "session")
        # Beside a glob that matches nothing, a warning names only that one.
        if name in done.stderr.replace("nothing|", "") or (done.returncode and "nothing" not in command[-1]):
            missed += 1
            print(*command, done.returncode, done.stderr)
print(len(printed), "names printed,", missed, "not taken")
