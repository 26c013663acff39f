"""Writes a Chrome trace of many processes with a call each. Usage: many_processes.py COUNT"""
import sys

count = int(sys.argv[1])
print("[" + ",\n".join(f'{{"ph":"X","name":"f","ts":{i},"dur":1,"pid":{i + 1},"tid":{i + 1}}}' for i in range(count)) + "]")
