SELECT * FROM events WHERE thread IN (0, 2); SELECT * FROM counters; SELECT * FROM marks; SELECT * FROM flows; SELECT * FROM off_cpu
