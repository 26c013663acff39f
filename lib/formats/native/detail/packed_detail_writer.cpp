// Writes packed detail files through a buffer that holds one block.
#include "packed_detail_writer.h"

#include "formats/native/detail/detail_blocks.h"
#include "trace/base/try.h"

namespace ada::packed {

// The size of the buffer: a full block, and room for one more event of usual size.
static constexpr size_t kDetailRoom = kBlockHeaderBytes + kDetailBlockBytes + mostDetailBytes(1024);

DetailWriter::~DetailWriter() {
  if (out_.isOpen())
    (void)endBlock();
}

Expected<std::unique_ptr<DetailWriter>> DetailWriter::create(const std::string &path,
                                                             const atf::WriterOptions &options) {
  auto file = ADA_TRY(OutputFile::create(path, options));
  std::unique_ptr<DetailWriter> writer(new DetailWriter({std::move(file), options.compress}));
  writer->origin_ = originOf(options);
  ADA_TRY(writer->writeHeader(false));
  return writer;
}

// Loads the block with the last event to be kept into memory, as an open block.
Expected<std::unique_ptr<DetailWriter>> DetailWriter::resume(const std::string &path, uint64_t keep) {
  auto file = ADA_TRY(OutputFile::open(path));
  auto bytes = ADA_TRY(FileBytes::open(path));
  auto parsed = ADA_TRY(DetailBlocks::parse(bytes.bytes(), path, bytes.holes()));
  const RawDetailFileHeader &head = parsed.header();
  if (head.blocksOffset != kFileHeaderBytes)
    return Error{.code = "E_BAD_OFFSET",
                 .message = "only a file whose blocks follow its header at once can be continued",
                 .file = path,
                 .field = "blocks_offset"};
  std::unique_ptr<DetailWriter> writer(new DetailWriter({std::move(file), false}));
  writer->origin_ = {2, head.arch, head.os, 0, head.threadId};
  for (const DetailBlock &block : parsed.blocks()) {
    if (block.first >= keep)
      break;
    const bool isFull = block.bytes - kBlockHeaderBytes >= kDetailBlockBytes;
    if (!(block.flags & kBlockOpen) && (block.last() < keep || (block.last() == keep && isFull))) {
      writer->totals_.add(block.totals);
      writer->out_.continueAfter(block.offset + block.bytes);
      continue;
    }
    std::vector<Byte> plain;
    const std::span<const Byte> body = ADA_TRY(parsed.body(block, plain));
    uint64_t taken = 0;
    const size_t used =
        writer->block_->resume(block.firstSeq, body.data(), body.size(), atf::crc32c,
                               [&, wanted = keep - block.first](const atf::DetailHead &) { return taken++ < wanted; });
    writer->block_.load({parsed.at(block.offset), kBlockHeaderBytes}, body.first(used));
    writer->out_.continueAfter(block.offset);
    break;
  }
  // Write the placeholder first: a final header would hide what is appended.
  ADA_TRY(writer->writeHeader(false));
  ADA_TRY(writer->out_.cut(writer->out_.next() + writer->block_.used()));
  return writer;
}

Expected<void> DetailWriter::writeHeader(bool isFinal) {
  const RawDetailFileHeader raw =
      encodeDetailFileHeader(origin_, isFinal ? &totals_ : nullptr, out_.end(), atf::crc32c);
  return out_.write(&raw, sizeof raw, 0);
}

Expected<void> DetailWriter::append(const atf::DetailHead &head, std::span<const std::byte> payload) {
  ADA_TRY(out_.mustBeGood());
  if (!block_->isOpen())
    block_.use(block_->begin(block_.room(kBlockHeaderBytes, kBlockHeaderBytes), totals_.events, atf::crc32c));
  Byte *const to = block_.room(mostDetailBytes(payload.size()), kDetailRoom);
  block_.use(block_->encode(to, head, reinterpret_cast<const Byte *>(payload.data()), payload.size()));
  return block_->isFull() ? endBlock() : Expected<void>();
}

Expected<void> DetailWriter::endBlock() {
  if (!block_->isOpen())
    return {};
  ADA_TRY(block_.end(out_));
  totals_.add(block_->totals());
  return {};
}

Expected<void> DetailWriter::finish() {
  ADA_TRY(out_.mustBeOpen());
  ADA_TRY(endBlock());
  ADA_TRY(out_.cut(out_.end()));
  ADA_TRY(writeHeader(true));
  return out_.close();
}

} // namespace ada::packed
