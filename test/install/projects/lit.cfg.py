# Tests that compile projects outside of this one, as users do, with each LLVM: the part `install`. The settings are those
# of the enclosing suite.
import os

lit_config.load_config(config, os.path.join(config.ada_source_dir, "test", "install", "lit.cfg.py"))
config.excludes.remove("projects")
