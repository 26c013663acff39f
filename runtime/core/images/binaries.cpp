// Writes the symbols of an image, and says by which name all processes know them.
//
// A build has thousands of processes of few binaries. So the first process of a session that has a binary writes what
// it is, and the manifests of all others name that file. A file appears complete: it is written under a name of its
// process, and then renamed. If several do so at the same time, their files are equal and each replaces the other's.
#include "binaries.h"
#include "annotations.h"
#include "core/base/json.h"
#include "core/base/text_store.h"
#include "images.h"
#include "shared/fingerprint.h"
#include "shared/function_fields.h"
#include "shared/manifest_keys.h"

#include <sys/stat.h>

namespace ada::runtime {
namespace {

//===--- names ------------------------------------------------------------===//

TextPiece pieceAt(const ada_function &f, int32_t offset) { return textAt(f, offset); }

// It has addresses, and its enable byte.
void add(Fingerprint &of, const ada_annotation &annotation) {
  of.add(uint64_t{annotation.line} << 32 | annotation.flags), of.add(argumentsOf(annotation));
  of.add(annotation.name), of.add(annotation.file), of.add(annotation.expressions);
  for (uint32_t i = 0; i < argumentsOf(annotation); ++i)
    of.add(annotation.types[i]);
}

//===--- symbols ----------------------------------------------------------===//

// The function's distance from the image's beginning; 0 if it is unknown.
uint64_t addressIn(const Image &image, const ada_function &f) {
  return annotationOf(f) || !f.address_off
             ? 0
             : reinterpret_cast<uint64_t>(&f) + static_cast<uint64_t>(int64_t{f.address_off}) - image.base;
}

// Writes what is known of a function in any module, except for its ids: the members of its object.
void writeFunction(JsonWriter &json, const ada_function &f, uint64_t address) {
  if (const ada_annotation *annotation = annotationOf(f))
    return writeAnnotation(json, *annotation);
  const FunctionFields symbol = fieldsOf(f, address, [&f](int32_t offset) { return pieceAt(f, offset); });
  FieldWriter writer(json);
  manifest::symbolFields(writer, symbol);
}

// Writes an object for each function of an image. `base`: what addresses are added to. Calls begin(i) before the
// members of function i.
template <class Begin> void writeObjects(JsonWriter &json, const Image &image, uint64_t base, Begin &&begin) {
  const auto *f = reinterpret_cast<const ada_function *>(image.functionsBegin);
  const char *line = image.symbols;
  if (!image.table && !line)
    return; // there was no memory to keep them
  for (uint64_t i = 0; i < image.functions(); ++i) {
    json.line().beginObject();
    begin(i);
    if (image.table) {
      const uint64_t address = addressIn(image, f[i]);
      writeFunction(json, f[i], address ? base + address : 0);
    } else {
      const char *end = line;
      while (*end != '\n')
        ++end;
      json.raw({line, static_cast<size_t>(end - line)});
      line = end + 1;
      if (image.addresses && image.addresses[i])
        json.hex(manifest::kAddress, base + image.addresses[i], 1);
    }
    json.endObject();
  }
}

//===--- files ------------------------------------------------------------===//

Path pathOf(const char *session, const Image &image) {
  return Path(session) << '/' << manifest::kBinariesFolder << '/' << binaryName(image).c_str() << ".json";
}

// Whether the image's file is there, even if it can't be read: it is complete when it gets its name. Made of system
// calls that a filter (seccomp) must allow anyway.
bool isMade(const char *path) {
  const int fd = sys::open(path, O_PATH | O_NOFOLLOW);
  if (fd >= 0)
    sys::close(fd);
  return fd >= 0;
}

// Makes the folder, for the users that the session's directory is for.
void makeFolder(const char *session) {
  struct stat info = {};
  const Path folder = Path(session) << '/' << manifest::kBinariesFolder;
  if (sys::call(SYS_newfstatat, AT_FDCWD, session, &info, 0) < 0 || sys::makeDirectory(folder.c_str()) < 0)
    return;
  if ((info.st_mode & 077) != 0)
    sys::call(SYS_fchmodat, AT_FDCWD, folder.c_str(), info.st_mode & 01777);
}

void removeFolderIfEmpty(const char *session) {
  const Path folder = Path(session) << '/' << manifest::kBinariesFolder;
  sys::call(SYS_unlinkat, AT_FDCWD, folder.c_str(), AT_REMOVEDIR);
}

// Opens a new file for writing, and names it. Its name has the process's number, which processes in other namespaces
// may have, too; what is there is theirs, or was left by one that was killed.
int openTemporary(const char *session, const Image &image, Path &path) {
  int fd = -1;
  for (unsigned number = 1; number <= 100; ++number) {
    path.clear();
    path << session << '/' << manifest::kBinariesFolder << "/." << binaryName(image).c_str() << '.' << sys::processId();
    if (number > 1)
      path << '-' << number;
    path << ".new";
    fd = sys::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd == -ENOENT && number == 1) {
      makeFolder(session);
      fd = sys::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    }
    if (fd != -EEXIST)
      break;
  }
  return fd;
}

int copyFile(int to, const char *path) {
  const int from = sys::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (from < 0)
    return from;
  char buffer[4096];
  long n;
  while ((n = sys::read(from, buffer, sizeof buffer)) > 0) {
    const auto size = static_cast<size_t>(n);
    n = sys::moveAll(size, -ENOSPC, [&](size_t done) { return sys::write(to, buffer + done, size - done); });
    if (n < 0)
      break;
  }
  sys::close(from);
  return static_cast<int>(n);
}

int writeContent(int fd, const Image &image) {
  JsonWriter json(fd);
  json.beginObject().text(manifest::kFormatVersion, "1").text(manifest::kPath, image.path);
  json.text(manifest::kBuildId, buildIdText(image).c_str()).number(manifest::kFunctions, image.functions());
  json.line().beginArray(manifest::kSymbols);
  writeObjects(json, image, 0, [](uint64_t) {});
  json.endArray().endObject();
  return json.finish();
}

} // namespace

