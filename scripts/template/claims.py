"""What docs/{level}/{topic}/{slug}.md claims, proven beyond the example shown."""

import pytest

from warmup.testing import load_snippet

{variable} = load_snippet("{level}/{topic}/{file}")


class {test_class}:
    def test_todo_named_as_the_claim_that_it_proves(self):
        pytest.fail("TODO: prove what the page says, beyond the example shown, with {variable}")
