"""Times: which of them meet."""

from conceptgraph_core.texts.dates import overlap


def test_times_overlap_where_they_have_a_moment_in_common():
    assert overlap((0, None), (5, None))
    assert overlap((0, 6), (5, None))
    assert not overlap((0, 5), (5, None))
    assert not overlap((9, None), (0, 9))
