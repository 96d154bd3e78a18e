"""A model that answers at once, so that a benchmark measures what is around it."""


def answer(sources: list[str]) -> list[str]:
    """The word that the text's length tells: variants that add text change the answer."""
    return [f"name{len(source) % 7}" for source in sources]
