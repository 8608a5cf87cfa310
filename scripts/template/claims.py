

class {test_class}:
    def test_todo_named_as_the_claim_that_it_proves(self):
        {variable} = load_snippet("{level}/{topic}/{file}")
        pytest.fail(f"TODO: prove what the page says, beyond the example shown, with {{{variable}}}")
