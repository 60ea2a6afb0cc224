"""Loads the tables of a trading company into DuckDB and runs a mix of reports over them, on two threads.

    warehouse.py make FOLDER ORDERS          writes the tables as Parquet; does nothing if FOLDER is there already
    warehouse.py run FOLDER DATABASE ORDERS  loads them into DATABASE (a new file) and runs the reports

An order has four lines on average. The numbers come from hashes, so they are the same on every machine.
"""

import os
import sys
import time

import duckdb

DRAW = "(hash({0}, {1}) % {2})::INTEGER"  # a number below {2} that belongs to row {0} and purpose {1}


def draw(row, purpose, below):
    return DRAW.format(row, purpose, below)


def make(folder, orders):
    if os.path.exists(folder):
        return
    part = folder + ".part"
    os.makedirs(part, exist_ok=True)
    customers, parts, suppliers = orders // 10, orders // 8, max(orders // 150, 100)
    tables = {
        "nation": f"SELECT i::INTEGER AS nation, 'nation ' || i AS name, (i % 5)::INTEGER AS region FROM range(25) t(i)",
        "supplier": f"SELECT i::INTEGER AS supplier, {draw('i', 1, 25)} AS nation, "
        f"'supplier ' || i AS name FROM range({suppliers}) t(i)",
        "customer": f"SELECT i::INTEGER AS customer, {draw('i', 2, 25)} AS nation, "
        f"['building', 'machinery', 'household', 'furniture', 'automobile'][1 + {draw('i', 3, 5)}] AS segment, "
        f"{draw('i', 4, 1000000)} / 100.0 AS balance, 'customer no. ' || i AS name FROM range({customers}) t(i)",
        "part": f"SELECT i::INTEGER AS part, 'brand ' || {draw('i', 5, 25)} AS brand, {draw('i', 6, 50)} AS size, "
        f"['steel', 'copper', 'brass', 'nickel', 'tin'][1 + {draw('i', 7, 5)}] AS metal FROM range({parts}) t(i)",
        "orders": f"SELECT i AS id, {draw('i', 8, customers)} AS customer, "
        f"DATE '2020-01-01' + {draw('i', 9, 2400)} AS day, {draw('i', 10, 5)} AS urgency, "
        f"'clerk ' || {draw('i', 11, 1000)} AS clerk FROM range({orders}) t(i)",
        "line": f"""
            SELECT id, number::INTEGER AS number, {draw('key', 12, parts)} AS part,
                {draw('key', 13, suppliers)} AS supplier, 1 + {draw('key', 14, 50)} AS quantity,
                (90000 + {draw('key', 15, 10000000)}) / 100.0 AS price, {draw('key', 16, 11)} / 100.0 AS discount,
                {draw('key', 17, 9)} / 100.0 AS tax, ['A', 'N', 'R'][1 + {draw('key', 18, 3)}] AS flag,
                DATE '2020-01-01' + {draw('id', 9, 2400)} + 1 + {draw('key', 19, 120)} AS shipped,
                ['air', 'ship', 'rail', 'road', 'post'][1 + {draw('key', 20, 5)}] AS way
            FROM (SELECT i AS id, unnest(range(1 + {draw('i', 21, 7)})) AS number, i * 8 + number AS key
                FROM range({orders}) t(i))""",
    }
    with duckdb.connect(config={"threads": 2}) as base:
        for name, query in tables.items():
            base.execute(f"COPY ({query}) TO '{part}/{name}.parquet' (FORMAT parquet)")
    os.rename(part, folder)


