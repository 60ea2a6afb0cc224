#!/bin/sh
# Loads orders into a database on disk, indexes them, runs reports, deletes and vacuums.
# Usage: sqlite.sh CSV DATABASE ROWS (in CSV)
set -eu
sqlite3 -bail "$2" <<SQL
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
CREATE TABLE orders (id INTEGER, customer INTEGER, product TEXT, region TEXT, day INTEGER, quantity INTEGER,
                     price REAL, note TEXT);
.mode csv
.import $1 orders
CREATE INDEX by_customer ON orders (customer, day);
CREATE INDEX by_product ON orders (product);
CREATE TABLE report AS
    SELECT product, region, day / 30 AS month, count(*) AS orders, sum(quantity * price) AS revenue
    FROM orders GROUP BY product, region, month;
SELECT count(*), sum(revenue) FROM report;
SELECT region, sum(revenue) FROM report GROUP BY region ORDER BY 2 DESC;
SELECT count(*) FROM (SELECT customer, count(*) AS n, max(day) - min(day) AS span
    FROM orders GROUP BY customer HAVING n > 3 AND span > 100);
SELECT count(*) FROM orders AS a JOIN orders AS b
    ON a.customer = b.customer AND b.day BETWEEN a.day + 1 AND a.day + 7 WHERE a.region = 'north';
SELECT note, count(*) FROM orders WHERE note LIKE '%ra%' GROUP BY note ORDER BY 2 DESC LIMIT 5;
CREATE TABLE size AS SELECT count(*) AS rows FROM orders;
DELETE FROM orders WHERE day < 90;
VACUUM;
SQL
[ "$(sqlite3 "$2" 'SELECT rows FROM size')" = "$3" ]
