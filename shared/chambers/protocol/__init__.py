"""What goes over the wire: subjects, statements and their bytes, frames, requests, replies and refusals."""
