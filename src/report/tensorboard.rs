//! Event files that TensorBoard reads.
//!
//! The file is a sequence of TFRecords (tensorflow: `tensorflow/core/lib/io/record_writer.h`): the length as 8 bytes
//! little-endian, its masked CRC-32C, the content, its masked CRC-32C. Each content is an `Event` in protobuf's wire
//! format (tensorflow: `tensorflow/core/util/event.proto`, `tensorflow/core/framework/summary.proto`). Of these
//! messages only the fields of plain numbers over steps are written:
//!
//! ```text
//! Event   { wall_time: double = 1; step: int64 = 2; file_version: string = 3; summary: Summary = 5 }
//! Summary { value: repeated Value = 1 }
//! Value   { tag: string = 1; simple_value: float = 2 }
//! ```

/// The first event's text; readers go by the number.
const FILE_VERSION: &str = "brain.Event:2";

/// Castagnoli's polynomial, lowest bit first (RFC 3720, appendix B.4).
const CASTAGNOLI: u32 = 0x82f6_3b78;

/// What a masked checksum is moved by.
const MASK_DELTA: u32 = 0xa282_ead8;

/// A number at a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Scalar {
    /// The curve's name; what stands before a `/` groups curves.
    pub tag: String,
    /// Where on the curve.
    pub step: i64,
    /// When it was measured, in seconds since 1970 (UTC).
    pub wall_time: f64,
    /// How much.
    pub value: f32,
}

/// A whole event file with these scalars in their order; the same scalars give the same bytes. TensorBoard takes a file
/// for an event file if its name contains `tfevents`.
pub fn encode(scalars: &[Scalar]) -> Vec<u8> {
    let begun = scalars.first().map_or(0.0, |scalar| scalar.wall_time);
    let mut file = record(&version_event(begun));
    scalars.iter().for_each(|scalar| file.extend(record(&scalar_event(scalar))));
    file
}

fn version_event(wall_time: f64) -> Vec<u8> {
    [double(1, wall_time), bytes(3, FILE_VERSION.as_bytes())].concat()
}

fn scalar_event(scalar: &Scalar) -> Vec<u8> {
    let value = [bytes(1, scalar.tag.as_bytes()), float(2, scalar.value)].concat();
    let summary = bytes(1, &value);
    [double(1, scalar.wall_time), int64(2, scalar.step), bytes(5, &summary)].concat()
}

/// A TFRecord.
fn record(content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u64).to_le_bytes();
    [&length[..], &masked_crc(&length).to_le_bytes(), content, &masked_crc(content).to_le_bytes()].concat()
}

/// A field's number with how its value is written: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes.
fn key(field: u64, wire_type: u64) -> Vec<u8> {
    varint(field << 3 | wire_type)
}

/// Seven bits a byte, lowest first; all bytes but the last have the top bit.
fn varint(mut value: u64) -> Vec<u8> {
    let mut written = Vec::new();
    while value >= 0x80 {
        written.push(value as u8 | 0x80);
        value >>= 7;
    }
    written.push(value as u8);
    written
}

fn int64(field: u64, value: i64) -> Vec<u8> {
    [key(field, 0), varint(value as u64)].concat()
}

fn double(field: u64, value: f64) -> Vec<u8> {
    [&key(field, 1)[..], &value.to_le_bytes()].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [&key(field, 2)[..], &varint(value.len() as u64), value].concat()
}

fn float(field: u64, value: f32) -> Vec<u8> {
    [&key(field, 5)[..], &value.to_le_bytes()].concat()
}

/// The checksum as TFRecords have it, so that a checksum of data with checksums in them stays good.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c(data).rotate_right(15).wrapping_add(MASK_DELTA)
}

