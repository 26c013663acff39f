SELECT exit, /* x */ outermost FROM spans WHERE id = 1 AND parent_id IS NULL AND function_id IN (0, 1, NULL) AND dur <> 5
