"""The pages of the app, one short file per page; a package, so that no other shadows it."""
