# Settings that all lit suites of the project share; each suite adds its own in test/<suite>/lit.cfg.py.
#
# A suite is declared in CMake with ada_lit_suite() (cmake/AdaLit.cmake), which writes a lit.site.cfg.py into the
# build tree and registers one ctest. Its site file loads this file, then test/<suite>/lit.cfg.py if there is one.
# To run a suite, or one test of it, by hand:
#     lit -v build/quick/test/pass-22 --filter musttail      (lit: `tools/dev lit` prints which one)
#
# RUN lines are run by bash, joined with &&, with pipefail. On PATH come first build/bin (adatrace, ada-clang,
# ada-clang++) and then the bin directory of the suite's LLVM, so clang, clang++, opt, llc, FileCheck, not, split-file
# and llvm-objdump are those of one version. In addition to lit's own (%s %S %t %T):
#     %clang %clangxx %opt   this LLVM's tools, by absolute path
#     %plugin                libAdaTrace-N.so of this LLVM
#     %load_adatrace         -fpass-plugin=…, with the options made known to clang (-mllvm -ada-…)
#     %opt_adatrace          opt -load-pass-plugin=…, with the options made known to opt
#     %ada_clang %ada_clangxx  the wrappers for this LLVM: plugin, include path, runtime and rpath
#     %ada_gcc %ada_gxx %ada_gfortran %ada_gdc %ada_gnatmake  the same for the suite's GCC, else the newest that there is a plugin for (features gcc-plugin, gfortran, gdc, gnat, gobjc, gccgo)
#     %runtime               link flags of the shared runtime, for tests that call clang themselves
#     %runtime_static        the static one
#     %shared_runtime        libAdaRuntime.so
#     %include               the directory that holds ada/trace.h
#     %llvm_version          N, or gcc
#     %gcc_version           which GCC that is
#     %llvm_versions         every N that there are tests for
#     %python                python3
#     %few{A,B}              A; with --param only=long B: for example, a number of repetitions
# In a suite for GCC (GCC of ada_lit_suite()) the compilers among these are GCC's: %ada_clang is ada-gcc-N.
# In a suite for another architecture (TARGET of ada_lit_suite()), the compilers among these are test/<target>/compile.sh,
# the programs that they link simply run in qemu, and the runtime is the cross-built one.
#
# Features: gcc, or llvm-N and llvm-at-least-N for the suite's LLVM; the architecture that programs are built for (x86_64,
# aarch64); native or emulated; long (with --param only=long, which runs only the tests that require it or have %few or
# %less: the part `long` of tools/dev test --all); slow (not with --param without=slow: tests of ten seconds or more,
# which are the part `slow`; --param only=slow runs no others); lld, mold; asan and ubsan if the tools are built with them; quick
# if they are not optimised: what reads very large traces is UNSUPPORTED there and runs in the part `release`;
# sanitized-plugin if the plugins are.
import atexit
import importlib.util
import glob
import os
import platform
import shutil
import sys

import lit.formats

if not hasattr(config, "ada_build_dir"):
    lit_config.fatal("run lit on the build tree, e.g. `lit -v build/quick/test/tools`, or use ctest")


only = lit_config.params.get("only")
isLong = only == "long"
config.test_format = lit.formats.ShTest(execute_external=True)
if only:
    sys.path.append(os.path.join(config.ada_source_dir, "test"))
    from chosen_tests import ChosenTests
    config.test_format = ChosenTests(only, execute_external=True)
if isLong:
    config.available_features.add("long")
if lit_config.params.get("without") != "slow":
    config.available_features.add("slow")
config.substitutions.append((r"%few\{([^,}]*),([^}]*)\}", r"\2" if isLong else r"\1"))
config.suffixes = [".ll", ".c", ".cpp", ".test", ".s"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]

# The interpreter itself, not a script that looks for it (pyenv's takes a third of a second).
config.ada_python = sys.executable
llvm = config.ada_llvm
gcc = config.ada_gcc or config.ada_gccs[-1]
llvmBin = config.ada_llvm_bin
# A build with sanitizers has no plugin and no runtime; it uses those of another build tree.
pluginBuild = config.ada_plugin_build or config.ada_build_dir
buildBin = os.path.join(config.ada_build_dir, "bin")
pluginBin = os.path.join(pluginBuild, "bin")
buildLib = os.path.join(pluginBuild, "lib")

path = [buildBin, pluginBin, llvmBin, config.environment["PATH"]]
found = shutil.which("python3", path=os.pathsep.join(path))
if found and not os.path.samefile(found, sys.executable): # a script, as above
    path.insert(-1, os.path.dirname(sys.executable))
