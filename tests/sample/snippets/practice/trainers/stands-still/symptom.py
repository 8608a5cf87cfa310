assert 0 == 0
