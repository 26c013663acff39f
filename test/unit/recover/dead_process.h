// The directory of a killed process: files without footers, and a ring file with the newest events.
#pragma once

#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "shared/ring/ring_file.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ada::test {

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A ring file with one module, one thread and one chunk.
class RingBuilder {
public:
  static constexpr uint64_t kModuleBegin = 0x10000000, kTid = 4711;

  RingBuilder() : bytes_(kChunksOffset + ADA_CHUNK_BYTES, '\0') {
    ada_ring_header &h = header();
    h.magic = ADA_RING_MAGIC;
    h.abi_version = ADA_ABI_VERSION;
    h.state = ADA_RING_RECORDING;
    h.format = 2, h.arch = 1, h.clock = ADA_CLOCK_SYSTEM;
    h.modules_offset = kModulesOffset, h.modules_used = 1;
    h.threads_offset = kThreadsOffset, h.threads_used = 1, h.threads_seen = 1;
    h.chunks_offset = kChunksOffset, h.chunks_used = h.chunks_capacity = 1;
    ada_ring_module &module = *at<ada_ring_module>(kModulesOffset);
    module.begin = kModuleBegin, module.end = kModuleBegin + 16 * sizeof(ada_function);
    module.module_id = 1;
    thread().state = ADA_THREAD_LIVE;
    thread().tid = kTid;
    thread().first_chunk = 1;
    chunk().state = ADA_CHUNK_USED;
    chunk().start_stamp = 1;
  }

  ada_ring_header &header() { return *at<ada_ring_header>(0); }
  ada_ring_thread &thread() { return *at<ada_ring_thread>(kThreadsOffset); }
  ada_chunk &chunk() { return *at<ada_chunk>(kChunksOffset); }
  ada_ring_sched &sched() { return *at<ada_ring_sched>(ADA_RING_SCHED_OFFSET); }

  void addAnchor(ada_anchor anchor) { at<ada_anchor>(ADA_RING_ANCHORS_OFFSET)[header().anchors_used++] = anchor; }
  /// The process directory that the ring file belongs to.
  void name(const std::string &directory) {
    std::memcpy(at<char>(ADA_RING_PATH_OFFSET), directory.c_str(), directory.size() + 1);
  }

  /// Adds a record about function `ordinal` at `ns`; its detail, if any, holds `firstRegister`.
  void add(uint64_t ns, unsigned ordinal, uint32_t kind, uint64_t firstRegister = 0, uint8_t vectors = 0) {
    const uint64_t units = kind & ADA_RECORD_DETAIL ? 7 + vectors : 0;
    add(ns, units << 56 | (kModuleBegin + ordinal * sizeof(ada_function) + kind));
    if (!(kind & ADA_RECORD_DETAIL))
      return;
    auto *detail = at<ada_detail>(place());
    *detail = {};
    detail->vectors = vectors;
    detail->registers[0] = firstRegister;
    used_ += units;
  }
  /// Adds a record unchanged.
  void add(uint64_t ns, uint64_t what) {
    *at<ada_record>(place()) = {ns, what};
    ++used_;
  }
  /// The number of the next record in the chunk.
  uint64_t used() const { return used_; }

  void write(const std::string &path) const { writeFile(path, bytes_); }

private:
  static constexpr uint64_t kModulesOffset = 65536, kThreadsOffset = 2 * 65536, kChunksOffset = 3 * 65536;
  template <class T> T *at(uint64_t offset) { return reinterpret_cast<T *>(bytes_.data() + offset); }
  uint64_t place() const { return kChunksOffset + sizeof(ada_chunk) + used_ * sizeof(ada_record); }

  std::string bytes_;
  uint64_t used_ = 0;
};

} // namespace ada::test
