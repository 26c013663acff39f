"""Sends a server the queries of a Grafana dashboard's panels.

Usage: fleet_dashboard.py DIRECTORY DASHBOARD SESSION...
"""
import json
import re
import sys

from clickhouse import Server

directory, dashboard, sessions = sys.argv[1], sys.argv[2], sys.argv[3:]
board = json.load(open(dashboard))
with Server(directory) as server:
    server.load("--init", *sessions, "--label", "release=1.4")

    def asked(query, values):
        for name, value in values.items():
            query = re.sub(rf"\${name}\b", lambda _: value, query)
        if "$" in query:
            sys.exit(f"what is {query}?")
        return json.loads(server.query(query + " FORMAT JSONCompact"))

    [[began, ended]] = server.rows("SELECT intDiv(min(began), 1000000000), intDiv(max(ended), 1000000000) + 1 FROM sessions WHERE spans > 0")
    values = {"from": began, "to": ended}
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            found = [str(row[0]) for row in asked(variable["query"], values)["data"]]
            values[variable["name"]] = ", ".join("'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'" for text in found)
            print("variable", variable["name"], len(found))
    for panel in board["panels"]:
        answer = asked(panel["targets"][0]["query"], values)
        columns = [column["name"] for column in answer["meta"]]
        for override in panel["fieldConfig"]["overrides"]:
            if override["matcher"]["options"] not in columns:
                sys.exit(f"{panel['title']}: no column {override['matcher']['options']}: {columns}")
        print("panel", panel["title"], answer["rows"], *columns)
