// The fixed part of a CTF trace's metadata, in TSDL.
#pragma once

namespace ada::formats {

/// Goes before the names of functions. All fields are aligned to bytes.
inline constexpr char kCtfHead[] = R"(/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
  major = 1;
  minor = 8;
  byte_order = le;
  packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
env { tracer_name = "AdaTrace"; };
clock { name = trace; freq = 1000000000; description = "nanoseconds on the clock of the trace"; };
typealias integer { size = 64; align = 8; signed = false; map = clock.trace.value; } := time_t;
)";

/// Goes after the names. `function` is an enumeration of them by number.
inline constexpr char kCtfTail[] = R"(stream {
  id = 0;
  event.header := struct { uint8_t id; time_t timestamp; };
  packet.context := struct { time_t timestamp_begin; time_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t pid; uint64_t tid; uint32_t thread; string process_name; string thread_name; };
};
event { name = "call"; id = 0; stream_id = 0; fields := struct { enum function function; }; };
event { name = "call_detail"; id = 1; stream_id = 0; fields := struct { enum function function; string arguments; }; };
event { name = "return"; id = 2; stream_id = 0; fields := struct { enum function function; }; };
event { name = "return_detail"; id = 3; stream_id = 0; fields := struct { enum function function; string result; string values; }; };
event { name = "exception"; id = 4; stream_id = 0; fields := struct { enum function function; }; };
event { name = "missing_exit"; id = 5; stream_id = 0; fields := struct { enum function function; }; };
event { name = "inferred_exit"; id = 9; stream_id = 0; fields := struct { enum function function; }; };
event { name = "mark"; id = 6; stream_id = 0; fields := struct { string name; string data; }; };
)";

/// For calls of functions whose source is known. `source` is an enumeration of source locations by function number.
inline constexpr char kCtfSourceTail[] =
    R"(event { name = "call"; id = 7; stream_id = 0; fields := struct { enum function function; enum source source; }; };
event { name = "call_detail"; id = 8; stream_id = 0; fields := struct { enum function function; enum source source; string arguments; }; };
)";

} // namespace ada::formats
