# The fuzz targets, each TARGET.cpp; tools/dev reads this, too.
set(ADA_FUZZ_TARGETS archive atf_detail atf_index debug_info dial9_decode dial9_roundtrip import_chrome import_folded import_perfetto import_uftrace import_xray manifest packed_detail packed_index sched sql types wtf_decode)
