# Tests with a large traced program: adatrace, built with the plugin (tools/dev makes it for the part `traced`).
import os

config.suffixes = [".test"]
traced = os.path.join(config.ada_traced_build, "bin", "adatrace")
config.substitutions.append(("%source", config.ada_source_dir))
config.substitutions.append(("%traced_adatrace", traced))
