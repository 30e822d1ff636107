"""The pages of the app, one short file per page.

It is a package, so that no installed package named `pages` takes precedence."""
