//! From a letter with a mark to the letters that American tables write for it.

/// U+00C0 to U+024F, one sign each: a letter, a digit that stands for two letters (see [`pair`]), or `.` for none.
const LATIN: &[u8; 400] = b"\
AAAAAA2CEEEEIIIIDNOOOOO.OUUUUY41AAAAAA2CEEEEIIIIDNOOOOO.OUUUUY4Y\
AAAAAACCCCCCCCDDDDEEEEEEEEEEGGGGGGGGHHHHIIIIIIIIII55JJKKKLLLLLLL\
LLLNNNNNNNNNOOOOOO33RRRRRRSSSSSSSSTTTTTTUUUUUUUUUUUUWWYYYZZZZZZS\
.B........D....A..F.....KK......OO.............UU..YYZZ.........\
....666......AAIIOOUUUUUUUUUU.AAAA22GGGGKKOOOO..J...GG..NNAA22OO\
AAAAEEEEIIIIOOOORRRRUUUUSSTT..HH......AAEEOOOOOOOOYY............\
................";

/// U+1E00 to U+1EFF, where Vietnamese lives.
const ADDITIONAL: &[u8; 256] = b"\
AABBBBBBCCDDDDDDDDDDEEEEEEEEEEFFGGHHHHHHHHHHIIIIKKKKKKLLLLLLLLMM\
MMMMNNNNNNNNOOOOOOOOPPPPRRRRRRRRSSSSSSSSSSTTTTTTTTUUUUUUUUUUVVVV\
WWWWWWWWWWXXXXYYZZZZZZHTWY.S..1.AAAAAAAAAAAAAAAAAAAAAAAAEEEEEEEE\
EEEEEEEEIIIIOOOOOOOOOOOOOOOOOOOOOOOOUUUUUUUUUUUUUUYYYYYYYY......";

/// The capital letters that stand for a letter outside ASCII, or nothing where it is not of the Latin script.
pub(crate) fn fold(letter: char) -> Option<&'static [u8]> {
    let code = letter as usize;
    let sign = match code {
        0xC0..=0x24F => LATIN.get(code - 0xC0..=code - 0xC0),
        0x1E00..=0x1EFF => ADDITIONAL.get(code - 0x1E00..=code - 0x1E00),
        // Schwa of Azerbaijani, which its American bearers write as A.
        0x259 => Some(b"A".as_slice()),
        _ => None,
    }?;
    match sign {
        [b'.'] => None,
        [digit @ b'1'..=b'6'] => Some(pair(*digit)),
        _ => Some(sign),
    }
}

fn pair(digit: u8) -> &'static [u8] {
    match digit {
        b'1' => b"SS",
        b'2' => b"AE",
        b'3' => b"OE",
        b'4' => b"TH",
        b'5' => b"IJ",
        _ => b"DZ",
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn letters_with_marks_lose_them() {
        for (letters, plain) in [
            ("éÈêëęě", "E"),
            ("ñńňŋ", "N"),
            ("øöóôõőơờ", "O"),
            ("łĺľ", "L"),
            ("đðď", "D"),
            ("ßẞ", "SS"),
            ("æǽ", "AE"),
            ("œ", "OE"),
            ("þ", "TH"),
            ("şșš", "S"),
            ("ıİíĩ", "I"),
            ("ễệế", "E"),
            ("ữự", "U"),
            ("ə", "A"),
        ] {
            for letter in letters.chars() {
                assert_eq!(fold(letter), Some(plain.as_bytes()), "{letter}");
            }
        }
        for other in "×÷ЖИ李ا".chars() {
            assert_eq!(fold(other), None, "{other}");
        }
    }
}
