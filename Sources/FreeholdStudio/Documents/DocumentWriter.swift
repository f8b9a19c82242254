import FreeholdBSON
import FreeholdEngine
import Foundation

/// Writes the values of documents in the form in which `ValueWriter` writes those of files.
struct DocumentWriter {
    let classes: DocumentClasses
    var limits = ValueLimits.cell
    /// The names and titles of the documents that waiting edits create, by class and key.
    var waiting: [DocumentPlace: (name: String, title: String?)] = [:]
    /// The titles of linked documents, as far as they are known.
    var titles: [DocumentPlace: String] = [:]

    private var plain: ValueWriter { ValueWriter(view: classes.view, facts: classes.facts, limits: limits) }

    // MARK: Properties

    /// Writes the value of a property.
    ///
    /// - Parameter place: The document or embedded object that has the property.
    func write(_ value: BSONValue?, _ column: Column, of place: DocumentPlace, to out: inout JSONText) {
        write(value, column, of: place, depth: limits.depth, to: &out)
    }

    private func write(
        _ value: BSONValue?,
        _ column: Column,
        of place: DocumentPlace,
        depth: Int,
        to out: inout JSONText
    ) {
        let here = place.adding(DocumentClasses.field(column))
        switch column.collection {
        case .none: element(value ?? .null, column, at: here, depth: depth, to: &out)
        case .list, .set, .dictionary:
            let count = Self.count(value)
            out.plain("{\"count\":\(count),\"head\":")
            elements(value, column, at: here, in: 0..<min(count, limits.elements), depth: depth, to: &out)
            out.mark("}")
        }
    }

    func json(_ value: BSONValue?, _ column: Column, of place: DocumentPlace) -> StudioJSON {
        var out = JSONText()
        write(value, column, of: place, to: &out)
        return .raw(out.bytes)
    }

    /// Returns the number of elements of a collection.
    static func count(_ value: BSONValue?) -> Int {
        switch value {
        case .array(let elements)?: elements.count
        case .document(let document)?: document.count
        default: 0
        }
    }

    /// Writes elements of a collection as an array. Those of a map are pairs of key and value.
    ///
    /// - Parameter here: The place of the collection.
    func elements(
        _ value: BSONValue?,
        _ column: Column,
        at here: DocumentPlace,
        in range: Range<Int>,
        to out: inout JSONText
    ) { elements(value, column, at: here, in: range, depth: limits.depth, to: &out) }

    private func elements(
        _ value: BSONValue?,
        _ column: Column,
        at here: DocumentPlace,
        in range: Range<Int>,
        depth: Int,
        to out: inout JSONText
    ) {
        switch value {
        case .array(let elements)?:
            out.array(range.clamped(to: elements.indices)) { index, out in
                element(elements[index], column, at: here.adding("\(index)"), depth: depth, to: &out)
            }
        case .document(let document)?:
            out.array(range.clamped(to: 0..<document.count)) { index, out in
                let (key, value) = document[index]
                out.mark("[")
                out.string(key)
                out.mark(",")
                element(value, column, at: here.adding(key), depth: depth, to: &out)
                out.mark("]")
            }
        default: out.plain("[]")
        }
    }

    // MARK: Values

    /// Returns one value of a property, or of an element of a collection.
    func element(_ value: BSONValue, _ column: Column, at here: DocumentPlace) -> StudioJSON {
        var out = JSONText()
        element(value, column, at: here, depth: limits.depth, to: &out)
        return .raw(out.bytes)
    }

    private func element(
        _ value: BSONValue,
        _ column: Column,
        at here: DocumentPlace,
        depth: Int,
        to out: inout JSONText
    ) {
        if column.type == .mixed { return mixed(value, depth: depth, to: &out) }
        guard column.type == .link else {
            return plain.element(Self.engineValue(value, column.type) ?? .null, column, to: &out)
        }
        guard let target = classes.target(column), !value.isNull else { return out.plain("null") }
        if target.isEmbedded {
            embedded(value, target, at: here, depth: depth, to: &out)
        } else {
            link(value, target, to: &out)
        }
    }

