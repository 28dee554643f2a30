"""How good recall is: on LoCoMo conversations, and on sixty questions of our own."""
