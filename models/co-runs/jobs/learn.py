"""Fits a random forest and clusters the same data, on two threads. Usage: learn.py SAMPLES TREES CLUSTER_ROUNDS

Ends with an error if the forest is not clearly better than guessing among its five classes.
"""

import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

samples, trees, rounds = (int(argument) for argument in sys.argv[1:4])
x, y = make_classification(
    n_samples=samples, n_features=40, n_informative=15, n_redundant=10, n_classes=5, random_state=3
)
x = x.astype(np.float32)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=3)
forest = RandomForestClassifier(n_estimators=trees, n_jobs=2, random_state=3).fit(x_train, y_train)
right = forest.score(x_test, y_test)
print("accuracy", right, flush=True)
clusters = KMeans(n_clusters=24, n_init=rounds, max_iter=40, tol=0, random_state=3).fit(x)
print("inertia", clusters.inertia_)
if right < 0.6:
    sys.exit("the forest is too poor")