    private func link(_ value: BSONValue, _ target: Table, to out: inout JSONText) {
        guard let key = DocumentPlace.text(ofKey: value) else { return out.plain("null") }
        let place = DocumentPlace(className: target.name, key: key)
        out.plain("{\"to\":")
        out.string(target.name)
        let title: String?
        if let created = waiting[place] {
            out.plain(",\"as\":")
            out.string(created.name)
            title = created.title
        } else {
            out.plain(",\"key\":")
            out.string(key)
            title = titles[place] ?? Self.keyTitle(value)
        }
        out.plain(",\"title\":")
        if let title { out.string(title) } else { out.plain("null") }
        out.mark("}")
    }

    /// Returns the text by which the page names a document without a title.
    static func keyTitle(_ key: BSONValue) -> String? {
        if case .string(let text) = key {
            String(text.prefix(ValueLimits.title))
        } else {
            DocumentPlace.text(ofKey: key)
        }
    }

    private func embedded(
        _ value: BSONValue,
        _ target: Table,
        at here: DocumentPlace,
        depth: Int,
        to out: inout JSONText
    ) {
        guard case .document(let document) = value else { return out.plain("null") }
        let shown = depth > 0 ? target.columns.prefix(limits.fields) : []
        out.plain("{\"of\":")
        out.string(target.name)
        out.plain(",\"key\":")
        out.string(here.text)
        out.plain(",\"fields\":")
        out.array(shown) { column, out in
            out.mark("[")
            out.string(column.name)
            out.mark(",")
            write(document[column.name], column, of: here, depth: depth - 1, to: &out)
            out.mark("]")
        }
        out.plain(",\"more\":\(target.columns.count - shown.count)}")
    }

    /// Writes a mixed value with its type. The server shows a link in a mixed value as the key of its target.
    func mixed(_ value: BSONValue, depth: Int, to out: inout JSONText) {
        switch value {
        case .array(let elements):
            out.plain("{\"is\":\"list\",\"value\":{\"count\":\(elements.count),\"head\":")
            out.array(elements.prefix(depth > 0 ? limits.elements : 0)) { mixed($0, depth: depth - 1, to: &$1) }
            out.plain("}}")
        case .document(let document):
            out.plain("{\"is\":\"map\",\"value\":{\"count\":\(document.count),\"head\":")
            out.array(document.prefix(depth > 0 ? limits.elements : 0)) { entry, out in
                out.mark("[")
                out.string(entry.key)
                out.mark(",")
                mixed(entry.value, depth: depth - 1, to: &out)
                out.mark("]")
            }
            out.plain("}}")
        default:
            let value = Self.engineValue(value) ?? .null
            out.plain("{\"is\":\"\(value.isNull ? "null" : value.type?.studioName ?? "null")\",\"value\":")
            plain.scalar(value, to: &out)
            out.mark("}")
        }
    }

    /// Returns the value of a property that is neither a link nor a collection, or `nil` if the document has another type.
    static func engineValue(_ value: BSONValue, _ type: ColumnType) -> Value? {
        switch type {
        case .int: value.asInt64().map { .int($0) }
        case .float: value.asDouble().map { .float(Float($0)) }
        case .double: value.asDouble().map { .double($0) }
        default: engineValue(value)
        }
    }

    static func engineValue(_ value: BSONValue) -> Value? {
        switch value {
        case .null, .undefined: .null
        case .bool(let flag): .bool(flag)
        case .int32(let number): .int(Int64(number))
        case .int64(let number): .int(number)
        case .double(let number): .double(number)
        case .decimal128(let number): .decimal128(number)
        case .string(let text), .symbol(let text): .string(text)
        case .objectId(let id): .objectId(id)
        case .datetime(let date): .timestamp(timestamp(date))
        case .binary(let binary): binary.uuid.map { .uuid($0) } ?? .data(binary.data)
        default: nil
        }
    }

    private static func timestamp(_ date: BSONDateTime) -> Timestamp {
        var (seconds, rest) = date.milliseconds.quotientAndRemainder(dividingBy: 1_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000) }
        return Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000)
    }

    // MARK: Text

    /// Returns a value as the text of a copied cell.
    static func text(_ value: BSONValue?) -> String {
        switch value {
        case nil: ""
        case .array?, .document?: (try? value?.extendedJSON()) ?? ""
        case let value?: engineValue(value).map { ValueText.plain($0) } ?? ""
        }
    }
}
