"""Arguments, options and help of each command, one module per command.

These modules import the command line library and nothing heavy, so that help is there at once. What a command does is
in the module of the same name one folder up, which is imported when the command runs.
"""
