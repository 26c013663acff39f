SELECT s.ts / 1000 * 1000 AS t, count(DISTINCT name), sum(iif(outermost, dur, 0)) FROM spans AS s GROUP BY s.ts / 1000, dur / 10;
