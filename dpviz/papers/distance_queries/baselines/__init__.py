"""What the mechanisms of the paper are compared with."""
