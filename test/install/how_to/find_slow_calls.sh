cp "$HERE/server.cpp" .
atTheEnd() { adatrace outliers --function='Server::handle' | has waiting; }
