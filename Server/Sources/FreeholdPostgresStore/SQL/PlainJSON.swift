#if PostgreSQL
    internal import FreeholdBSON
    internal import FreeholdEngine

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// Documents as plain JSON, for programs that read them with SQL.
    ///
    /// | Value | JSON |
    /// |---|---|
    /// | dates | ISO 8601 in UTC, with milliseconds |
    /// | ids and UUIDs | text |
    /// | decimals | text |
    /// | bytes | base64 |
    /// | NaN and infinite numbers | `"NaN"`, `"Infinity"`, `"-Infinity"` |
    /// | NUL in a text | U+FFFD, because `jsonb` can't store NUL |
    enum PlainJSON {
        /// The maximum number of bytes of the JSON of an object. The JSON of a larger object contains only its `_id`. PostgreSQL stores at most 256
        /// MiB in a `jsonb`, and an array of one-digit numbers takes eight times as many bytes as `jsonb`.
        static let mostBytes = 16 << 20

        /// Returns the JSON of a document.
        ///
        /// - Complexity: O(size of the document)
        static func text(_ document: BSONDocument) -> [UInt8] {
            var bytes: [UInt8] = []
            append(document, to: &bytes)
            guard bytes.count > mostBytes else { return bytes }
            bytes = []
            append(BSONDocument(document.filter { $0.key == "_id" }), to: &bytes)
            return bytes
        }

        /// Returns the JSON of an array.
        static func array(_ values: [BSONValue]) -> [UInt8] {
            var bytes: [UInt8] = []
            append(.array(values), to: &bytes)
            return bytes
        }

        private static func append(_ document: BSONDocument, to bytes: inout [UInt8]) {
            bytes.append(UInt8(ascii: "{"))
            for (index, (key, value)) in document.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(text: key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(value, to: &bytes)
                // The JSON is too long already, and isn't used.
                guard bytes.count <= mostBytes else { return }
            }
            bytes.append(UInt8(ascii: "}"))
        }

        private static func append(_ value: BSONValue, to bytes: inout [UInt8]) {
            func raw(_ text: some CustomStringConvertible) { bytes.append(contentsOf: text.description.utf8) }
            switch value {
            case .null, .undefined, .minKey, .maxKey: raw("null")
            case .bool(let value): raw(value)
            case .int32(let value): raw(value)
            case .int64(let value): raw(value)
            case .double(let value):
                if value.isNaN {
                    raw("\"NaN\"")
                } else if value.isInfinite {
                    raw(value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
                } else {
                    raw(value)
                }
            case .decimal128(let value): append(text: value.description, to: &bytes)
            case .string(let text), .symbol(let text), .javaScript(let text): append(text: text, to: &bytes)
            case .objectId(let id): append(text: id.description, to: &bytes)
            case .datetime(let date): append(text: PlainDate.text(date.milliseconds), to: &bytes)
            case .binary(let binary):
                if let uuid = binary.uuid {
                    append(text: uuid.uuidString.lowercased(), to: &bytes)
                } else {
                    append(text: Data(binary.bytes).base64EncodedString(), to: &bytes)
                }
            case .array(let values):
                bytes.append(UInt8(ascii: "["))
                for (index, value) in values.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    append(value, to: &bytes)
                    guard bytes.count <= mostBytes else { return }
                }
                bytes.append(UInt8(ascii: "]"))
            case .document(let document): append(document, to: &bytes)
            // Values of these types aren't stored by sync.
            case .regex, .dbPointer, .javaScriptWithScope, .timestamp: raw("null")
            }
        }

        private static func append(text: String, to bytes: inout [UInt8]) {
            let hex = Array("0123456789abcdef".utf8)
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case 0: bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
                case 1..<0x20:
                    bytes.append(contentsOf: Array("\\u00".utf8))
                    bytes.append(contentsOf: [hex[Int(byte >> 4)], hex[Int(byte & 15)]])
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Dates as texts in the proleptic Gregorian calendar, in UTC.
    enum PlainDate {
        /// Returns a text like `2012-12-24T12:15:30.501Z`. A year after 9999 or before 0 has a sign and at least six digits.
        static func text(_ milliseconds: Int64) -> String {
            let day: Int64 = 86_400_000
            let rest = (milliseconds % day + day) % day
            // The number of days since 0000-03-01. In years that begin in March, the leap day is the last day.
            let days = milliseconds / day - (milliseconds % day < 0 ? 1 : 0) + 719_468
            let era = (days >= 0 ? days : days - 146_096) / 146_097
            let dayOfEra = days - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shifted = (5 * dayOfYear + 2) / 153
            let month = shifted < 10 ? shifted + 3 : shifted - 9
            let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
            let date = "\(yearText(year))-\(digits(month, 2))-\(digits(dayOfYear - (153 * shifted + 2) / 5 + 1, 2))"
            let time = "\(digits(rest / 3_600_000, 2)):\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1_000 % 60, 2))"
            return "\(date)T\(time).\(digits(rest % 1_000, 3))Z"
        }

        private static func yearText(_ year: Int64) -> String {
            0...9_999 ~= year ? digits(year, 4) : (year < 0 ? "-" : "+") + digits(abs(year), 6)
        }

        private static func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
    }
#endif
