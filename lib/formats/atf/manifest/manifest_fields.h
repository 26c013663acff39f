// Reads the fields of a manifest.
#pragma once

#include "ada/trace/manifest.h"
#include "base/json_document.h"

namespace ada::atf {

/// Everything but threads, modules, symbols and timing anchors.
void readFields(const dom::object &root, Manifest &manifest);
/// False if it has no usable id.
bool readThread(const dom::object &object, ManifestThread &thread);

} // namespace ada::atf
