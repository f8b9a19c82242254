import FreeholdEngine
import Foundation

/// A writer of rows as JSON, directly from their columns.
struct JSONObjectWriter {
    let core: RealmCore
    let options: JSONExportOptions
    var output: JSONOutput
    /// The objects that are being written, the outermost first.
    private var open: [Row] = []
    private var path: [String] = []
    /// The members by table.
    private var members: [Int: [Member]] = [:]
    /// A Boolean value that indicates whether a whole document is written, in which only embedded objects are inside
    /// other objects.
    var isDocument = false

    private struct Row: Hashable {
        let table: Int
        let key: ObjectKey
    }

    private struct Member {
        let name: String
        let column: Column
        let property: PropertyInfo
        /// The table of the property, and the links from the object to it. It has no links for a property of the object
        /// itself.
        let table: ManagedTable
        var links: [Column] = []
    }

    /// The members that the options name, after they have been resolved.
    private var chosen: [Member]?

    init(_ core: RealmCore, _ options: JSONExportOptions, output: JSONOutput) {
        self.core = core
        self.options = options
        self.output = output
    }

    mutating func object(_ table: ManagedTable, _ key: ObjectKey) throws(JSONError) {
        // Deeper objects couldn't be imported again.
        if open.count >= ValueConversion.maximumDepth {
            throw error(.tooDeep, "links are nested deeper than \(ValueConversion.maximumDepth) objects", of: table)
        }
        open.append(Row(table: table.table.id, key: key))
        output.open("{")
        let isOutermost = open.count == 1
        for member in isOutermost && options.properties != nil ? try chosenMembers(of: table) : members(of: table) {
            path.append(member.property.name)
            try write(member, key)
            path.removeLast()
        }
        output.close("}")
        open.removeLast()
    }

    private mutating func members(of table: ManagedTable) -> [Member] {
        if let known = members[table.table.id] { return known }
        var made: [Member] = []
        for property in table.info.properties {
            guard let column = table.columns[property.index] else { continue }
            let name = options.names == .swift ? property.name : property.columnName
            made.append(Member(name: name, column: column, property: property, table: table))
        }
        if options.sortsKeys { made.sort { Value.compareBytes($0.name, with: $1.name) < 0 } }
        members[table.table.id] = made
        return made
    }

    private mutating func chosenMembers(of table: ManagedTable) throws(JSONError) -> [Member] {
        if let chosen { return chosen }
        var made: [Member] = []
        for name in options.properties ?? [] { made.append(try member(name, table)) }
        if options.sortsKeys { made.sort { Value.compareBytes($0.name, with: $1.name) < 0 } }
        chosen = made
        return made
    }

    private func member(_ name: String, _ first: ManagedTable) throws(JSONError) -> Member {
        // A name in the file may contain a dot.
        let steps = first.info.index(named: name) == nil ? name.split(separator: ".").map(String.init) : [name]
        var table = first
        var links: [Column] = []
        for (i, step) in steps.enumerated() {
            guard let index = table.info.index(named: step), let column = table.columns[index] else {
                throw JSONError(
                    .unknownKey,
                    "\(table.info.className) stores no property \"\(step)\"",
                    path: name,
                    className: first.info.className
                )
            }
            if i == steps.count - 1 {
                let property = table.info.properties[index]
                return Member(name: name, column: column, property: property, table: table, links: links)
            }
            guard table.info.properties[index].isLink else {
                throw JSONError(
                    .unknownKey,
                    "\(table.info.className).\(step) isn't a link to one object",
                    path: name,
                    className: first.info.className
                )
            }
            links.append(column)
            table = table.target(of: index)
        }
        throw JSONError(.unknownKey, "a property's name is empty", className: first.info.className)
    }

    private mutating func write(_ member: Member, _ object: ObjectKey) throws(JSONError) {
        let view = core.view
        let (column, table) = (member.column, member.table)
        var key = object
        for link in member.links {
            guard let next = view.readLink(link, key) else {
                if options.writesNulls {
                    output.key(member.name)
                    output.raw("null")
                }
                return
            }
            key = next
        }
        switch column.collection {
        case .none:
            let value = view.value(column, key)
            if value.isNull && !options.writesNulls { return }
            output.key(member.name)
            try single(value, of: member, in: table)
        case .list, .set:
            output.key(member.name)
            output.open("[")
            for value in view.listValues(column, key) {
                output.next()
                try single(value, of: member, in: table)
            }
            output.close("]")
        case .dictionary:
            output.key(member.name)
            output.open("{")
            for entry in view.dictionaryEntries(column, key) {
                output.key(entry.key)
                try single(entry.value, of: member, in: table)
            }
            output.close("}")
        }
    }

