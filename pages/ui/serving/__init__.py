"""What stands between the network and Streamlit: who may ask, and what browsers are told."""
