"""Every claim that the pages of docs/{level}/{topic} make, proven beyond the example shown."""

import pytest

from warmup.testing import load_snippet
