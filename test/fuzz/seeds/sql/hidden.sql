SELECT ada_ts_part, ada_n FROM span_groups(5, 0, 7) WHERE ada_ts_step IN (5, 6) -- comment
