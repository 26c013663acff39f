// Reads the fields of a manifest.
#pragma once

#include "ada/trace/manifest.h"
#include "trace/base/json_document.h"

namespace ada::atf {

/// Everything but threads, modules, symbols and timing anchors.
void readFields(const dom::object &root, Manifest &manifest);
/// Takes windows and switched off functions from a line of modules.jsonl, which may be newer or older than the
/// manifest.
void takeLateFields(const dom::object &line, Manifest &manifest);
/// False if it has no usable id.
bool readThread(const dom::object &object, ManifestThread &thread);

} // namespace ada::atf