config.environment["PATH"] = os.pathsep.join(path)
# A variable set in the caller's shell must not change what a test sees.
for name in [n for n in config.environment if n.startswith("ADA_")]:
    del config.environment[name]
config.environment["LC_ALL"] = "C.UTF-8"
# Where tests find adatest.py; suites append their own folders (an Inputs).
config.environment["PYTHONPATH"] = os.path.join(config.ada_source_dir, "test")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# A test that hangs fails alone, well before its suite's end (cmake/AdaLit.cmake).
config.environment["ADA_TEST_SECONDS"] = "1800" if isLong else "900"
lit_config.bashPath = os.path.join(config.ada_source_dir, "test", "limited_bash.sh")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

target = config.ada_target
runtimeLib = os.path.join(buildLib, target + "-linux-gnu") if target else buildLib

def compiler(name):
    if config.ada_gcc:
        name = name.replace("clang++", "g++").replace("clang", "gcc") + "-" + config.ada_gcc
        if not target:
            return os.path.join(pluginBin, name) if name.startswith("ada-") else name
    elif target:
        name += "-" + llvm
    if target:
        return os.path.join(config.ada_build_dir, "test", target, "bin", name)
    if name.startswith("ada-"):
        return os.path.join(pluginBin, name + "-" + llvm)
    return os.path.join(llvmBin, name)


plugin = os.path.join(buildLib, "libAdaTrace-%s.so" % llvm)
load = "-Xclang -load -Xclang {0} -fpass-plugin={0}".format(plugin)
config.substitutions += [
    ("%load_adatrace", load),
    ("%opt_adatrace", "{0}/opt -load={1} -load-pass-plugin={1}".format(llvmBin, plugin)),
    ("%plugin", plugin),
    ("%clangxx", compiler("clang++")),
    ("%clang", compiler("clang")),
    ("%opt", os.path.join(llvmBin, "opt")),
    ("%ada_gxx", os.path.join(pluginBin, "ada-g++-" + gcc)),
    ("%ada_gfortran", os.path.join(pluginBin, "ada-gfortran-" + gcc)),
    ("%ada_gdc", os.path.join(pluginBin, "ada-gdc-" + gcc)),
    ("%ada_gnatmake", os.path.join(pluginBin, "ada-gnatmake-" + gcc)),
    ("%ada_gcc", os.path.join(pluginBin, "ada-gcc-" + gcc)),
    ("%ada_clangxx", compiler("ada-clang++")),
    ("%ada_clang", compiler("ada-clang")),
    ("%runtime_static", os.path.join(runtimeLib, "libAdaRuntime.a")),
    ("%shared_runtime", os.path.join(runtimeLib, "libAdaRuntime.so")),
    ("%runtime", "-L{0} -Wl,-rpath,{0} -lAdaRuntime".format(runtimeLib)),
    ("%include", os.path.join(config.ada_source_dir, "include")),
    ("%gcc_version", gcc),
    ("%llvm_versions", " ".join(config.ada_llvms)),
    ("%llvm_version", "gcc" if config.ada_gcc else llvm),
    ("%python", config.ada_python),
]

if gcc:
    config.available_features.add("gcc-plugin")
    for tool in ("gfortran", "gdc", "gnat", "gccgo"):
        if shutil.which(tool + "-" + gcc):
            config.available_features.add(tool)
    if glob.glob(f"/usr/lib/gcc/*/{gcc}/include/objc/Object.h") and shutil.which("gcc-" + gcc):
        config.available_features.add("gobjc")
if config.ada_gcc:
    config.available_features.add("gcc")
else:
    config.available_features.add("llvm-" + llvm)
    for version in range(int(config.ada_llvms[0]), int(llvm) + 1):
        config.available_features.add("llvm-at-least-%d" % version)
config.available_features.add(target or platform.machine())
if shutil.which("ld.mold"):
    config.available_features.add("mold")
if os.geteuid() == 0:
    config.available_features.add("root")
config.available_features.add("emulated" if target and target != platform.machine() else "native")
if os.path.exists(os.path.join(llvmBin, "ld.lld")):
    config.available_features.add("lld")
if config.ada_quick == "ON":
    config.available_features.add("quick")
if "address" in config.ada_sanitize:
    config.available_features.add("asan")
if config.ada_sanitize_pass:
    config.available_features.add("sanitized-plugin")
if "undefined" in config.ada_sanitize:
    config.available_features.add("ubsan")

# A program that is killed by a test or ended by a time limit leaves its ring in memory.
spec = importlib.util.spec_from_file_location("rings", os.path.join(config.ada_source_dir, "test", "rings.py"))
rings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rings)
rings.removeRings(config.test_exec_root)
atexit.register(rings.removeRings, config.test_exec_root)