REPORTS = {
    "what was shipped, by state": """
        SELECT flag, way, sum(quantity), sum(price), sum(price * (1 - discount)), sum(price * (1 - discount) * (1 + tax)),
            avg(quantity), avg(discount), count(*)
        FROM line WHERE shipped <= DATE '2026-05-01' GROUP BY flag, way ORDER BY flag, way""",
    "the orders worth most that are not shipped yet": """
        SELECT o.id, sum(price * (1 - discount)) AS revenue, o.day
        FROM customer c JOIN orders o USING (customer) JOIN line l ON l.id = o.id
        WHERE segment = 'building' AND o.day < DATE '2023-03-15' AND shipped > DATE '2023-03-15'
        GROUP BY o.id, o.day ORDER BY revenue DESC, o.id LIMIT 10""",
    "sales within one country": """
        SELECT n.name, sum(price * (1 - discount)) AS revenue
        FROM customer c JOIN orders o USING (customer) JOIN line l ON l.id = o.id JOIN supplier s USING (supplier)
            JOIN nation n ON n.nation = s.nation
        WHERE c.nation = s.nation AND n.region < 3 AND o.day >= DATE '2022-01-01'
        GROUP BY n.name ORDER BY revenue DESC""",
    "profit by brand and year": """
        SELECT brand, year(o.day) AS year, sum(price * (1 - discount) - 700 * quantity) AS profit
        FROM line l JOIN part p USING (part) JOIN orders o ON o.id = l.id WHERE metal <> 'tin'
        GROUP BY brand, year ORDER BY brand, year""",
    "large customers": """
        SELECT c.name, count(*) AS orders, sum(total) AS total
        FROM (SELECT id, sum(quantity) AS pieces, sum(price) AS total FROM line GROUP BY id HAVING pieces > 150) l
            JOIN orders o USING (id) JOIN customer c USING (customer)
        GROUP BY c.customer, c.name ORDER BY total DESC, c.name LIMIT 100""",
    "orders that waited for one supplier only": """
        SELECT s.nation, count(*) AS waits
        FROM line l JOIN supplier s USING (supplier)
        WHERE flag = 'R' AND EXISTS (SELECT 1 FROM line o WHERE o.id = l.id AND o.supplier <> l.supplier)
            AND NOT EXISTS (SELECT 1 FROM line o WHERE o.id = l.id AND o.supplier <> l.supplier AND o.flag = 'R')
        GROUP BY s.nation ORDER BY waits DESC, s.nation""",
    "the best month of each part": """
        SELECT count(*), sum(revenue) FROM (
            SELECT part, date_trunc('month', shipped) AS month, sum(price) AS revenue,
                row_number() OVER (PARTITION BY part ORDER BY sum(price) DESC, month) AS place
            FROM line GROUP BY part, month) WHERE place = 1""",
    "brands bought together": """
        SELECT p.brand, q.brand, count(*) AS times, sum(least(a.price, b.price)) AS revenue
        FROM line a JOIN line b ON a.id = b.id AND a.number < b.number JOIN part p ON p.part = a.part
            JOIN part q ON q.part = b.part
        GROUP BY p.brand, q.brand ORDER BY times DESC, revenue DESC""",
    "customers of each brand": """
        SELECT brand, year(o.day) AS year, count(DISTINCT customer) AS customers
        FROM line l JOIN part p USING (part) JOIN orders o ON o.id = l.id GROUP BY brand, year ORDER BY brand, year""",
    "days between a customer's orders": """
        SELECT segment, avg(gap), max(gap), quantile_cont(gap, 0.9) FROM (
            SELECT segment, o.day - lag(o.day) OVER (PARTITION BY customer ORDER BY o.day, o.id) AS gap
            FROM orders o JOIN customer c USING (customer)) GROUP BY segment ORDER BY segment""",
}


def run(folder, database, orders):
    start = time.monotonic()

    def tell(what, rows):
        print(f"{time.monotonic() - start:6.2f}  {what}: {rows}", flush=True)

    with duckdb.connect(database, config={"threads": 2, "memory_limit": "2500MB"}) as base:
        base.execute("SET preserve_insertion_order = false")
        for name in ("nation", "supplier", "customer", "part", "orders", "line"):
            base.execute(f"CREATE TABLE {name} AS SELECT * FROM '{folder}/{name}.parquet'")
        base.execute("CHECKPOINT")
        count, lines, pieces = base.execute("SELECT (SELECT count(*) FROM orders), count(*), sum(quantity) FROM line").fetchone()
        tell("loaded", (count, lines, pieces))
        if count != orders or not 3.9 * orders < lines < 4.1 * orders:
            sys.exit("not all rows are there")
        for what, query in REPORTS.items():
            rows = base.execute(query).fetchall()
            tell(what, len(rows))
            if not rows:
                sys.exit("the report is empty")


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
else:
    run(sys.argv[2], sys.argv[3], int(sys.argv[4]))
