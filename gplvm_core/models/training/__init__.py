"""Training of any problem: phases, restarts, and runs that can be stored and resumed."""
