"""The memory limit of control groups, in each of the forms in which kernels and containers show them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tracegrade.collector.system.cgroup import read_memory_limit

GIB = 2**30
UNLIMITED = "9223372036854771712"
VERSION_2 = "30 23 0:26 {root} {mount} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
VERSION_1 = "35 31 0:32 {root} {mount} rw,relatime shared:12 - cgroup cgroup rw,memory"
OTHERS = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct"


def limit_of(folder: Path, *, groups: str, mount: str, files: Mapping[str, str], root: str = "/") -> int | None:
    """What a process sees that is in `groups`, where a hierarchy is mounted that has `files` below its mount point."""
    proc, mounted = folder / "proc", folder / "cgroup"
    for path in (proc, mounted):
        path.mkdir()
    (proc / "cgroup").write_text(f"{groups}\n")
    (proc / "mountinfo").write_text(f"{OTHERS}\n{mount.format(root=root, mount=mounted)}\n")
    for name, text in files.items():
        (mounted / name).parent.mkdir(parents=True, exist_ok=True)
        (mounted / name).write_text(f"{text}\n")
    return read_memory_limit(proc)


def test_the_group_of_a_unit_limits_it(tmp_path: Path) -> None:
    files = {"system.slice/tracegrade.service/memory.max": str(3 * GIB)}
    assert limit_of(tmp_path, groups="0::/system.slice/tracegrade.service", mount=VERSION_2, files=files) == 3 * GIB


def test_a_unit_may_use_what_it_is_slowed_down_beyond(tmp_path: Path) -> None:
    files = {"a.service/memory.max": str(3 * GIB), "a.service/memory.high": str(2 * GIB)}
    assert limit_of(tmp_path, groups="0::/a.service", mount=VERSION_2, files=files) == 2 * GIB


def test_a_group_above_limits_what_is_below_it(tmp_path: Path) -> None:
    files = {"pod/memory.max": str(GIB), "pod/one/memory.max": "max", "pod/one/two/memory.max": str(2 * GIB)}
    assert limit_of(tmp_path, groups="0::/pod/one/two", mount=VERSION_2, files=files) == GIB


def test_inside_a_container_the_mounted_group_is_its_own(tmp_path: Path) -> None:
    assert limit_of(tmp_path, groups="0::/", mount=VERSION_2, files={"memory.max": str(2 * GIB)}) == 2 * GIB


def test_version_1_limits_by_the_hierarchy_of_memory(tmp_path: Path) -> None:
    groups = "8:pids:/\n4:memory:/docker/abc\n3:cpuset:/docker/abc\n0::/"
    files = {"memory.limit_in_bytes": UNLIMITED, "docker/abc/memory.limit_in_bytes": str(GIB)}
    assert limit_of(tmp_path, groups=groups, mount=VERSION_1, files=files) == GIB


def test_version_1_in_a_container_that_sees_the_path_of_its_host(tmp_path: Path) -> None:
    files = {"memory.limit_in_bytes": str(GIB), "inner/memory.limit_in_bytes": str(GIB // 2)}
    limit = limit_of(tmp_path, groups="4:memory:/docker/abc/inner", mount=VERSION_1, files=files, root="/docker/abc")
    assert limit == GIB // 2


@pytest.mark.parametrize("path", ["/../other", "/elsewhere/abc"])
def test_a_group_outside_of_what_is_mounted_is_known_by_the_mounted_one(tmp_path: Path, path: str) -> None:
    files = {"memory.max": str(GIB)}
    assert limit_of(tmp_path, groups=f"0::{path}", mount=VERSION_2, files=files, root="/docker") == GIB


def test_a_mount_point_with_a_space_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "my folder"
    folder.mkdir()
    mount = VERSION_2.replace("{mount}", str(folder / "cgroup").replace(" ", "\\040"))
    assert limit_of(folder, groups="0::/", mount=mount, files={"memory.max": str(GIB)}) == GIB


def test_no_group_with_a_limit_limits_nothing(tmp_path: Path) -> None:
    assert limit_of(tmp_path, groups="0::/a", mount=VERSION_2, files={"a/memory.max": "max"}) is None


def test_without_control_groups_nothing_is_limited(tmp_path: Path) -> None:
    assert read_memory_limit(tmp_path / "no_linux") is None
