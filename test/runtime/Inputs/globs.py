"""A table of globs for the three programs that read them: compiler, runtime and tool. Each has to choose the functions
that the table lists.

    globs.py OPT IR PROGRAM DIRECTORY

OPT is a command that instruments the module IR and prints it; more options may follow. PROGRAM is globs.cpp, traced.
"""
import csv
import os
import re
import subprocess
import sys

PARSE_INT, PARSE_CHAR = "_ZN3net5parseEi", "_ZN3net5parseEc"
SCALED_INT, SCALED_DOUBLE = "_ZN3net6scaledIiEET_S1_", "_ZN3net6scaledIdEET_S1_"
POINTER, CHOSEN, TWICE = "_ZN3net10pointer_toIiEEPKT_RS2_", "_ZN3net6chosenIiEEPFiiET_", "_ZN3net5twiceEi"
INDEX, CALL, LESS = "_ZNK3net6VectorixEi", "_ZNK3net6VectorclEi", "_ZNK3net6VectorltERKS0_"
OR, TIMES, TO_INT = "_ZNK3net6VectororEi", "_ZNK3net6VectormlEi", "_ZNK3net6VectorcviEv"
LONG = "_ZNK3net6Vector23with_a_rather_long_nameERA3_i"
GET, AS, BOX_LESS = "_ZNK3net3BoxIiE3getEv", "_ZNK3net3BoxIiE2asIlEET_v", "_ZNK3net3BoxIiEltIlEEbT_"
HIDDEN, C, TAGGED, MAIN = "_ZN12_GLOBAL__N_16hiddenEi", "plain_c", "_Z6taggedB2v2i", "main"
PARSES, SCALEDS, BOX = [PARSE_INT, PARSE_CHAR], [SCALED_INT, SCALED_DOUBLE], [GET, AS, BOX_LESS]
VECTOR = [INDEX, CALL, LESS, OR, TIMES, TO_INT, LONG]
NET = [*PARSES, *SCALEDS, POINTER, CHOSEN, TWICE, *VECTOR, *BOX]
ALL = [*NET, HIDDEN, C, TAGGED, MAIN]

TABLE = [
    # The names of a function.
    ("net::parse", PARSES),
    ("net::parse(int)", [PARSE_INT]),
    ("_ZN3net5parse*", PARSES),
    ("_ZN3net5parseEi", [PARSE_INT]),
    ("plain_c", [C]),
    ("parse", []),
    ("net", []),
    ("", []),
    ("*", ALL),
    ("*/globs.cpp", ALL),
    ("*/other.cpp", []),
    # Too long for a std::string to hold in place.
    ("net::Vector::with_a_rather_long_name", [LONG]),
    ("net::Vector::with*", [LONG]),
    # Characters.
    ("net::pars?", PARSES),
    ("net::[pt]*", [*PARSES, POINTER, TWICE]),
    ("net::[!a-oq-sA-Z]*", [*PARSES, POINTER, TWICE]),
    ("net::[^a-oq-sA-Z]*", [*PARSES, POINTER, TWICE]),
    ("net::Vector::operator\\*", [TIMES]),
    ("net::Vector::operator?", [LESS, OR, TIMES]),
    # Alternatives.
    ("main|plain_c", [MAIN, C]),
    ("nothing|net::twice|", [TWICE]),
    ("net::{twice,parse}", [TWICE, *PARSES]),
    ("{net::{twice,par*},main}", [TWICE, *PARSES, MAIN]),
    ("net::{twice,nothing}|{main,plain}*", [TWICE, MAIN, C]),
    ("net::parse{,2}", PARSES),
    ("net::{twice}", []),
    ("net::{twice", []),
    # Operators, most of which contain characters with a meaning in globs.
    ("net::Vector::operator[]", [INDEX]),
    ("net::Vector::operator[](int) const", [INDEX]),
    ("net::Vector::operator[]*", [INDEX]),
    ("*::operator[[(]*", [INDEX, CALL]),
    ("net::Vector::operator()", [CALL]),
    ("net::Vector::operator<", [LESS]),
    ("net::Vector::operator|", [OR]),
    ("net::Vector::operator\\|*", [OR]),
    ("net::Vector::operator int", [TO_INT]),
    ("net::Vector::operator*", [INDEX, CALL, LESS, OR, TIMES, TO_INT]),
    ("net::Vector::with_a_rather_long_name(int (&) [3]) const", [LONG]),
    # Template functions, whose demangled names begin with a return type.
    ("net::scaled", SCALEDS),
    ("net::scaled<int>", [SCALED_INT]),
    ("net::scaled<*", SCALEDS),
    ("net::scaled<int>(int)", [SCALED_INT]),
    ("int net::scaled<int>(int)", [SCALED_INT]),
    ("net::pointer_to", [POINTER]),
    ("net::pointer_to<int>", [POINTER]),
    ("net::chosen", [CHOSEN]),
    ("net::chosen<int>", [CHOSEN]),
    ("net::Box<int>::get", [GET]),
    ("net::Box::get", [GET]),
    ("net::Box::as", [AS]),
    ("net::Box::operator<", [BOX_LESS]),
    ("net::Box::*", BOX),
    ("net::Box<*", BOX),
    ("scaled", []),
    ("int", []),
    # Others.
    ("(anonymous namespace)::hidden", [HIDDEN]),
    ("tagged", [TAGGED]),
    ("tagged[abi:v2](int)", [TAGGED]),
    ("net::*", NET),
]

opt, ir, program, directory = sys.argv[1:]


def run(command, **environment):
    return subprocess.run(command, shell=isinstance(command, str), check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}).stdout


def report(*arguments):
    """Status 1: the glob, or one of its alternatives, matches no function."""
    done = subprocess.run(["adatrace", "report", "--names=mangled", "--format=csv", *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode == 1 or done.returncode == 0 and done.stdout.count("\n") > 1, done
    return done.stdout


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def atCompileTime(glob):
    text = run(f"{opt} {quoted('-ada-include=' + glob)} {ir} -o -")
    return set(re.findall(r"^@__ada_fn\.(\w+) =", text, re.M))


def names(session, *options):
    return {row["function"] for row in csv.DictReader(report(*options, session).splitlines())}


def atRunTime(glob):
    session = f"{directory}/run-{number}"
    quote = '"' if "'" in glob else "'"
    run([program], ADA_OPTIONS=f"session={session}:include={quote}{glob}{quote}")
    return names(session) if os.path.exists(session) else set()  # no session is made if nothing is recorded


def atViewTime(glob):
    return names(f"{directory}/all", f"--function={glob}", "--only")


run([program], ADA_OPTIONS=f"session={directory}/all")
wrong = 0
for number, (glob, expected) in enumerate(TABLE):
    for user, chooses in ("compiler", atCompileTime), ("runtime", atRunTime), ("tool", atViewTime):
        if glob == "" and user != "tool":
            continue  # an empty option is an error, or means no globs
        chosen = chooses(glob)
        if chosen != set(expected):
            wrong += 1
            print(f"{user}: {glob}: also {sorted(chosen - set(expected))}, not {sorted(set(expected) - chosen)}")
print(f"{len(TABLE)} globs, {wrong} wrong")
sys.exit(wrong > 0)
