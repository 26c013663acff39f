# The rows of the matrix: ways to build a program, each with its requirements and its additional properties.
#
# To add a row, write a line into ROWS; its name is the test's name. A row that can't work on a machine names the
# missing requirement in `needs`, and is then reported as unsupported.
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Row:
    name: str
    compile: str = ""  # flags of the compiler
    link: str = ""  # flags of the linking command, and libraries
    linker: str = ""  # the only linker for this row: bfd, gold, lld, mold
    linkers: tuple = ()  # the linkers that build a working program without hooks, if not all do
    other: str = ""  # the wrapper that compiles the program's second file
    optimisation: str = ""  # the only optimisation for this row
    runtime: str = ""  # shared or static, if there is no choice
    program: str = ""  # an additional step of the test: the name of a function in matrix.py
    needs: tuple = ()  # see Matrix.missing in matrix.py


SANITIZERS = [
    Row("asan", "-fsanitize=address", needs=("rt:asan",)),
    Row("ubsan", "-fsanitize=undefined -fno-sanitize-recover=all", needs=("rt:ubsan_standalone",)),
    Row("asan-ubsan", "-fsanitize=address,undefined", needs=("rt:asan",)),
    Row("tsan", "-fsanitize=thread", needs=("rt:tsan",)),
    Row("msan", "-fsanitize=memory -fsanitize-memory-track-origins", needs=("rt:msan",)),
    Row("lsan", "-fsanitize=leak", needs=("rt:lsan",)),
    Row("safe-stack", "-fsanitize=safe-stack", needs=("rt:safestack",)),
    Row("cfi", "-fsanitize=cfi -fvisibility=hidden -flto=thin", linker="lld"),
]

PROFILES = [
    Row("coverage", "-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic", program="coverage", needs=("rt:profile",)),
    Row("gcov", "--coverage -fprofile-update=atomic", needs=("rt:profile",)),
    Row("pgo", "-fprofile-generate -fprofile-update=atomic", program="profile", optimisation="-O2", needs=("rt:profile",)),
]

HARDENING = [
    Row("cf-protection", "-fcf-protection=full", needs=("x86_64",)),
    Row("no-plt", "-fno-plt", "-Wl,-z,now"),
    Row("hardened", "-fstack-protector-all -fstack-clash-protection -D_FORTIFY_SOURCE=2 -fPIE", "-pie -Wl,-z,relro,-z,now", optimisation="-O2"),
    Row("no-frame-pointer", "-fomit-frame-pointer"),
    Row("no-pie", "-fno-pie", "-no-pie"),
]

SECTIONS = "-ffunction-sections -fdata-sections"
LINKERS = [
    Row("bfd", linker="bfd"),
    Row("gold", linker="gold"),
    Row("lld", linker="lld"),
    # GNU ld and gold keep every entry, and with it every function, without start-stop-gc: docs/reference/pass.md.
    Row("gc-bfd", SECTIONS, "-Wl,--gc-sections", linker="bfd"),
    Row("gc-bfd-start-stop", SECTIONS, "-Wl,--gc-sections,-z,start-stop-gc", linker="bfd", program="dropped"),
    Row("gc-gold", SECTIONS, "-Wl,--gc-sections", linker="gold"),
    Row("gc-lld", SECTIONS, "-Wl,--gc-sections", linker="lld", program="dropped"),
    Row("icf-gold", SECTIONS, "-Wl,--icf=all", linker="gold"),
    Row("icf-lld", SECTIONS, "-Wl,--icf=all,--gc-sections", linker="lld", program="dropped"),
    Row("lto-thin", "-flto=thin", linker="lld"),
    Row("lto-full", "-flto", linker="lld"),
    Row("lto-thin-icf", "-flto=thin " + SECTIONS, "-Wl,--icf=all,--gc-sections", linker="lld"),
    Row("lto-bfd", "-flto", linker="bfd", needs=("LLVMgold.so",)),
    Row("static", "", "-static", runtime="static"),
    Row("static-pie", "-fPIE", "-static-pie", runtime="static"),
    Row("static-lto", "-flto", "-static", runtime="static", linker="lld"),
    Row("relr", "", "-Wl,-z,pack-relative-relocs", linkers=("bfd", "lld")),
    Row("mold", linker="mold"),
    Row("mold-static-runtime", linker="mold", runtime="static"),
    Row("mold-gc-icf", SECTIONS, "-Wl,--icf=all,--gc-sections", linker="mold"),
    Row("mold-mixed", linker="mold", other="ada-g++ -fno-ipa-icf", needs=("wrapper:ada-g++",)),
    Row("mold-static-pie-relr", "-fPIE", "-static-pie -Wl,--pack-dyn-relocs=relr", linker="mold", runtime="static"),
]

# Programs with more data than code reaches. Without hooks, too, LLVM's large model does not work with gold and that much
# data, and not with lld and exceptions; LLVM 14's medium model not with lld.
ZEROS = " -DADA_ZEROS=0xc0000000"
MODELS = [
    Row("model-medium", "-mcmodel=medium" + ZEROS, linkers=("bfd", "gold", "mold"), needs=("x86_64",)),
    Row("model-large", "-mcmodel=large" + ZEROS, runtime="static", linkers=("bfd", "mold"), needs=("x86_64",)),
    Row("model-large-no-pie", "-fno-pie -mcmodel=large" + ZEROS, "-no-pie", linkers=("bfd", "mold"), needs=("x86_64",)),
]

DEBUGGING = [
    Row("stripped", "", "-s"),
    Row("split-dwarf", "-gsplit-dwarf"),
    Row("dwarf-5-compressed", "-gdwarf-5 -gz"),
    Row("gdb", "", optimisation="-O0", program="gdb", needs=("gdb",)),
    Row("gdb-split-dwarf", "-gsplit-dwarf", optimisation="-O0", program="gdb", needs=("gdb",)),
]

ALLOCATORS = [
    Row("jemalloc", "", "-ljemalloc", needs=("library:jemalloc",)),
    Row("tcmalloc", "", "-ltcmalloc", needs=("library:tcmalloc",)),
    Row("jemalloc-static", "", "-Wl,-Bstatic -ljemalloc -Wl,-Bdynamic -ldl -lm", needs=("library:jemalloc",)),
]

ROWS = [Row("plain"), Row("not-optimised", optimisation="-O0"), *SANITIZERS, *PROFILES, *HARDENING, *LINKERS, *MODELS, *DEBUGGING, *ALLOCATORS]

# The larger matrix: each row with every choice that it leaves open.
LINKER_CHOICES = ("bfd", "gold", "lld", "mold")
OPTIMISATIONS = ("-O0", "-O1", "-O2", "-Os")
RUNTIMES = ("shared", "static")


def expanded():
    for row in ROWS:
        for linker in (row.linker,) if row.linker or "-flto" in row.compile else row.linkers or LINKER_CHOICES:
            for level in (row.optimisation,) if row.optimisation else OPTIMISATIONS:
                if linker == "gold" and "-static-pie" in row.link: # gold does not support it
                    continue
                for runtime in (row.runtime,) if row.runtime else RUNTIMES:
                    name = "-".join(word for word in (row.name, linker, level.strip("-"), runtime) if word)
                    yield replace(row, name=name, linker=linker, optimisation=level, runtime=runtime)
