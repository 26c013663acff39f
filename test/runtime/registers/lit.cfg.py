# Tests of recorded registers, which run with every LLVM and for every architecture. The settings are those of the
# enclosing suite.
import os

lit_config.load_config(config, os.path.join(config.ada_source_dir, "test", "runtime", "lit.cfg.py"))
config.suffixes = [".test"]
config.substitutions.append(("%registers", "%s %s/registers.py" % (config.ada_python, config.test_source_root)))
# In an emulator, only one of the two runs for each LLVM.
if "emulated" in config.available_features:
    config.excludes = [*config.excludes, "random_1.test" if config.ada_llvm == "19" else "random_2.test"]
