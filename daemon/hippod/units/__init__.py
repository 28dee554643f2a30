"""Unit files of the service managers."""
