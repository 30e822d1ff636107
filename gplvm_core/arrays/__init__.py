"""Floor 0: arrays of PyTorch and CuPy, on which NumPy's functions work where the data are.

Kernels and statistics are written for NumPy. `DeviceArray` lets the same code work on the arrays of
another library, so no kernel knows that there are other libraries.
"""

from gplvm_core.arrays.device_array import DeviceArray, on_host
from gplvm_core.arrays.place import ArrayLibraryError, Place, to_numpy

__all__ = ["ArrayLibraryError", "DeviceArray", "Place", "on_host", "to_numpy"]
