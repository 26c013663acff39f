"""Reads the symbols of a process, those of its manifest and those of its session's binaries."""
import json
import os


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def of(directory, manifest=None):
    """All symbols of the process in DIRECTORY, as in a manifest: with ids and with the addresses of this process."""
    manifest = manifest or read(os.path.join(directory, "manifest.json"))
    symbols = list(manifest["symbols"])
    for module in manifest["modules"]:
        if "binary" not in module:
            continue
        binary = read(os.path.join(directory, os.pardir, "binaries", module["binary"] + ".json"))
        expected = ("1", module["build_id"], module["functions"], module["functions"])
        if (binary["format_version"], binary["build_id"], binary["functions"], len(binary["symbols"])) != expected:
            raise ValueError(f"{directory}: {module['binary']} is not the binary of {module}")
        for index, symbol in enumerate(binary["symbols"]):
            ids = {"function_id": f"0x{module['module_id'] << 32 | index:016x}", "module_id": module["module_id"],
                   "symbol_index": index}
            if "address" in symbol:
                ids["address"] = f"0x{int(module['base_address'], 16) + int(symbol['address'], 16):x}"
            symbols.append(symbol | ids)
    return symbols
