"""Tables: text, spreadsheets, arrays and single cells, read and written."""
