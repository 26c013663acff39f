WITH w AS (SELECT dur, ntile(3) OVER (ORDER BY dur) AS t FROM spans) SELECT t, min(dur) FROM w GROUP BY t UNION ALL SELECT 1, 2
