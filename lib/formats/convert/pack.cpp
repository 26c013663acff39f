// Puts a session into one file.
//
// Every process directory is looked at alone, wherever it lies: a session, a part of a rotated trace, a dump of a
// flight recorder. A thread's files are converted only if they are finished and whole, and if conversion loses nothing;
// otherwise they are taken as they are, so that an archive never holds less than the directory did. The manifest and
// all other files are taken byte for byte.
#include "formats/convert/pack.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/session.h"
#include "formats/native/directories.h"
#include "formats/native/session/recompress.h"
#include "formats/table.h"
#include "shared/encode/thread_files.h"
#include "shared/manifest_keys.h"
#include "trace/base/archive_writer.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/kept_files.h"
#include "trace/base/quantities.h"
#include "trace/base/secrets.h"
#include "trace/base/try.h"
#include "trace/passing_sink.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>

namespace ada::formats {

namespace fs = std::filesystem;

namespace {

constexpr char kManifest[] = "manifest.json";
// Collects the source files of functions that were called, and lets the caller interrupt.
class FunctionFiles : public model::PassingSink {
public:
  FunctionFiles(model::TraceSink &sink, std::set<std::string> &files, std::function<bool()> goOn)
      : PassingSink(sink), files_(files), goOn_(std::move(goOn)) {}
  Expected<void> addFunction(const model::Function &function) override {
    if (!function.file.empty())
      files_.insert(function.file);
    return sink_.addFunction(function);
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!goOn_())
      return Error{.code = "E_INTERRUPTED", .message = "packing was interrupted"};
    return sink_.events(batch);
  }

private:
  std::set<std::string> &files_;
  std::function<bool()> goOn_;
};

class NoSink : public model::TraceSink {
public:
  Expected<void> events(const model::Batch &) override { return {}; }
};

// A file of the session that is written under another name and with other contents.
struct Replacement {
  std::string name, path;
};

class Packer {
public:
  Packer(std::string directory, const model::ByteSink &bytes, const PackOptions &options)
      : directory_(std::move(directory)), options_(options), writer_(bytes) {}
  Expected<PackResult> run();

private:
  void list(const std::string &below);
  Expected<void> convertProcess(const std::string &name, size_t number);
  Expected<void> convertThreads(const atf::Session &session, const std::vector<uint32_t> &threads,
                                const std::string &name, const std::string &to);
  Expected<void> recompress(const atf::ThreadTrace &thread, const std::string &name, const std::string &to);
  void replaceThread(const atf::ThreadTrace &thread, const std::string &name, const std::string &with);
  Expected<void> writeFiles();
  Expected<void> writeBinaries();
  bool leaveOutSecretName(const std::string &name);
  bool leaveOutSecretText(const std::string &name, std::string_view text);
  Expected<void> writeSources();
  std::string pathOf(const std::string &name) const { return name.empty() ? directory_ : directory_ + "/" + name; }
  static Error notWritten() { return {.code = "E_IO", .message = "the archive can't be written"}; }

  std::string directory_, top_;
  const PackOptions &options_;
  ArchiveWriter writer_;
  std::vector<std::string> files_, emptyDirectories_, processes_; // below directory_
  std::map<std::string, Replacement> replaced_;                   // by the name that it had
  std::set<std::string> sources_;
  PackResult result_;
};

std::string joined(const std::string &directory, const std::string &name) {
  return directory.empty() ? name : directory + "/" + name;
}

int64_t modifiedSeconds(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? info.st_mtim.tv_sec : 0;
}

// Whether an ATF thread can be written in the packed form and read back as it was.
bool isConvertible(const atf::ThreadTrace &thread) {
  atf::IndexReader index = *thread.index;
  if (index.isPacked() || index.header().version != 2 || !index.isComplete() || !index.warnings().empty() ||
      !thread.warnings.empty() || !index.verifyChecksum())
    return false;
  if (!thread.detail)
    return true;
  if (!*thread.detail)
    return false;
  atf::DetailReader detail = **thread.detail;
  return detail.header().version == 2 && !detail.isPacked() && detail.isComplete() && detail.warnings().empty() &&
         bool(detail.verifyChecksum());
}

bool isSame(const atf::ThreadTrace &thread, const std::string &with) {
  const auto index = atf::IndexReader::open(atf::indexPathIn(with));
  if (!index || index->size() != thread.index->size() || index->firstNs() != thread.index->firstNs() ||
      index->lastNs() != thread.index->lastNs())
    return false;
  if (!thread.detail)
    return true;
  const auto detail = atf::DetailReader::open(atf::detailPathIn(with));
  return detail && detail->size() == (*thread.detail)->size();
}

} // namespace

