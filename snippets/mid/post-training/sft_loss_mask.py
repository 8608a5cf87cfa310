CHAT = [("user", ["2", "+", "3"]), ("assistant", ["5"])]
CHAT += [("user", ["+", "1"]), ("assistant", ["6"])]


def render(chat: list) -> tuple[list[str], list[bool]]:
    """Tokens of a conversation, and for each whether it is in the loss."""
    tokens, trained = ["<bos>"], [False]
    for role, content in chat:
        answer = role == "assistant"
        tokens += [f"<{role}>", *content, "<end>"]
        # The header is given at generation; the end token is the model's own work.
        trained += [False] + [answer] * len(content) + [answer]
    return tokens, trained


if __name__ == "__main__":
    tokens, trained = render(CHAT)
    pairs = zip(tokens, trained, strict=True)
    labels = [token if keep else "-100" for token, keep in pairs]
    print("reads       has to predict")
    for given, target in zip(tokens[:-1], labels[1:], strict=True):  # the shift
        print(f"{given:12}{target}")
