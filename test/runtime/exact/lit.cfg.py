# Tests that run with every LLVM: the events are exactly the program's calls. Settings as for the suite around it.
import os

lit_config.load_config(config, os.path.join(config.ada_source_dir, "test", "runtime", "lit.cfg.py"))
config.suffixes = [".c", ".cpp", ".test"]
