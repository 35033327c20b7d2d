"""Tuned boosting for auto.R: reads train.csv (fold, y, predictors), test.csv (predictors) and
kind.txt in the folder given; writes prediction.csv, inner.csv (the score on the folds) and
seconds.csv (elapsed, processor)."""
import itertools
import os
import sys
import time

import numpy as np
import xgboost as xgb

folder = sys.argv[1]
threads = int(sys.argv[2])
kind, metric, classes = open(os.path.join(folder, "kind.txt")).read().split()
train = np.loadtxt(os.path.join(folder, "train.csv"), delimiter=",", skiprows=1)
test = np.loadtxt(os.path.join(folder, "test.csv"), delimiter=",", skiprows=1, ndmin=2)
fold, y, X = train[:, 0].astype(int), train[:, 1], train[:, 2:]

fixed = {"nthread": threads, "tree_method": "hist", "verbosity": 0, "seed": 1}
if kind == "number":
    fixed.update(objective="reg:squarederror", eval_metric="rmse")
elif int(classes) == 2:
    fixed.update(objective="binary:logistic", eval_metric="auc" if metric == "auc" else "error")
else:
    fixed.update(objective="multi:softprob", eval_metric="merror", num_class=int(classes))
sign = -1 if metric == "auc" else 1

start, processor = time.time(), time.process_time()
data = xgb.DMatrix(X, label=y)
folds = [(np.where(fold != k)[0], np.where(fold == k)[0]) for k in np.unique(fold)]
best = (np.inf, None, 0)
for eta, depth, part in itertools.product((0.1,), (1, 3, 6), (0.6, 1.0)):
    grid = dict(fixed, eta=eta, max_depth=depth, subsample=part, colsample_bytree=part)
    curve = xgb.cv(grid, data, num_boost_round=500, folds=folds, early_stopping_rounds=25,
                   as_pandas=False)["test-" + fixed["eval_metric"] + "-mean"]
    rounds = int(np.argmin(sign * np.array(curve)))
    if sign * curve[rounds] < best[0]:
        best = (sign * curve[rounds], grid, rounds + 1)
model = xgb.train(best[1], data, num_boost_round=best[2])
values = model.predict(xgb.DMatrix(test))
if values.ndim == 2:
    values = values.argmax(axis=1)
elif kind == "class" and metric == "accuracy":
    values = (values > 0.5).astype(int)
seconds = (time.time() - start, time.process_time() - processor)
np.savetxt(os.path.join(folder, "prediction.csv"), values, fmt="%.9g")
np.savetxt(os.path.join(folder, "inner.csv"), [sign * best[0]])
np.savetxt(os.path.join(folder, "seconds.csv"), seconds, fmt="%.3f")
