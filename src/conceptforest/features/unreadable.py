"""The one error of files that cannot be made into a picture."""

from __future__ import annotations

__all__ = ["UnreadableError"]


class UnreadableError(ValueError):
    """A file holds no picture that can be used; the text says why, for people.

    Parameters
    ----------
    reason : str
        A phrase about the file, such as ``"it is empty"``.
    lasting : bool, default=True
        Whether the content is to blame, so that trying again is in vain. A missing right to read
        the file or a lack of memory is not lasting.

    Examples
    --------
    >>> error = UnreadableError("it is empty")
    >>> str(error), error.lasting
    ('it is empty', True)
    """

    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting
