"""The command line as a module: ``python -m conceptforest``."""

from conceptforest.cli import main

if __name__ == "__main__":
    main(prog_name="conceptforest")
