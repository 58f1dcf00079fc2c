//! As much of protocol buffers as an ONNX file needs: numbers of variable length, texts, and messages inside messages.

/// A message being written.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A whole number.
    pub fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    /// Bytes, or a text.
    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint((field << 3) | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// A message inside.
    pub fn message(self, field: u64, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    /// One field for each of several.
    pub fn each<T>(self, all: impl IntoIterator<Item = T>, add: impl Fn(Self, T) -> Self) -> Self {
        all.into_iter().fold(self, add)
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_specification() {
        // The examples of the encoding's documentation: field 1 is 150, field 2 is "testing".
        assert_eq!(Message::default().int(1, 150).finish(), [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing").finish();
        assert_eq!(text, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        // And a message with the first of them in its field 3; below zero a number has ten bytes.
        let inside = Message::default().message(3, &Message::default().int(1, 150)).finish();
        assert_eq!(inside, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::default().int(1, -1).finish().len(), 11);
    }
}