fn crc32c(data: &[u8]) -> u32 {
    let shifted = |crc: u32| crc >> 1 ^ if crc & 1 == 1 { CASTAGNOLI } else { 0 };
    !data.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| shifted(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of a message: its number and its value, numbers as their bits.
    #[derive(PartialEq, Debug)]
    enum Field<'a> {
        Number(u64, u64),
        Bytes(u64, &'a [u8]),
    }

    fn scalar(tag: &str, step: i64, wall_time: f64, value: f32) -> Scalar {
        Scalar { tag: tag.to_string(), step, wall_time, value }
    }

    fn take<'a>(data: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = data.split_at(count);
        *data = rest;
        taken
    }

    fn little_endian(bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn take_varint(data: &mut &[u8]) -> u64 {
        let length = 1 + data.iter().position(|byte| byte & 0x80 == 0).expect("a last byte");
        take(data, length).iter().rev().fold(0, |number, &byte| number << 7 | u64::from(byte & 0x7f))
    }

    fn parse(mut message: &[u8]) -> Vec<Field<'_>> {
        let mut fields = Vec::new();
        while !message.is_empty() {
            let key = take_varint(&mut message);
            fields.push(match key & 7 {
                0 => Field::Number(key >> 3, take_varint(&mut message)),
                1 => Field::Number(key >> 3, little_endian(take(&mut message, 8))),
                2 => {
                    let length = take_varint(&mut message) as usize;
                    Field::Bytes(key >> 3, take(&mut message, length))
                }
                5 => Field::Number(key >> 3, little_endian(take(&mut message, 4))),
                other => panic!("wire type {other}"),
            });
        }
        fields
    }

    /// The records' contents, checksums checked by undoing the mask.
    fn contents(mut file: &[u8]) -> Vec<&[u8]> {
        let check = |data: &[u8], masked: &[u8]| {
            let plain = (little_endian(masked) as u32).wrapping_sub(0xa282_ead8);
            assert_eq!(plain.rotate_left(15), crc32c(data));
        };
        let mut found = Vec::new();
        while !file.is_empty() {
            let length = take(&mut file, 8);
            check(length, take(&mut file, 4));
            let content = take(&mut file, little_endian(length) as usize);
            check(content, take(&mut file, 4));
            found.push(content);
        }
        found
    }

    /// From the catalogue of CRC algorithms ("check" of CRC-32/ISCSI) and RFC 3720, appendix B.4.
    #[test]
    fn checksums_are_the_published_ones() {
        assert_eq!(crc32c(b""), 0);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
    }

    #[test]
    fn a_masked_checksum_is_turned_and_moved() {
        assert_eq!(masked_crc(b""), 0xa282_ead8);
        assert_eq!(masked_crc(b"123456789"), 0xc78a_b0e5);
    }

    /// The bytes that TensorBoard 2.21's own `RecordWriter` and protobuf messages give for these two events.
    #[test]
    fn the_bytes_are_tensorboards_own() {
        let version = [
            0x18, 0, 0, 0, 0, 0, 0, 0, // 24 bytes follow the checksum
            0xa3, 0x7f, 0x4b, 0x22, // masked checksum of the length
            0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, // field 1, eight bytes: 1.5
            0x1a, 0x0d, b'b', b'r', b'a', b'i', b'n', b'.', b'E', b'v', b'e', b'n', b't', b':', b'2', // field 3
            0x2a, 0x28, 0x64, 0x6c, // masked checksum of the content
        ];
        let elo = [
            0x1a, 0, 0, 0, 0, 0, 0, 0, // 26 bytes
            0x12, 0x9b, 0xd8, 0x2d, //
            0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, // field 1: 1.5
            0x10, 0xac, 0x02, // field 2, varint: 0b10_0101100 = 300
            0x2a, 0x0c, // field 5: a summary of 12 bytes
            0x0a, 0x0a, // its field 1: a value of 10 bytes
            0x0a, 0x03, b'e', b'l', b'o', // its field 1
            0x15, 0, 0, 0x20, 0xc0, // its field 2, four bytes: -2.5
            0x1d, 0xd4, 0xcd, 0x52,
        ];
        assert_eq!(encode(&[scalar("elo", 300, 1.5, -2.5)]), [&version[..], &elo].concat());
    }

    #[test]
    fn what_is_encoded_can_be_read() {
        let scalars = [
            scalar("loss/held_out", 0, 1.7e9, 0.0),
            scalar("fair_komi/5×5", i64::MAX, -0.25, f32::MIN_POSITIVE),
            scalar("", -1, f64::MAX, f32::INFINITY),
            scalar(&"long".repeat(100), 1, 0.0, -1.5),
        ];
        let file = encode(&scalars);
        let contents = contents(&file);
        assert_eq!(contents.len(), 1 + scalars.len());
        let begun = Field::Number(1, 1.7e9_f64.to_bits());
        assert_eq!(parse(contents[0]), [begun, Field::Bytes(3, b"brain.Event:2")]);
        for (content, scalar) in contents[1..].iter().zip(&scalars) {
            let event = parse(content);
            assert_eq!(
                event[..2],
                [Field::Number(1, scalar.wall_time.to_bits()), Field::Number(2, scalar.step as u64)]
            );
            let [Field::Bytes(5, summary)] = event[2..] else { panic!("{event:?}") };
            let [Field::Bytes(1, value)] = parse(summary)[..] else { panic!("{summary:?}") };
            let tag = Field::Bytes(1, scalar.tag.as_bytes());
            assert_eq!(parse(value), [tag, Field::Number(2, u64::from(scalar.value.to_bits()))]);
        }
    }

    #[test]
    fn a_file_without_scalars_tells_its_version_only() {
        assert_eq!(contents(&encode(&[])).len(), 1);
    }
}
