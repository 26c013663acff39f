# Tests that run with every LLVM: the events are exactly the program's calls. The settings are those of the enclosing
# suite.
import os

lit_config.load_config(config, os.path.join(config.ada_source_dir, "test", "runtime", "lit.cfg.py"))
config.suffixes = [".c", ".cpp", ".test"]
# What the plugin for GCC does not have yet, and what only clang has.
if config.ada_gcc:
    config.excludes = [*config.excludes, "argument_places.cpp", "coroutine.cpp", "globs.test", "inlined.cpp", "inlined_contents.cpp",
                       "lambdas.cpp", "musttail.c", "unused.cpp"]
    config.substitutions.append(("-flto=thin", "-flto"))
# In an emulator, only a third of the random programs run for each LLVM.
if "emulated" in config.available_features:
    turn = config.ada_llvms.index(config.ada_llvm) % 3
    config.excludes = [*config.excludes, *["random_%d.test" % n for n in range(1, 7) if n % 3 != turn]]
