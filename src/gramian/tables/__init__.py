"""Tables in files: formats, reading whole or in pieces, and writing whole or not at all.

Names are imported from the modules of this room: the command's help needs to know the formats, and
must not wait for NumPy.
"""
