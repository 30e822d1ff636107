"""Motion capture: BVH and C3D files, and the poses in them."""
