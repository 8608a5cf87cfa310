assert 0 < 3
