"""``python -m conceptforest.baselines`` lists every method."""

import subprocess
import sys

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.__main__ import main
from conceptforest.baselines.contract import GRADES


def test_every_method_is_listed(capsys):
    main()
    lines = capsys.readouterr().out.splitlines()
    for name, method in {**CLUSTERING, **COMPLETION}.items():
        (line,) = (one for one in lines if one.split("  ")[1:2] == [name])
        assert method.title in line
        assert f" {method.grade} " in line
        assert method.source in line
        assert all(mode in line for mode in getattr(method, "modes", ()))
        assert method.extra is None or f" {method.extra} " in line
    for grade, meaning in GRADES.items():
        assert any(grade in line and meaning in line for line in lines)


def test_it_is_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "conceptforest.baselines"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Clustering\n")
