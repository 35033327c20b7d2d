# The peer of rows.R: random Fourier features of the predictors and a linear model by stochastic
# gradients, one pass over the files in blocks. The bandwidth is the median distance of the first
# block, the step and the penalty are those of the smallest error on domains kept out of a first
# million of rows at most.
#   python3 tests/bench/rows-sklearn.py FOLDER COMPONENTS
import glob
import itertools
import os
import sys
import time

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

folder, components = sys.argv[1], int(sys.argv[2])
paths = sorted(glob.glob(os.path.join(folder, "part-*.csv")))
predictors = [f"x{i}" for i in range(1, 21)]


def blocks(most=None):
    seen = 0
    for path in paths:
        for data in pd.read_csv(path, chunksize=50000):
            yield data
            seen += len(data)
            if most is not None and seen >= most:
                return


def model(eta, alpha):
    return SGDRegressor(alpha=alpha, eta0=eta, learning_rate="invscaling", power_t=0.25,
                        average=True, random_state=1)


first = next(blocks())
scaler = StandardScaler().fit(first[predictors].to_numpy())
sample = scaler.transform(first[predictors].to_numpy()[:1000])
sigma = np.median(pdist(sample))
features = RBFSampler(gamma=1 / (2 * sigma**2), n_components=components, random_state=1).fit(sample)


def map_rows(data):
    # the features of RBFSampler have variance 1 / components: steps are for features of variance 1
    z = features.transform(scaler.transform(data[predictors].to_numpy()))
    return z * np.sqrt(components)


def choose():
    grid = list(itertools.product([1e-3, 3e-3, 1e-2, 3e-2], [1e-7, 1e-5]))
    models = [model(*g) for g in grid]
    held, errors = [], np.zeros(len(grid))
    for data in blocks(500000):
        out = data["domain"].str[-1] == "0"
        z = map_rows(data)
        for m in models:
            m.partial_fit(z[~out], data["y"].to_numpy()[~out])
        if len(held) < 5:
            held.append((z[out], data["y"].to_numpy()[out]))
    for i, m in enumerate(models):
        errors[i] = np.mean([np.mean((m.predict(z) - y) ** 2) for z, y in held])
    return grid[int(np.argmin(errors))]


start = time.time()
chosen = choose()
choosing = time.time() - start

start, cpu = time.time(), time.process_time()
rows, fitted = 0, model(*chosen)
for data in blocks():
    fitted.partial_fit(map_rows(data), data["y"].to_numpy())
    rows += len(data)
elapsed, cpu = time.time() - start, time.process_time() - cpu

fresh = pd.read_csv(os.path.join(folder, "fresh.csv"))
error = np.sqrt(np.mean((fitted.predict(map_rows(fresh)) - fresh["y"].to_numpy()) ** 2))
peak = [int(s.split()[1]) for s in open("/proc/self/status") if s.startswith("VmHWM")][0] / 1024
print(f"eta0 {chosen[0]:g}, alpha {chosen[1]:g}, chosen in {choosing:.1f} s")
print(f"result,sklearn {components},{rows},{elapsed:.2f},{cpu:.2f},{peak:.0f},{error:.4f}")
