// Keeps rows that the server refused, so that the user can find out why.
#include "refused_blocks.h"
#include "durable_file.h"
#include "process/session_place.h"
#include "terminal/terminal.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <filesystem>
#include <vector>

namespace ada::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char *kRows = ".rowbinary", *kAbout = ".json";

uint64_t sizeOf(const fs::path &path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

} // namespace

uint64_t RefusedBlocks::bytes() const {
  uint64_t all = 0;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory_, error); !error && at != fs::directory_iterator();
       at.increment(error))
    all += sizeOf(at->path());
  return all;
}

void RefusedBlocks::makeRoom(uint64_t bytes) {
  uint64_t all = bytes + this->bytes();
  std::vector<std::pair<fs::file_time_type, fs::path>> blocks;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory_, error); !error && at != fs::directory_iterator();
       at.increment(error))
    if (std::error_code ignored; at->path().extension() == kRows)
      blocks.emplace_back(at->last_write_time(ignored), at->path());
  std::sort(blocks.begin(), blocks.end());
  for (auto &[written, path] : blocks) {
    if (all <= mostBytes_)
      return;
    for (const char *extension : {kRows, kAbout}) {
      path.replace_extension(extension);
      all -= std::min(all, sizeOf(path));
      std::error_code ignored;
      fs::remove(path, ignored);
    }
    warning("{} was deleted, because the rejected rows take up too much space", path.replace_extension("").string());
  }
}

Expected<void> RefusedBlocks::keep(const std::string &unit, const RefusedBlock &block) {
  std::error_code error;
  makePrivateDirectories(directory_, error);
  const std::string base = fmt::format("{}/{:016x}-{}-{}", directory_, block.session, block.table, block.block.number);
  JsonMembers json;
  json.text("trace", unit).number("session", block.session).text("table", block.table);
  json.text("columns", block.columns).number("block", block.block.number).number("rows", block.block.rows);
  json.text("format", "RowBinary").text("answer", block.error.message);
  const std::string about = json.object() + "\n";
  if (mostBytes_) {
    const uint64_t bytes = block.block.bytes.size() + about.size();
    if (bytes > mostBytes_)
      return Error{.code = "E_FULL",
                   .message = fmt::format("the server rejected a block of {}, but rejected rows may take up only {}",
                                          formatBytes(bytes), formatBytes(mostBytes_)),
                   .file = base};
    makeRoom(bytes);
  }
  ADA_TRY(writeDurably(base + kRows, block.block.bytes));
  return writeDurably(base + kAbout, about);
}

} // namespace ada::cli
