import FreeholdEngine

/// The two forms of Extended JSON v2. Both can be read.
public enum ExtendedJSONFormat: Hashable, Sendable {
    /// A form that keeps all types: `{"$numberInt": "1"}`.
    case canonical
    /// A form with plain numbers and ISO dates. It is easy to read, but integers and doubles lose their exact types.
    case relaxed
}

/// A printer that writes values as Extended JSON. It is a loop with an explicit stack.
struct ExtendedJSONPrinter {
    private(set) var text: [UInt8] = []
    private let format: ExtendedJSONFormat
    private let isPretty: Bool
    private let limits: BSONLimits
    private var containers: [Container] = []

    private struct Container {
        enum Kind {
            case document(BSONDocument)
            case array([BSONValue])
        }

        let kind: Kind
        let level: Int
        /// A Boolean value that indicates whether a wrapper around the document has to be closed after it.
        let isScope: Bool
        var next = 0
    }

    init(_ format: ExtendedJSONFormat, isPretty: Bool, _ limits: BSONLimits) {
        self.format = format
        self.isPretty = isPretty
        self.limits = limits
    }

    mutating func print(_ value: BSONValue) throws(BSONError) {
        try append(value, level: 0)
        while let container = containers.last {
            let place = container.next
            containers[containers.count - 1].next += 1
            switch container.kind {
            case .document(let document) where place < document.elements.count:
                let element = document.elements[place]
                separate(place)
                append(string: element.key)
                append(isPretty ? ": " : ":")
                try append(element.value, level: container.level)
            case .array(let values) where place < values.count:
                separate(place)
                try append(values[place], level: container.level)
            default:
                containers.removeLast()
                if place > 0 { newLine() }
                if case .array = container.kind { append("]") } else { append(container.isScope ? "}}" : "}") }
            }
        }
    }

    private mutating func separate(_ place: Int) {
        if place > 0 { append(",") }
        newLine()
    }

    private mutating func newLine() {
        guard isPretty else { return }
        append("\n")
        for _ in containers { append("  ") }
    }

    private mutating func append(_ value: BSONValue, level: Int) throws(BSONError) {
        switch value {
        case .double(let number): append(number)
        case .string(let string): append(string: string)
        case .document(let document): try open(.document(document), level: level + 1)
        case .array(let values): try open(.array(values), level: level + 1)
        case .binary(let binary):
            append(#"{"$binary":{"base64":""#)
            Base64.append(binary.bytes, to: &text)
            let subtype = String(binary.subtype.rawValue, radix: 16)
            append(#"","subType":""# + (subtype.utf8.count == 1 ? "0" : "") + subtype + #""}}"#)
        case .undefined: append(#"{"$undefined":true}"#)
        case .objectId(let id): append(#"{"$oid":""# + id.stringValue + #""}"#)
        case .bool(let flag): append(flag ? "true" : "false")
        case .datetime(let date): append(date)
        case .null: append("null")
        case .regex(let regex):
            append(#"{"$regularExpression":{"pattern":"#)
            append(string: regex.pattern)
            append(#","options":"#)
            append(string: regex.options)
            append("}}")
        case .dbPointer(let pointer):
            append(#"{"$dbPointer":{"$ref":"#)
            append(string: pointer.reference)
            append(#","$id":{"$oid":""# + pointer.id.stringValue + #""}}}"#)
        case .javaScript(let code):
            append(#"{"$code":"#)
            append(string: code)
            append("}")
        case .symbol(let symbol):
            append(#"{"$symbol":"#)
            append(string: symbol)
            append("}")
        case .javaScriptWithScope(let code):
            append(#"{"$code":"#)
            append(string: code.code)
            append(#","$scope":"#)
            try open(.document(code.scope), level: level + 2, isScope: true)
        case .int32(let number):
            format == .canonical ? append(#"{"$numberInt":""# + String(number) + #""}"#) : append(String(number))
        case .timestamp(let stamp): append(#"{"$timestamp":{"t":\#(stamp.seconds),"i":\#(stamp.increment)}}"#)
        case .int64(let number):
            format == .canonical ? append(#"{"$numberLong":""# + String(number) + #""}"#) : append(String(number))
        case .decimal128(let number): append(#"{"$numberDecimal":""# + number.exactText + #""}"#)
        case .minKey: append(#"{"$minKey":1}"#)
        case .maxKey: append(#"{"$maxKey":1}"#)
        }
    }

    private mutating func open(_ kind: Container.Kind, level: Int, isScope: Bool = false) throws(BSONError) {
        guard level <= limits.depth else {
            let path = containers.map { container in
                switch container.kind {
                case .document(let document): document.elements[container.next - 1].key
                case .array: String(container.next - 1)
                }
            }
            throw BSONError(.tooDeep, "The document is nested deeper than \(limits.depth)", path: path)
        }
        containers.append(Container(kind: kind, level: level, isScope: isScope))
        if case .array = kind { append("[") } else { append("{") }
    }

    private mutating func append(_ number: Double) {
        guard number.isFinite else {
            let name = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
            return append(#"{"$numberDouble":""# + name + #""}"#)
        }
        if format == .canonical { append(#"{"$numberDouble":""#) }
        // Swift writes the shortest digits that identify the double, always with a point or an exponent.
        for byte in number.description.utf8 { text.append(byte == UInt8(ascii: "e") ? UInt8(ascii: "E") : byte) }
        if format == .canonical { append(#""}"#) }
    }

    private mutating func append(_ date: BSONDateTime) {
        if format == .relaxed && DateText.relaxedRange.contains(date.milliseconds) {
            append(#"{"$date":""#)
            DateText.append(date.milliseconds, to: &text)
            append(#""}"#)
        } else {
            append(#"{"$date":{"$numberLong":""# + String(date.milliseconds) + #""}}"#)
        }
    }

    private mutating func append(_ plain: String) { text.append(contentsOf: plain.utf8) }

    private mutating func append(string: String) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0x20...: text.append(byte)
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            default: append((byte < 16 ? "\\u000" : "\\u00") + String(byte, radix: 16))
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
