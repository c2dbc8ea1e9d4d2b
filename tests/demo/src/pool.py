"""A pool of database connections."""


class PoolTimeoutError(Exception):
    """No connection became free within `pool_timeout` seconds."""


class Pool:
    """Lends connections and takes them back."""

    def __init__(self, size, pool_timeout=30):
        self.size = size
        self.pool_timeout = pool_timeout
        self.free = []

    def acquire(self):
        """Return a free connection, or raise PoolTimeoutError."""
        if not self.free:
            raise PoolTimeoutError(self.pool_timeout)
        return self.free.pop()

    def release(self, connection):
        """Take a connection back."""
        self.free.append(connection)
