"""Tables that need not fit into memory: reading files in parts, and finding tables in opened
folders.
"""
