"""What pages and API have in common: bounds for strangers, uploads, errors over HTTP, figures."""
