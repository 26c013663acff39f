// Reads the fields of a manifest.
#ifndef ADA_LIB_FORMATS_ATF_MANIFEST_FIELDS_H
#define ADA_LIB_FORMATS_ATF_MANIFEST_FIELDS_H

#include "ada/trace/manifest.h"
#include "base/json_document.h"

namespace ada::atf {

/// Everything but threads, modules, symbols and timing anchors.
void readFields(const dom::object &root, Manifest &manifest);
/// False if it has no usable id.
bool readThread(const dom::object &object, ManifestThread &thread);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_MANIFEST_FIELDS_H
