SELECT name, count(*), sum(dur) FROM spans WHERE depth < 3 GROUP BY name HAVING count(*) > 0 ORDER BY 3 DESC LIMIT 9
