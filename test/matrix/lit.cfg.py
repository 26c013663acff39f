# One program, built in every way of rows.py, traced and not: what is recorded is exact, and everything else is as
# without AdaTrace.
#
#     lit -v build/quick/test/matrix-22 --filter tsan
#     lit --param matrix=large build/quick/test/matrix-22     each row with every optimisation, linker and runtime
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(config.ada_source_dir, "test", "matrix"))
import matrix

config.test_format = matrix.Matrix(config, large=lit_config.params.get("matrix") == "large")
config.suffixes = []