    private mutating func single(_ value: Value, of member: Member, in table: ManagedTable) throws(JSONError) {
        if case .link(let key) = value {
            try link(table.target(of: member.property.index), key)
        } else if member.column.type == .mixed {
            try mixed(value)
        } else {
            scalar(value)
        }
    }

    // MARK: Links

    private enum Reference {
        case primaryKey(Value)
        case position(Int)
    }

    /// Returns the form in which a link is written, or nil if the object itself is written.
    private func reference(_ table: ManagedTable, _ key: ObjectKey) throws(JSONError) -> Reference? {
        if isDocument, !table.info.isEmbedded {
            if let column = table.table.primaryKey {
                let value = core.view.value(column, key)
                if !value.isNull { return .primaryKey(value) }
            }
            return core.view.index(of: key, in: table.table).map { .position($0) }
        }
        let isOpen = open.contains(Row(table: table.table.id, key: key))
        guard let column = table.table.primaryKey else {
            if isOpen {
                throw error(
                    .cycle,
                    "the link leads back to an object that is being written, and its class \(table.info.className) "
                        + "has no primary key to write instead",
                    of: table
                )
            }
            return nil
        }
        if options.links == .nested && !isOpen { return nil }
        let value = core.view.value(column, key)
        // An object whose primary key is null can't be distinguished from a null link.
        return value.isNull ? nil : .primaryKey(value)
    }

    private mutating func link(_ table: ManagedTable, _ key: ObjectKey) throws(JSONError) {
        switch try reference(table, key) {
        case .primaryKey(let value): scalar(value)
        case .position(let position):
            output.open("{")
            output.key("$object")
            output.raw(String(position))
            output.close("}")
        case nil: try object(table, key)
        }
    }

    // MARK: Values

    private mutating func scalar(_ value: Value) {
        switch value {
        case .null: output.raw("null")
        case .bool(let value): output.raw(value ? "true" : "false")
        case .int(let value): output.raw(String(value))
        case .float(let value): floating(value)
        case .double(let value): floating(value)
        case .string(let text): output.string(text)
        case .data(let data): output.string(data.base64EncodedString())
        case .timestamp(let moment): output.raw(options.dates.text(moment))
        case .decimal128(let value): output.string(value.stringValue)
        case .objectId(let id): output.string(id.stringValue)
        case .uuid(let id): output.string(id.uuidString)
        case .link, .objectLink, .list, .dictionary: output.raw("null")
        }
    }

    private mutating func floating<F: BinaryFloatingPoint & CustomStringConvertible>(_ value: F) {
        if value.isNaN {
            output.raw("\"NaN\"")
        } else if value.isInfinite {
            output.raw(value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        } else {
            output.raw(value.description)
        }
    }

    private mutating func mixed(_ value: Value) throws(JSONError) {
        switch value {
        case .list(let list):
            output.open("[")
            for value in list.values {
                output.next()
                try mixed(value)
            }
            output.close("]")
        case .dictionary(let dictionary):
            output.open("{")
            for entry in dictionary.entries {
                output.key(entry.key)
                try mixed(entry.value)
            }
            output.close("}")
        case .objectLink(let link): try mixedLink(link)
        default: mixedScalar(value)
        }
    }

    private mutating func mixedLink(_ link: ObjectLink) throws(JSONError) {
        guard let table = core.anyTable(id: link.tableID) else { return output.raw("null") }
        output.open("{")
        output.key("$link")
        output.open("{")
        output.key("class")
        output.string(options.names == .swift ? table.info.className : table.info.tableName)
        switch try reference(table, link.key) {
        case .primaryKey(let value):
            output.key("key")
            scalar(value)
        case .position(let position):
            output.key("object")
            output.raw(String(position))
        case nil:
            output.key("value")
            try object(table, link.key)
        }
        output.close("}")
        output.close("}")
    }

    /// Writes a value so that it is read back with the same type. See ``ExtendedJSON``.
    private mutating func mixedScalar(_ value: Value) {
        switch value {
        case .float: marked("$numberFloat", value)
        case .double(let number) where !number.isFinite: marked("$numberDouble", value)
        case .timestamp: marked("$date", value)
        case .decimal128: marked("$numberDecimal", value)
        case .objectId: marked("$oid", value)
        case .uuid: marked("$uuid", value)
        case .data(let data):
            output.open("{")
            output.key("$binary")
            output.open("{")
            output.key("base64")
            output.string(data.base64EncodedString())
            output.key("subType")
            output.string("00")
            output.close("}")
            output.close("}")
        default: scalar(value)
        }
    }

    private mutating func marked(_ tag: String, _ value: Value) {
        output.open("{")
        output.key(tag)
        scalar(value)
        output.close("}")
    }

    private func error(_ kind: JSONError.Kind, _ message: String, of table: ManagedTable) -> JSONError {
        JSONError(
            kind,
            message,
            path: path.isEmpty ? nil : path.joined(separator: "."),
            className: table.info.className
        )
    }
}
