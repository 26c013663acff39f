SELECT c.name, p.name FROM spans c LEFT JOIN spans p ON p.id = c.parent_id WHERE c.ts BETWEEN 1000 AND 1e6 OR c.name GLOB 'w*'
