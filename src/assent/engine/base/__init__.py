"""Code that every other folder of the engine uses: tools and calls, facts, values, globs and lazy loading."""
