"""Writes seeded C sources, each with the functions of a small interpreter, for a compiler to chew on.

Usage: sources.py FOLDER FILES. Does nothing if FOLDER is there already.
"""

import os
import random
import sys

folder, files = sys.argv[1], int(sys.argv[2])
if os.path.exists(folder):
    sys.exit(0)
rng = random.Random(11)
os.makedirs(folder + ".part", exist_ok=True)


def expression(depth):
    if depth == 0:
        return rng.choice(("x", "y", "s->a", "s->b", "table[x & 255]", str(rng.randint(1, 9999))))
    operator = rng.choice(("+", "-", "*", "^", "&", "|", ">>", "<<"))
    right = str(rng.randint(1, 7)) if operator in (">>", "<<") else expression(depth - 1)
    return f"({expression(depth - 1)} {operator} {right})"


def function(name):
    cases = "\n".join(
        f"        case {case}: x = {expression(3)}; s->{rng.choice('ab')} += x; break;" for case in range(24)
    )
    return f"""
static unsigned {name}(struct state *s, unsigned x, unsigned y)
{{
    for (unsigned i = 0; i < (y & 63); i++) {{
        switch ((x >> 2) % 31) {{
{cases}
        default: x = {expression(2)};
        }}
        for (unsigned j = 0; j < {rng.randint(4, 40)}; j++)
            table[(x + j) & 255] = {expression(2)} + table[j & 255];
        y ^= {expression(2)};
    }}
    return x ^ y;
}}
"""


for index in range(files):
    names = [f"step_{index}_{number}" for number in range(30)]
    calls = "\n".join(f"    x ^= {name}(&s, x, y + {n});" for n, name in enumerate(names))
    with open(f"{folder}.part/unit{index}.c", "w", encoding="ascii") as out:
        out.write("#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n#include <math.h>\n")
        out.write("struct state { unsigned a, b; };\nstatic unsigned table[256];\n")
        out.write("".join(function(name) for name in names))
        out.write(f"unsigned unit{index}(unsigned x, unsigned y)\n{{\n    struct state s = {{x, y}};\n{calls}\n")
        out.write("    return x + s.a + s.b;\n}\n")
with open(f"{folder}.part/main.c", "w", encoding="ascii") as out:
    out.write("#include <stdio.h>\n")
    out.write("".join(f"unsigned unit{index}(unsigned, unsigned);\n" for index in range(files)))
    out.write("int main(void)\n{\n    unsigned x = 1;\n")
    out.write("".join(f"    x ^= unit{index}(x, {index});\n" for index in range(files)))
    out.write('    printf("%u\\n", x);\n    return 0;\n}\n')
os.rename(folder + ".part", folder)