// Lists files and process directories.
void Packer::list(const std::string &below) {
  auto entries = directoryEntries(pathOf(below));
  std::ranges::sort(entries, {}, &Archive::Entry::name);
  bool isEmpty = true, isProcess = false;
  for (const auto &[name, isDirectory] : entries) {
    const std::string whole = joined(below, name);
    if (name.starts_with('.') || name == "ring" || isKeptFile(name))
      continue;
    struct stat info;
    if (::lstat(pathOf(whole).c_str(), &info) != 0)
      continue; // gone meanwhile
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
      result_.notes.push_back(fmt::format("{} is left out: it is neither a file nor a directory", pathOf(whole)));
      continue;
    }
    isEmpty = false;
    isProcess |= name == kManifest || atf::isOfThread(name, isDirectory);
    if (S_ISDIR(info.st_mode))
      list(whole);
    else
      files_.push_back(whole);
  }
  if (isEmpty && !below.empty())
    emptyDirectories_.push_back(below);
  if (isProcess)
    processes_.push_back(below);
}

Expected<void> Packer::recompress(const atf::ThreadTrace &thread, const std::string &name, const std::string &to) {
  for (const auto &[path, compress] : {std::pair(atf::indexPathIn(thread.path), &packed::recompressIndex),
                                       {atf::detailPathIn(thread.path), &packed::recompressDetail}}) {
    if (!fileExists(path))
      continue;
    const auto bytes = ADA_TRY(FileBytes::open(path));
    const std::string whole = joined(name, thread.directory) + path.substr(thread.path.size());
    const std::string place = fmt::format("{}/{}.{}", to, thread.directory, atf::baseName(path));
    const bool isSmaller = ADA_TRY(compress(bytes.bytes(), place));
    if (isSmaller)
      replaced_[whole] = {whole, place};
  }
  return {};
}

// The thread keeps its directory, which has other files as well.
void Packer::replaceThread(const atf::ThreadTrace &thread, const std::string &name, const std::string &with) {
  using namespace thread_files;
  const std::string place = joined(name, thread.directory);
  replaced_[place + kAtfIndex] = {place + kOldPackedIndex, with + kPackedIndex};
  if (fileExists(with + kPackedDetail))
    replaced_[place + kAtfDetail] = {place + kOldPackedDetail, with + kPackedDetail};
}

// Converts ATF threads of a process. If that loses anything, they all stay as they are.
Expected<void> Packer::convertThreads(const atf::Session &session, const std::vector<uint32_t> &threads,
                                      const std::string &name, const std::string &to) {
  const auto source = model::makeAtfSource(session);
  const auto sink = model::makeAtfSessionSink(to, {.packed = true, .compress = model::canCompress()});
  FunctionFiles through(*sink, sources_, [&] { return options_.goOn(source->progress().value_or(0)); });
  model::ReadRequest request;
  request.threads = threads;
  ADA_TRY(source->readPart(through, request));
  std::vector<model::Loss> losses = source->losses();
  std::ranges::copy(sink->losses(), std::back_inserter(losses));
  if (!losses.empty()) {
    result_.notes.push_back(fmt::format("{} stays in ATF, because the packed format has no place for {} {}",
                                        pathOf(name), formatCount(losses[0].count), losses[0].what));
    return {};
  }
  uint32_t number = 0;
  for (const atf::ThreadTrace &thread : session.processes()[0].threads())
    if (thread.index && std::ranges::binary_search(threads, number++)) {
      const std::string with = fmt::format("{}/thread_{}", to, thread.id);
      if (isSame(thread, with))
        replaceThread(thread, name, with);
      else
        result_.notes.push_back(fmt::format("{} stays in ATF: it could not be converted exactly", thread.path));
    }
  return {};
}

Expected<void> Packer::convertProcess(const std::string &name, size_t number) {
  const auto session = atf::Session::open(pathOf(name), {.checksum = atf::ChecksumPolicy::Defer, .lowMemory = true});
  if (!session) {
    result_.notes.push_back(fmt::format("{}; its files are packed as they are", session.error().text()));
    return {};
  }
  result_.events += session->eventCount();
  const std::string to = fmt::format("{}/{}", options_.scratch, number);
  if (::mkdir(to.c_str(), 0700) != 0)
    return systemError(to, "can't be created", errno);
  std::vector<uint32_t> threads;
  uint32_t index = 0;
  for (const atf::ThreadTrace &thread : session->processes()[0].threads()) {
    if (!thread.index)
      continue;
    if (thread.index->isPacked() && !options_.keepFormat)
      ADA_TRY(recompress(thread, name, to));
    if (!options_.keepFormat && isConvertible(thread))
      threads.push_back(index);
    ++index;
  }
  if (!threads.empty())
    ADA_TRY(convertThreads(*session, threads, name, to + "/atf"));
  if (options_.sources && threads.size() < index) {
    NoSink nowhere;
    const auto source = model::makeAtfSource(*session);
    FunctionFiles through(nowhere, sources_, [&] { return options_.goOn(source->progress().value_or(0)); });
    ADA_TRY(source->read(through));
  }
  return {};
}

