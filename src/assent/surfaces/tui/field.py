"""A field of one line that a person types into."""

from dataclasses import dataclass, replace

from assent.engine.base import characters


@dataclass(frozen=True, slots=True)
class TextField:
    """A text and the position of its cursor."""

    text: str = ""
    cursor: int = 0

    @classmethod
    def with_cursor_at_end(cls, text: str) -> "TextField":
        """A field with a text, and the cursor at its end."""
        return cls(text, len(text))

    def after_key(self, key: str, character: str | None) -> "TextField":
        """The field after a key press; keys that do not edit do not change the field."""
        match key:
            case "left":
                return replace(self, cursor=max(0, self.cursor - 1))
            case "right":
                return replace(self, cursor=min(len(self.text), self.cursor + 1))
            case "home" | "ctrl+a":
                return replace(self, cursor=0)
            case "end" | "ctrl+e":
                return replace(self, cursor=len(self.text))
            case "backspace" if self.cursor:
                return TextField(self.text[: self.cursor - 1] + self.text[self.cursor :], self.cursor - 1)
            case "delete":
                return replace(self, text=self.text[: self.cursor] + self.text[self.cursor + 1 :])
            case "ctrl+u":
                return TextField(self.text[self.cursor :], 0)
            case _:
                return self.with_inserted_text(character) if character and character.isprintable() else self

    def with_inserted_text(self, text: str) -> "TextField":
        """The field with a text inserted at the cursor, without line breaks and hidden characters."""
        new = characters.to_visible(" ".join(text.splitlines()))
        return TextField(self.text[: self.cursor] + new + self.text[self.cursor :], self.cursor + len(new))
