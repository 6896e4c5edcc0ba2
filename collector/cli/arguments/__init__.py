"""Arguments, options and help of each command, one module per command.

These modules import the command line library and nothing heavy, so that help is printed at once. The action of a
command is in the module of the same name in the parent folder, which is imported when the command runs.
"""
