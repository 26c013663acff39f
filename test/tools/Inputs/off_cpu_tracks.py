# off_cpu_tracks.py FILE: the slices of tracks called "off-CPU" in a Perfetto trace that protoc has decoded
# to text.
import re
import sys

tracks, sequences = {}, {}  # by uuid: parent and name; by sequence: the track, the time, and the open slice


def field(packet, name):
    found = re.search(rf'\b{name}: "?([^"\n]*)', packet)
    return found and found.group(1)


for packet in re.split(r"^packet \{\n", open(sys.argv[1]).read(), flags=re.M)[1:]:
    number = field(packet, "trusted_packet_sequence_id")
    if "track_descriptor {" in packet:
        tracks[field(packet, "uuid")] = (field(packet, "parent_uuid"), field(packet, "name"))
    elif "clock_snapshot {" in packet:
        times = set(re.findall(r"timestamp: (\d+)", packet))
        assert len(times) == 1 and "is_incremental: true" in packet
        sequences[number] = [field(packet, "track_uuid"), int(times.pop()), None]
    elif "track_event {" in packet:
        sequence = sequences[number]
        assert "timestamp_clock_id" not in packet
        sequence[1] += int(field(packet, "timestamp"))
        parent, name = tracks[sequence[0]]
        if name != "off-CPU":
            continue
        if field(packet, "type") == "TYPE_SLICE_BEGIN":
            assert sequence[2] is None
            why = re.search(r'^ {4}name: "(.*)"', packet, re.M).group(1)
            sequence[2] = (why, sequence[1], field(packet, "uint_value"))
        else:
            why, begin, processor = sequence[2]
            sequence[2] = None
            print(f"{name} in {tracks[parent][1]}: {why} {begin} to {sequence[1]} from {processor}")
assert all(sequence[2] is None for sequence in sequences.values())