Expected<void> Packer::writeFiles() {
  // The manifest of a process comes first: a file that is cut off still has the names.
  const auto order = [](const std::string &name) {
    const size_t slash = name.rfind('/') + 1;
    return name.substr(slash) == kManifest ? name.substr(0, slash) : name;
  };
  std::ranges::sort(files_, {}, order);
  for (const std::string &directory : emptyDirectories_)
    if (!writer_.addDirectory(joined(top_, directory), modifiedSeconds(pathOf(directory))))
      return notWritten();
  for (const std::string &name : files_) {
    const std::string path = pathOf(name);
    const auto original = ADA_TRY(FileBytes::open(path));
    if (isPackedSource(name) &&
        (leaveOutSecretName(name) ||
         leaveOutSecretText(name, {reinterpret_cast<const char *>(original.bytes().data()), original.bytes().size()})))
      continue; // packed with --include-secrets, or by an older version
    result_.bytesBefore += original.bytes().size();
    ++result_.files;
    const auto found = replaced_.find(name);
    const FileBytes made = found == replaced_.end() ? FileBytes() : ADA_TRY(FileBytes::open(found->second.path));
    const FileBytes &file = found == replaced_.end() ? original : made;
    const std::string member = joined(top_, found == replaced_.end() ? name : found->second.name);
    // Blocks and events are read in place; other files are small, and unpacked in memory.
    const bool isEvents = name.ends_with(".atf") || name.ends_with(".atp") || name.ends_with(".dat");
    const bool isWritten = options_.keepFormat || isEvents
                               ? writer_.addFile(member, file.bytes(), modifiedSeconds(path))
                               : writer_.addCompressed(member, file.bytes(), modifiedSeconds(path));
    if (!isWritten)
      return notWritten();
    file.release(file.bytes());
    if (found != replaced_.end())
      (void)::unlink(found->second.path.c_str());
    if (!options_.goOn(1))
      return Error{.code = "E_INTERRUPTED", .message = "packing was interrupted"};
  }
  return {};
}

// A process alone lies in the archive as in its session: beside the files that its manifest names.
Expected<void> Packer::writeBinaries() {
  const auto manifest = Manifest::read(pathOf(kManifest));
  if (!manifest)
    return {};
  std::set<std::string> names;
  for (const ManifestModule &module : manifest->modules)
    if (!module.binary.empty())
      names.insert(module.binary + ".json");
  for (const std::string &name : names) {
    const std::string path = atf::joinPath(manifest->binariesFolder(), name);
    const auto file = FileBytes::open(path);
    if (!file) {
      result_.notes.push_back(fmt::format("{}; functions of {} have no names", file.error().text(), pathOf("")));
      continue;
    }
    result_.bytesBefore += file->bytes().size();
    ++result_.files;
    if (!writer_.addCompressed(joined(manifest::kBinariesFolder, name), file->bytes(), modifiedSeconds(path)))
      return notWritten();
  }
  return {};
}

bool Packer::leaveOutSecretName(const std::string &name) {
  const std::string_view what = secretName(lastNameOf(name));
  if (options_.secrets || what.empty())
    return false;
  result_.leftOut.push_back({name, fmt::format("its name is that of {}", what)});
  result_.hasSecrets = true;
  return true;
}

bool Packer::leaveOutSecretText(const std::string &name, std::string_view text) {
  const auto secret = options_.secrets ? std::nullopt : secretIn(text);
  if (!secret)
    return false;
  result_.leftOut.push_back({name, fmt::format("line {} looks like {}", secret->line, secret->what)});
  result_.hasSecrets = true;
  return true;
}

Expected<void> Packer::writeSources() {
  std::set<std::string> places(files_.begin(), files_.end());
  for (const std::string &name : sources_) {
    const std::string place = placeOfSource(name);
    if (places.contains(place) || leaveOutSecretName(name))
      continue;
    const auto source = options_.sources->read(name);
    if (!source && source.error().code == "E_IO")
      ++result_.missingSources;
    else if (!source)
      result_.leftOut.push_back({name, source.error().message});
    if (!source || leaveOutSecretText(name, source->text) || !places.insert(place).second)
      continue;
    const std::span bytes = std::as_bytes(std::span(source->text));
    const std::string member = joined(top_, place);
    if (!(options_.keepFormat ? writer_.addFile(member, bytes, source->modifiedSeconds)
                              : writer_.addCompressed(member, bytes, source->modifiedSeconds)))
      return notWritten();
    ++result_.sources;
  }
  return {};
}

Expected<PackResult> Packer::run() {
  top_ = lastNameOf(directory_);
  if (top_.empty())
    top_ = "trace";
  list("");
  if (processes_.empty()) {
    // Perhaps a directory of another format. If not, this says what is wrong.
    const auto source = ADA_TRY(model::openTrace(directory_));
    if (options_.sources)
      result_.notes.emplace_back("sources are left out: only sessions of AdaTrace name them");
  }
  for (size_t i = 0; i < processes_.size(); ++i)
    ADA_TRY(convertProcess(processes_[i], i));
  if (processes_ == std::vector<std::string>{""})
    ADA_TRY(writeBinaries());
  ADA_TRY(writeFiles());
  if (options_.sources)
    ADA_TRY(writeSources());
  if (!writer_.finish())
    return notWritten();
  return std::move(result_);
}

Expected<PackResult> pack(const std::string &directory, const model::ByteSink &bytes, const PackOptions &options) {
  return Packer(directory, bytes, options).run();
}

} // namespace ada::formats
