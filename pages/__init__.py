"""The pages of the app, one short file per page.

This folder is a package, so that no installed package named `pages` takes precedence."""
