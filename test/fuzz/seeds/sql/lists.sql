SELECT * FROM functions; SELECT * FROM threads; SELECT * FROM processes; SELECT * FROM args; SELECT * FROM waits
