"""The overview: is something wrong, since when, and where?"""
