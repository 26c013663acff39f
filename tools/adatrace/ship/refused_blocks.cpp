// Rows that the server refused, kept for whoever finds out why.
#include "refused_blocks.h"
#include "process/session_place.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ada::cli {

Expected<void> RefusedBlocks::keep(const std::string &unit, const RefusedBlock &block) {
  std::error_code error;
  makePrivateDirectories(directory_, error);
  const std::string base = fmt::format("{}/{:016x}-{}-{}", directory_, block.session, block.table, block.block.number);
  const nlohmann::json about = {{"trace", unit},
                                {"session", block.session},
                                {"table", block.table},
                                {"columns", block.columns},
                                {"block", block.block.number},
                                {"rows", block.block.rows},
                                {"format", "RowBinary"},
                                {"answer", block.error.message}};
  for (const auto &[file, text] :
       {std::pair(base + ".rowbinary", std::string(block.block.bytes)),
        std::pair(base + ".json", about.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n")}) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out.flush())
      return Error{.code = "E_IO", .message = std::strerror(errno), .file = file};
  }
  return {};
}

} // namespace ada::cli
