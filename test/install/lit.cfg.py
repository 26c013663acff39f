# Tests of the installed package: %prefix is an installation that was moved after it was made.
import os

prefix = os.path.join(config.ada_build_dir, "test", "install", "moved")
config.substitutions.append(("%prefix", prefix))
config.substitutions.append(("%source", config.ada_source_dir))
config.environment["PATH"] = os.path.join(prefix, "bin") + os.pathsep + config.environment["PATH"]
config.suffixes = [".test"]

# adatrace built with the plugin; `tools/dev test` makes it.
traced = os.path.join(config.ada_traced_build, "bin", "adatrace") if config.ada_traced_build else ""
if os.path.exists(traced):
    config.available_features.add("traced-build")
config.substitutions.append(("%traced_adatrace", traced))
