# The pass's tests: the IR that it writes (*.ll, with opt and llc), and the behaviour of traced programs (*.c, *.cpp,
# *.test).
#
#   %opt_ada        opt … -passes=ada-trace -S, for IR with opaque pointers. Options -ada-… may follow.
#   %clang_ada      clang with the plugin; %clangxx_ada likewise. Options are given as -mllvm -ada-….
#   %since19        for FileCheck, whether this is LLVM 19 or newer: SINCE19 or BEFORE19; likewise %since22
#   %make_recorder  compiles Inputs/recorder.c, the small runtime that checks the nesting of events, to %t.recorder.o
#   %same_behaviour SOURCE [FLAGS]   builds SOURCE plain and traced (-O0 and -O2, both hook places), runs both, and compares
#                   output and status; leaves the events in %t-O<n>.events and %t-O<n>-early.events
import os

major = int(config.ada_llvm)
plugin = os.path.join(config.ada_build_dir, "lib", "libAdaTrace-%s.so" % config.ada_llvm)
llvmBin = config.ada_llvm_bin
inputs = os.path.join(config.test_source_root, "Inputs")
include = os.path.join(config.ada_source_dir, "include")
load = "-Xclang -load -Xclang {0} -fpass-plugin={0}".format(plugin)
opaque = {"13": " -force-opaque-pointers", "14": " -opaque-pointers"}.get(config.ada_llvm, "")

config.substitutions[:0] = [
    ("%opt_ada", "{0}/opt{2} -load={1} -load-pass-plugin={1} -passes=ada-trace -S".format(llvmBin, plugin, opaque)),
    ("%clangxx_ada", "{0}/clang++ -I{2} {1}".format(llvmBin, load, include)),
    ("%clang_ada", "{0}/clang -I{2} {1}".format(llvmBin, load, include)),
    ("%llc", "{0}/llc{1}".format(llvmBin, opaque)),
    ("%make_recorder", "{0}/clang -O1 -fPIC -I{2} -c {1}/recorder.c -o %t.recorder.o".format(llvmBin, inputs, include)),
    ("%same_behaviour", "bash {0}/same_behaviour.sh {1} {2} {3} %t".format(inputs, llvmBin, plugin, include)),
    ("%inputs", inputs),
    ("%presplit", '"\\"coroutine.presplit\\"=\\"0\\""' if major < 15 else "presplitcoroutine"),
]
config.substitutions[:0] = [("%%since%d" % n, ("SINCE%d" if major >= n else "BEFORE%d") % n) for n in (19, 22)]
