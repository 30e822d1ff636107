"""Middleware between the network and Streamlit: access control and security headers."""
