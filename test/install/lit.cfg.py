# Tests of the installed package: %prefix is an installation that was moved after it was made.
import os
import shutil

prefix = os.path.join(config.ada_build_dir, "test", "install", "moved")
config.substitutions.append(("%prefix", prefix))
config.substitutions.append(("%source", config.ada_source_dir))
config.environment["PATH"] = os.path.join(prefix, "bin") + os.pathsep + config.environment["PATH"]
config.suffixes = [".test"]
config.excludes = [*config.excludes, "projects"] # a suite of its own
config.substitutions.append(("%build", config.ada_build_dir))
for tool in ("doxygen", "abidiff"):
    if shutil.which(tool):
        config.available_features.add(tool)
