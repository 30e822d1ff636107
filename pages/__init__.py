"""The pages of the app, one thin file a page; a package, so that no other stands in its place."""
