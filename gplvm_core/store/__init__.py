"""Level 7: models on disk, one file per model, without pickle; a library is a folder of models."""

from gplvm_core.lazy import attached

# Names are imported when they are first used, from where __init__.pyi says: whoever needs the
# readers alone, such as the subprocess that reads a file, does not wait for the models.
__getattr__, __dir__, __all__ = attached(__name__, __file__)
