"""Which item a name means, by comparing it with every item."""

NONE, SEVERAL = -1, -2


def stem(base):
    head, _, ending = base.rpartition(".")
    return head if head and ending else base


def ends_in(path, end):
    return path[len(path) - len(end) :] == end


def fits(item, parts, within, anywhere):
    """Tell whether neither of two paths contradicts the other."""
    below = ends_in(item, parts) and item[: len(within)] == within
    around = len(parts) > len(item) and ends_in(parts, item)
    return below or (around and (anywhere or item[: len(within)] == within))


def find_slowly(names, name, within="", *, anywhere=True):
    """Give the place of the item that a name means."""
    parts = [part for part in name.strip().split("/") if part not in {"", "."}]
    folder = within.split("/")[:-1]
    items = [item.split("/") for item in names]
    if not parts:
        return NONE
    if anywhere and not any(item[: len(folder)] == folder for item in items):
        folder = []
    for wanted in [[*folder, *parts], *([parts] if anywhere else [])]:
        if wanted in items:
            return items.index(wanted)
    stems = [[*item[:-1], stem(item[-1])] for item in items]
    for paths, wanted in (
        (items, parts),
        (stems, parts),
        (stems, [*parts[:-1], stem(parts[-1])]),
    ):
        found = [k for k, path in enumerate(paths) if fits(path, wanted, folder, anywhere)]
        if found:
            return found[0] if len(found) == 1 else SEVERAL
    return NONE
