"""Bodies in motion: BVH and C3D files, and poses made of them."""
