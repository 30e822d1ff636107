"""Level 0: arrays of PyTorch and CuPy, on which NumPy's functions run on the data's device.

Kernels and statistics are written for NumPy. `DeviceArray` runs the same code on arrays of another
library, so kernels need no code for other libraries.
"""

from gplvm_core.arrays.device_array import DeviceArray, on_host
from gplvm_core.arrays.place import ArrayLibraryError, Place, to_numpy

__all__ = ["ArrayLibraryError", "DeviceArray", "Place", "on_host", "to_numpy"]
