"""Reports over a shop's tables with Spark SQL: scan and aggregate, join, window functions, results as Parquet files.

Usage: spark_sql.py TABLES SCRATCH
"""

import sys

from spark_session import check, session

folder, scratch = sys.argv[1:3]
with session("sql", scratch) as spark:
    for name in ("sales", "customers", "items", "stores"):
        spark.read.parquet(f"{folder}/{name}.parquet").createOrReplaceTempView(name)
    returns = spark.read.csv(f"{folder}/returns.csv", header=True, schema="sale long, reason int")
    returns.createOrReplaceTempView("returns")
    rows = spark.table("sales").count()

    # Scan: revenue by month and category, small tables broadcast.
    months = spark.sql("""
        select day div 30 as month, category, region, count(*) as sales, sum(quantity * cents) as revenue,
               count(distinct customer) as customers
        from sales join items using (item) join stores using (store)
        group by 1, 2, 3""")
    months.write.parquet(f"{scratch}/months")

    # Join: sales with their returns, both shuffled and sorted.
    kept = spark.sql("""
        select /*+ merge(returns) */ s.*, r.reason, c.town
        from sales s left join returns r on s.sale = r.sale join customers c on s.customer = c.customer""")
    kept.createOrReplaceTempView("kept")

    # Window: each customer's purchases in order, with totals so far and the time since the one before.
    history = spark.sql("""
        select customer, town, day, sale, reason, quantity * cents as spent,
               row_number() over in_order as purchase,
               sum(quantity * cents) over in_order as spent_so_far,
               day - lag(day) over in_order as days_since
        from kept window in_order as (partition by customer order by day, sale)""")
    history.write.parquet(f"{scratch}/history")

    counted = spark.sql(f"select sum(sales) from parquet.`{scratch}/months`").first()[0]
    check(counted == rows, f"{counted} sales in the report of {rows}")
    written = spark.sql(f"select count(*), count(reason) from parquet.`{scratch}/history`").first()
    check(tuple(written) == (rows, rows // 10), f"{tuple(written)} sales and returns in the history of {rows}")
