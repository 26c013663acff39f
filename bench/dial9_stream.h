// The mixed stream of scheduler events that dial9's own benchmark writes: a million of them, every byte determined.
#pragma once

#include "ada/trace/dial9/encoder.h"

namespace ada::bench {

/// Writes events 0 .. `events` - 1 with stacks of `framesPerStack` addresses
/// (at least 2). False if the encoder refused.
inline bool writeSchedulerStream(dial9::Encoder &encoder, uint64_t events, size_t framesPerStack) {
  using dial9::EncodeError;
  using dial9::Field;
  using dial9::FieldType;
  using dial9::Value;
  enum : uint16_t { PollStart, PollEnd, WorkerPark, WakeEvent, CpuSample, kTypes };
  static constexpr Field kPollStart[] = {{"worker_id"}, {"local_queue_depth"}, {"task_id"}, {"spawn_loc_id"}};
  static constexpr Field kPollEnd[] = {{"worker_id"}};
  static constexpr Field kWorkerPark[] = {{"worker_id"}, {"local_queue_depth"}, {"cpu_time_ns"}};
  static constexpr Field kWakeEvent[] = {{"waker_task_id"}, {"woken_task_id"}, {"target_worker"}};
  static constexpr Field kCpuSample[] = {
      {"worker_id"}, {"tid", FieldType::U32}, {"source", FieldType::U8}, {"frames", FieldType::StackFrames}};
  static constexpr struct {
    std::string_view name;
    std::span<const Field> fields;
  } kSchemas[kTypes] = {{"PollStart", kPollStart},
                        {"PollEnd", kPollEnd},
                        {"WorkerPark", kWorkerPark},
                        {"WakeEvent", kWakeEvent},
                        {"CpuSample", kCpuSample}};

  std::vector<uint64_t> stack(framesPerStack);
  for (size_t k = 2; k < framesPerStack; ++k)
    stack[k] = 0x555555550000 + k * 0x1000;
  uint64_t ts = 1'000'000'000;
  for (uint64_t i = 0; i < events; ++i) {
    ts += 500 + i % 200;
    const uint16_t type = uint16_t(i % kTypes);
    if (i < kTypes && encoder.schema(type, kSchemas[type].name, true, kSchemas[type].fields) != EncodeError::None)
      return false;
    EncodeError error = EncodeError::None;
    switch (type) {
    case PollStart: {
      Value values[] = {Value::varint(i % 8), Value::varint(i % 32), Value::varint(1000 + i % 5000),
                        Value::varint(i % 20)};
      error = encoder.event(type, ts, values);
      break;
    }
    case PollEnd: {
      Value values[] = {Value::varint(i % 8)};
      error = encoder.event(type, ts, values);
      break;
    }
    case WorkerPark: {
      Value values[] = {Value::varint(i % 8), Value::varint(i % 16), Value::varint(500'000'000 + i * 100)};
      error = encoder.event(type, ts, values);
      break;
    }
    case WakeEvent: {
      Value values[] = {Value::varint(1000 + i % 5000), Value::varint(1000 + (i + 1) % 5000), Value::varint(i % 8)};
      error = encoder.event(type, ts, values);
      break;
    }
    default: {
      stack[0] = 0x555555550000 + (i % 100) * 0x10;
      stack[1] = 0x555555551000 + (i % 50) * 0x20;
      Value values[] = {Value::varint(i % 8), Value::u32(uint32_t(12345 + i % 4)), Value::u8(0),
                        Value::stackFrames(stack)};
      error = encoder.event(type, ts, values);
    }
    }
    if (error != EncodeError::None)
      return false;
  }
  return true;
}

} // namespace ada::bench
