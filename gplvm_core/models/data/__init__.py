"""Units and checks: what a user gives, as a layer takes it."""
