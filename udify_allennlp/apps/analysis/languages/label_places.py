"""Placement of the names of points in a figure, so that none covers another name or a point."""

from collections.abc import Sequence

import numpy

Box = tuple[float, float, float, float]
"""A box: left, bottom, right, top."""
_ANGLES = numpy.deg2rad([45, 0, 315, 135, 180, 225, 90, 270, 22, 338, 158, 202, 68, 112, 248, 292])
"""Places around a point, in the order in which they are tried."""
_STEPS = 24


def label_places(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    area: Box,
    gap: float,
) -> list[Box]:
    """
    Returns the nearest free place for each label, starting with crowded points. If the area is
    full, a label is placed where it covers least.

    # Parameters

    points : `Sequence[Tuple[float, float]]`
    sizes : `Sequence[Tuple[float, float]]`
        Widths and heights of the labels.
    area : `Box`
        Area for the labels, if there is room.
    gap : `float`
        Radius of a point, minimum distance between a point and its label, and distance between the
        rings of places around it.
    """
    spots = numpy.array(points, dtype=float).reshape(-1, 2)
    distances = numpy.linalg.norm(spots[:, None] - spots[None], axis=-1)
    near = numpy.median([max(size) for size in sizes]) if len(sizes) else 0.0
    order = numpy.argsort(-(distances < near).sum(1), kind="stable")
    discs = numpy.concatenate([spots - gap / 2, spots + gap / 2], axis=1)
    taken = discs  # with the labels that have a place
    boxes: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(spots)
    for index in order.tolist():
        tried = _around(spots[index], numpy.array(sizes[index]), gap)
        cost = _covered(tried, taken) + _outside(tried, area)
        best = int(cost.argmin())  # the first, which is the nearest, of equals
        boxes[index] = tuple(tried[best].tolist())
        taken = numpy.concatenate([taken, tried[best : best + 1]])
    return boxes


def _around(spot: numpy.ndarray, size: numpy.ndarray, gap: float) -> numpy.ndarray:
    """Returns the boxes of a size around a point, `(places, 4)`, from near to far."""
    radii = gap * (1 + numpy.arange(_STEPS))
    turn = numpy.stack([numpy.cos(_ANGLES), numpy.sin(_ANGLES)], axis=1)
    middles = spot + turn * (radii[:, None, None] + size / 2)
    boxes = numpy.concatenate([middles - size / 2, middles + size / 2], axis=2)
    return boxes.reshape(-1, 4)


def _covered(boxes: numpy.ndarray, others: numpy.ndarray) -> numpy.ndarray:
    """Returns for each box the area that it shares with others."""
    low = numpy.maximum(boxes[:, None, :2], others[None, :, :2])
    high = numpy.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return numpy.clip(high - low, 0, None).prod(-1).sum(1)


def _outside(boxes: numpy.ndarray, area: Box) -> numpy.ndarray:
    whole = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    return whole - _covered(boxes, numpy.array([area]))
