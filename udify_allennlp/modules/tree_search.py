"""
Search for the best dependency tree in NumPy: the maximum spanning arborescence (Chu and Liu 1965,
Edmonds 1967) among those with exactly one child of ROOT, as Universal Dependencies requires, or
among all. Index 0 is ROOT, the words are 1..n; arc scores are `[batch, dependent, head]`.
"""

import numpy as np

# At or below this, an arc counts as forbidden, like -inf: a fill value such as the smallest
# float32 would swallow every real score that is added to it.
FORBIDDEN = -1e30


def best_heads(scores: np.ndarray, mask: np.ndarray, single_root: bool = True) -> np.ndarray:
    """
    Returns the heads of `best_trees`, int64 `(batch, n + 1)`, for the same arguments as arrays.

    # Raises

    `ValueError` if shapes do not match, or if a score of a real arc is NaN or +inf.
    """
    batch, length = mask.shape
    if scores.shape != (batch, length, length):
        raise ValueError(
            f"arc_scores has shape {scores.shape}, but a mask of shape {(batch, length)} needs "
            f"{(batch, length, length)}."
        )
    words = mask.astype(bool)
    words[:, 0] = False
    scores = np.where(possible_arcs(words), scores, -np.inf)
    bad = (np.isnan(scores) | (scores == np.inf)).any((1, 2))
    if bad.any():
        raise ValueError(
            f"arc_scores has NaN or +inf at sentences {np.flatnonzero(bad).tolist()} of the batch, "
            "so no tree is best. Look for a loss that became NaN, or for an overflow in float16."
        )
    # A word whose heads are all at -inf gets ROOT, the first of equals, never a masked head.
    heads = scores.argmax(2) * words
    # Heads chosen one by one cannot be beaten, so where they form a tree it is the best one.
    search = _best_tree if single_root else _best_tree_of_many_roots
    for sentence in np.flatnonzero(~_are_trees(heads, words, single_root)):
        index = np.concatenate([[0], np.flatnonzero(words[sentence])])
        chosen = scores[sentence][np.ix_(index, index)].astype(np.float64)
        heads[sentence, index] = index[search(chosen)]
    return heads


def possible_arcs(words: np.ndarray) -> np.ndarray:
    """
    Returns the arcs from ROOT and from words to other words, `(batch, n + 1, n + 1)`, given a mask
    of the words, `(batch, n + 1)`.
    """
    heads = words.copy()
    heads[:, 0] = True
    return words[:, :, None] & heads[:, None, :] & ~np.eye(words.shape[1], dtype=bool)


def _are_trees(heads: np.ndarray, words: np.ndarray, single_root: bool) -> np.ndarray:
    """
    Returns a mask, `(batch,)`, of the sentences whose heads `(batch, n + 1)` form a tree of that
    kind.
    """
    ancestors = heads
    # Pointer doubling: after k rounds, the ancestor 2^k arcs up; ROOT is its own head here.
    for _ in range(heads.shape[1].bit_length()):
        ancestors = np.take_along_axis(ancestors, ancestors, 1)
    trees = (ancestors == 0).all(1)
    if single_root:
        trees &= ((heads == 0) & words).sum(1) == words.any(1)
    return trees


def _best_tree(scores: np.ndarray) -> np.ndarray:
    """
    Heads `(n + 1,)` of the best single-root tree, for float64 `scores` `(n + 1, n + 1)` of at
    least one word. The diagonal and row 0 are not read. Dense, O(n^2), without recursion.

    Every arc of ROOT has the same penalty, larger than any gain, so that trees with one child of
    ROOT are preferred. In Edmonds' algorithm this means that a node takes an arc of ROOT only when
    no other node is left. So we follow best heads from word to word and contract each cycle as it
    closes, until one node holds all words; then the best arc of ROOT enters it. The penalty itself
    never appears, so it costs no precision.
    """
    n = len(scores) - 1
    scores = _replace_forbidden(scores)
    np.fill_diagonal(scores, -np.inf)
    # A slot is a row and a column of `scores`, and holds a node: at first a word, later a
    # contracted cycle, numbered n + 1, n + 2, ... in a slot of one of its members.
    # Between slots d and h, scores[d, h] belongs to the arc heads[d, h] -> dependents[d, h].
    arcs = np.indices(scores.shape)
    dependents, heads = arcs[0], arcs[1]
    node = np.arange(n + 1)
    parent = np.zeros(2 * n + 1, dtype=np.int64)  # the cycle a node was contracted into
    entering = np.zeros((2 * n + 1, 2), dtype=np.int64)  # a node's chosen (dependent, head)
    best = np.zeros(n + 1)  # the score of that choice, by slot
    position = np.full(n + 1, -1)  # of a slot in `path`
    path = [1]
    position[1] = 0
    num_nodes, num_slots = n + 1, n
    while num_slots > 1:
        slot = path[-1]
        head = int(scores[slot, 1:].argmax()) + 1
        best[slot] = scores[slot, head]
        entering[node[slot]] = dependents[slot, head], heads[slot, head]
        if position[head] < 0:
            position[head] = len(path)
            path.append(head)
            continue
        cycle = np.array(path[position[head] :])
        # An arc into the cycle replaces one arc of it.
        gains = scores[cycle] - best[cycle, None]
        choice, every = gains.argmax(0), np.arange(n + 1)
        dependents[head] = dependents[cycle[choice], every]
        heads[head] = heads[cycle[choice], every]
        scores[head] = gains[choice, every]
        choice = scores[:, cycle].argmax(1)
        dependents[:, head] = dependents[every, cycle[choice]]
        heads[:, head] = heads[every, cycle[choice]]
        scores[:, head] = scores[every, cycle[choice]]
        scores[:, cycle[1:]] = -np.inf
        scores[head, head] = -np.inf
        parent[node[cycle]] = num_nodes
        node[head] = num_nodes
        num_nodes += 1
        num_slots -= len(cycle) - 1
        del path[position[head] + 1 :]
        position[cycle[1:]] = -1
    entering[node[path[0]]] = dependents[path[0], 0], 0
    # Open the cycles, newest first: the arc that enters a cycle enters all the nodes around its
    # dependent, and takes the place of their own choices. One that an outer cycle has opened on
    # the way is done: passing it by keeps this linear.
    is_open = np.zeros(num_nodes, dtype=bool)
    for top in range(num_nodes - 1, n, -1):
        inner = entering[top, 0]
        while not is_open[top] and inner != top:
            entering[inner] = entering[top]
            is_open[inner] = True
            inner = parent[inner]
    return np.concatenate([[0], entering[1 : n + 1, 1]])


def _best_tree_of_many_roots(scores: np.ndarray) -> np.ndarray:
    """
    Searches like `_best_tree`, with any number of children of ROOT: an additional node before the
    words takes its arcs, and is its one child.
    """
    n = len(scores) - 1
    with_node = np.full((n + 2, n + 2), -np.inf)
    with_node[1, 0] = 0.0
    with_node[2:, 1:] = scores[1:]
    heads = _best_tree(with_node)[1:] - 1
    heads[0] = 0
    return heads


def _replace_forbidden(scores: np.ndarray) -> np.ndarray:
    """Returns a copy with forbidden arcs so low that a tree has as few of them as possible."""
    n = len(scores) - 1
    arcs = ~np.eye(n + 1, dtype=bool)
    arcs[0] = False
    allowed = scores[arcs & (scores > FORBIDDEN)]
    if len(allowed) == 0:
        return np.zeros_like(scores)
    low, high = allowed.min(), allowed.max()
    return np.where(scores > FORBIDDEN, scores, low - (n + 1) * (high - low) - 1)