uint64_t fingerprintOf(const Image &image) {
  return ada::fingerprintOf(image.headers, image.functionsBegin - image.base, image.functions(),
                            image.buildIdBytes != 0, [&](Fingerprint &of, uint64_t i) {
                              const ada_function &f = image.table->functions_begin[i];
                              if (const ada_annotation *annotation = annotationOf(f))
                                add(of, *annotation);
                              else
                                of.add(f, [&f](int32_t offset) { return pieceAt(f, offset); });
                            });
}

Text<160> binaryName(const Image &image) {
  Text<160> name = buildIdText(image);
  if (!name.empty())
    name << '-';
  return name.number(image.fingerprint, 16, 16);
}

int writeBinary(const char *session, const char *other, const Image &image) {
  const Path path = pathOf(session, image);
  if (path.cut())
    return -ENAMETOOLONG;
  if (isMade(path.c_str()))
    return kBinaryWasThere;
  Path temporary;
  const int fd = openTemporary(session, image, temporary);
  if (fd < 0)
    return fd;
  int error = image.table || image.symbols ? writeContent(fd, image) : copyFile(fd, pathOf(other, image).c_str());
  sys::close(fd);
  if (error == 0)
    error = sys::rename(temporary.c_str(), path.c_str());
  if (error == 0)
    return 0;
  sys::unlink(temporary.c_str());
  removeFolderIfEmpty(session);
  return error;
}

void writeSymbols(JsonWriter &json, const Image &image) {
  writeObjects(json, image, image.base, [&](uint64_t i) {
    json.hex(manifest::kFunctionId, static_cast<uint64_t>(image.moduleId) << 32 | i, 16);
    json.number(manifest::kModuleId, image.moduleId).number(manifest::kSymbolIndex, i);
  });
}

// Libraries are loaded at other places each time. Without addresses, the same lines are kept once.
void keepSymbols(Image &image, TextStore &texts) {
  const uint64_t bytes = image.functions() * sizeof(uint64_t);
  auto *addresses = static_cast<uint64_t *>(bytes ? sys::mapMemory(bytes) : nullptr);
  JsonWriter json;
  for (uint64_t i = 0; i < image.functions(); ++i) {
    const ada_function &f = image.table->functions_begin[i];
    writeFunction(json, f, 0);
    json.endOfPart();
    if (addresses)
      addresses[i] = addressIn(image, f);
  }
  const TextPiece text = json.made();
  image.symbols = text.size ? texts.keep(text.data, text.size) : nullptr;
  if (!addresses)
    return;
  image.addresses = reinterpret_cast<const uint64_t *>(texts.keep(reinterpret_cast<const char *>(addresses), bytes));
  sys::unmap(addresses, bytes);
}

} // namespace ada::runtime
