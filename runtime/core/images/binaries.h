// What a session or a manifest has about the functions of an image.
#pragma once

#include "core/base/text.h"

namespace ada::runtime {

class JsonWriter;
class TextStore;
struct Image;

// What distinguishes the image from others with the same build id; equal in each process, and never 0. The image is
// loaded.
uint64_t fingerprintOf(const Image &image);
// What its file is called, without ".json". Its fingerprint is known.
Text<160> binaryName(const Image &image);

// Makes the image's file in a session's folder, which is made as well, unless it is there. `other`: a session in which
// it may be. Returns 0, kBinaryWasThere or a negative errno.
constexpr int kBinaryWasThere = 1;
int writeBinary(const char *session, const char *other, const Image &image);

// Writes the manifest's symbols of an image, as JSON objects.
void writeSymbols(JsonWriter &json, const Image &image);
// For an image that is about to be unloaded: keeps what both need.
void keepSymbols(Image &image, TextStore &texts);

} // namespace ada::runtime
