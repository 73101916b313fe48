"""The bus: the ports, the one adapter to NATS, the server's configuration, and how a service runs."""
