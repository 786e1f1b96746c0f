# What we use of Authlib, which ships no types of its own.
