#!/usr/bin/python3
# validate.py DIRECTORY: whether each case of cases.jsonl ({"kind", "doc"}) is valid by KIND.schema.json there, by
# python3-jsonschema. One line for each: 1 or 0.
import json
import pathlib
import sys

import jsonschema

directory = pathlib.Path(sys.argv[1])
validators = {}
for file in directory.glob("*.schema.json"):
    schema = json.loads(file.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validators[file.name.removesuffix(".schema.json")] = jsonschema.Draft7Validator(schema)
with open(directory / "cases.jsonl") as cases:
    for line in cases:
        case = json.loads(line)
        print(int(validators[case["kind"]].is_valid(case["doc"])))
