import codecs

stream = [b"caf", b"\xc3", b"\xa9", b" \xf0\x9f", b"\x99\x82"]  # five tokens
print([token.decode(errors="replace") for token in stream])
decoder = codecs.getincrementaldecoder("utf-8")()
print([decoder.decode(token) for token in stream])
