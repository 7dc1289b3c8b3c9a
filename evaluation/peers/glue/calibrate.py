"""Calibrates a camera by mrcal, without regularization and without rejection of outliers.

Reads JSON of package peers from standard input and writes JSON to standard output.
"""

import json
import sys

import mrcal
import numpy as np

problem = json.load(sys.stdin)
width, height = problem["Width"], problem["Height"]
columns, rows = problem["Columns"], problem["Rows"]
seen = np.array(problem["Views"], dtype=float).reshape(-1, rows, columns, 2)
views = len(seen)
observations = np.concatenate((seen, np.ones(seen.shape[:3] + (1,))), axis=-1)
indices = np.zeros((views, 3), dtype=np.int32)
indices[:, 0] = np.arange(views)
indices[:, 2] = -1

# From a pinhole, as package calibrate's best start is.
focal = problem["Focal"]
pinhole = np.array((focal, focal, (width - 1) / 2, (height - 1) / 2))
poses = mrcal.estimate_monocular_calobject_poses_Rt_tocam(
    indices[:, :2].copy(), observations, 1.0, [("LENSMODEL_PINHOLE", pinhole)]
)
inputs = dict(
    intrinsics=pinhole[np.newaxis],
    extrinsics_rt_fromref=np.zeros((0, 6)),
    frames_rt_toref=mrcal.rt_from_Rt(poses),
    points=None,
    observations_board=observations,
    indices_frame_camintrinsics_camextrinsics=indices,
    observations_point=None,
    indices_point_camintrinsics_camextrinsics=None,
    lensmodel="LENSMODEL_PINHOLE",
    imagersizes=np.array(((width, height),), dtype=np.int32),
    calobject_warp=None,
    calibration_object_spacing=1.0,
    do_optimize_intrinsics_core=True,
    do_optimize_intrinsics_distortions=True,
    do_optimize_extrinsics=True,
    do_optimize_frames=True,
    do_optimize_calobject_warp=False,
    do_apply_outlier_rejection=False,
    do_apply_regularization=False,
    verbose=False,
)
mrcal.optimize(**inputs)
# With more and more coefficients, as 8 lead astray from the start.
for coefficients in sorted({5, problem["Coefficients"]}):
    inputs["lensmodel"] = "LENSMODEL_OPENCV%d" % coefficients
    fields = inputs["intrinsics"][0]
    inputs["intrinsics"] = np.concatenate((fields, np.zeros(4 + coefficients - len(fields))))[np.newaxis]
    for _ in range(5):
        stats = mrcal.optimize(**inputs)

fitted = mrcal.cameramodel(optimization_inputs=inputs, icam_intrinsics=0)
rays = mrcal.unproject(np.array(problem["Places"], dtype=float), *fitted.intrinsics())
uncertainty = mrcal.projection_uncertainty(rays, fitted, atinfinity=True, what="worstdirection-stdev")
json.dump(
    dict(
        # mrcal's is that of a coordinate.
        RMS=stats["rms_reproj_error__pixels"] * 2**0.5,
        Fields=list(inputs["intrinsics"][0]),
        Uncertainty=list(uncertainty[np.isfinite(uncertainty)]),
    ),
    sys.stdout,
)
