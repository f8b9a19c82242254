internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Computes the changes of a patch's operators.
struct PatchEditor {
    let mapping: DocumentMapping
    private(set) var draft: ObjectChanges
    private(set) var ignored: [String] = []

    init(mapping: DocumentMapping, draft: ObjectChanges) {
        self.mapping = mapping
        self.draft = draft
    }

    mutating func perform(
        _ edit: DocumentPatch.Edit,
        on contents: [SyncString: MergedContent],
        of found: DocumentSchema.Class
    ) throws(DocumentMisfit) {
        let target = try PatchTarget(edit.path, in: contents, of: found, mapping.schema)
        guard target.rest.isEmpty else {
            switch edit.kind {
            case .set, .add: try fill(target, edit.value, edit.path)
            case .push, .addToSet: try fill(target, .array(try Self.elements(edit).values), edit.path)
            case .unset, .pull, .pullAll, .setOnInsert: break
            }
            return
        }
        switch edit.kind {
        case .set: try set(target, edit.value, edit.path)
        case .unset: try unset(target, edit.path)
        case .add: try add(target, edit.value, edit.path)
        case .push, .addToSet: try push(target, edit)
        case .pull, .pullAll: try pull(target, edit)
        case .setOnInsert: break
        }
    }

    private mutating func read<T>(_ body: (inout ContentReader) throws(DocumentMisfit) -> T) throws(DocumentMisfit) -> T
    {
        var reader = ContentReader(schema: mapping.schema, options: mapping.options)
        let result = try body(&reader)
        ignored += reader.ignored
        return result
    }

    // MARK: $set, $unset

    /// Creates the missing parts of a path: an embedded object, or a dictionary in a mixed value.
    private mutating func fill(_ target: PatchTarget, _ value: BSONValue, _ path: [String]) throws(DocumentMisfit) {
        var inner = value
        for key in target.rest.reversed() { inner = .document([key: inner]) }
        try set(target, inner, Array(path.dropLast(target.rest.count)))
    }

    private mutating func set(_ target: PatchTarget, _ value: BSONValue, _ path: [String]) throws(DocumentMisfit) {
        let place = draft.place(target.steps)
        if target.isNested {
            let new = try read { (reader) throws(DocumentMisfit) in try reader.mixed(value, path, 0) }
            if target.old?.looksLike(.value(new)) != true { draft.add(.set(place, new, .real)) }
            return
        }
        let column = target.column
        let content = try read { (reader) throws(DocumentMisfit) in
            target.isCollection ? try reader.content(value, column, path) : try reader.element(value, column, path, 0)
        }
        if let old = target.old, old.looksLike(content) { return }
        switch content {
        case .value, .embedded: draft.add(.set(place, draft.written(content), .real))
        case .list(let elements):
            let first = draft.numbers.take(elements.count)
            let values = elements.map { draft.written($0) }
            draft.add(.assignList(place, hidden: [], Gap(after: nil, before: nil), first: first, values))
        case .set(let elements): draft.add(.assignSet(place, hidden: [], ObjectChanges.sorted(elements)))
        case .dictionary(let entries):
            let sorted = entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: draft.written($0.value)) }
            draft.add(.assignDictionary(place, hidden: [], SyncDictionary(sorted)))
        }
    }

    private mutating func unset(_ target: PatchTarget, _ path: [String]) throws(DocumentMisfit) {
        let place = draft.place(target.steps)
        if target.isEntry {
            if target.old != nil { draft.add(.removeEntry(place)) }
            return
        }
        guard let old = target.old else { return }
        if target.isCollection {
            switch old {
            case .list(let elements): if !elements.isEmpty { draft.add(.clearList(place, hidden: [])) }
            case .set(let elements): if !elements.isEmpty { draft.add(.clearSet(place, hidden: [])) }
            case .dictionary(let entries): if !entries.isEmpty { draft.add(.clearDictionary(place, hidden: [])) }
            default: break
            }
            return
        }
        let isLink = target.column.type == .link && target.column.collection == .none
        guard target.column.isOptional || isLink else {
            throw DocumentMisfit(.missing, path, "The property isn't optional: it can't be unset.")
        }
        if old != .value(.null) { draft.add(.set(place, .null, .real)) }
    }

    // MARK: $inc

    private mutating func add(_ target: PatchTarget, _ value: BSONValue, _ path: [String]) throws(DocumentMisfit) {
        guard !target.isCollection, value.isNumber else {
            throw DocumentMisfit(.operation, path, "A number can be added to a number only.")
        }
        guard case .value(let old)? = target.old, old != .null else { return try set(target, value, path) }
        switch old {
        case .int(let number):
            guard let more = value.asInt64() else {
                guard target.isNested || target.column.type == .mixed, let more = value.asDouble() else {
                    throw DocumentMisfit(.type, path, "Whole numbers can be added to an integer, not \(value).")
                }
                return try set(target, .double(Double(number) + more), path)
            }
            guard !number.addingReportingOverflow(more).overflow else {
                throw DocumentMisfit(.limit, path, "The sum is more than an integer can hold.")
            }
            if more != 0 { draft.add(.increment(draft.place(target.steps), more)) }
        case .double(let number): try set(target, .double(number + (try double(value, path))), path)
        case .float(let number): try set(target, .double(Double(number) + (try double(value, path))), path)
        case .decimal128(let number):
            var more = Decimal128.nan
            switch value {
            case .decimal128(let value): more = value
            case .int32(let value): more = Decimal128(Int64(value))
            case .int64(let value): more = Decimal128(value)
            case .double(let value): more = Decimal128(value)
            default: break
            }
            try set(target, .decimal128(number + more), path)
        default: throw DocumentMisfit(.operation, path, "A number can be added to a number only.")
        }
    }

    private func double(_ value: BSONValue, _ path: [String]) throws(DocumentMisfit) -> Double {
        guard let number = value.asDouble() else {
            throw DocumentMisfit(.type, path, "\(value) isn't a number that a double can hold.")
        }
        return number
    }

    // MARK: $push, $addToSet

    /// Returns the elements that `$push` and `$addToSet` add, and their position.
    static func elements(_ edit: DocumentPatch.Edit) throws(DocumentMisfit) -> (values: [BSONValue], position: Int?) {
        guard case .document(let document) = edit.value, document.contains(where: { $0.key.hasPrefix("$") }) else {
            return ([edit.value], nil)
        }
        guard case .array(let values)? = document["$each"] else {
            // The document is a link: `{"$ref": …, "$id": …}`.
            if document.first?.key == "$ref" { return ([edit.value], nil) }
            throw DocumentMisfit(.operation, edit.path, "'$each' with an array is needed beside other operators.")
        }
        var position: Int?
        for (key, value) in document where key != "$each" {
            guard key == "$position", edit.kind == .push, let index = value.asInt() else {
                throw DocumentMisfit(.operation, edit.path + [key], "'\(key.prefix(40))' isn't supported here.")
            }
            position = index
        }
        return (values, position)
    }

    private mutating func push(_ target: PatchTarget, _ edit: DocumentPatch.Edit) throws(DocumentMisfit) {
        let (values, position) = try Self.elements(edit)
        let path = edit.path
        if !target.isCollection { return try pushIntoMixed(target, values, position, edit) }
        let column = target.column
        switch column.collection {
        case .list:
            var old: [MergedContent] = []
            if case .list(let known)? = target.old { old = known }
            guard
                case .list(var new) = try read({ (reader) throws(DocumentMisfit) in
                    try reader.content(.array(values), column, path)
                })
            else { return }
            if edit.kind == .addToSet {
                var added: [MergedContent] = []
                for one in new where !(old + added).contains(where: { $0.looksLike(one) }) { added.append(one) }
                new = added
            }
            draft.insert(new, target.steps, at: Self.index(position, old.count), of: old.count)
        case .set:
            guard position == nil else {
                throw DocumentMisfit(.operation, path, "Elements of a set have no places.")
            }
            guard
                case .set(let new) = try read({ (reader) throws(DocumentMisfit) in
                    try reader.content(.array(values), column, path)
                })
            else { return }
            var old: [SetElement: SyncValue] = [:]
            if case .set(let known)? = target.old { old = known }
            let added = new.filter { old[$0.key] == nil }
            if !added.isEmpty { draft.add(.insertIntoSet(draft.place(target.steps), ObjectChanges.sorted(added))) }
        default: throw DocumentMisfit(.operation, path, "There is no list or set to add to.")
        }
    }

    /// Returns the index for a position of MongoDB. A negative position counts from the end.
    private static func index(_ position: Int?, _ count: Int) -> Int {
        guard let position else { return count }
        return position < 0 ? max(count + max(position, -count), 0) : min(position, count)
    }

    /// Adds to a list in a mixed value, which is written as a whole.
    private mutating func pushIntoMixed(
        _ target: PatchTarget,
        _ values: [BSONValue],
        _ position: Int?,
        _ edit: DocumentPatch.Edit
    ) throws(DocumentMisfit) {
        guard target.isNested || target.column.type == .mixed else {
            throw DocumentMisfit(.operation, edit.path, "There is no list or set to add to.")
        }
        var list: [SyncValue] = []
        switch target.old {
        case nil, .value(.null)?: break
        case .value(.list(let known))?: list = known
        default: throw DocumentMisfit(.operation, edit.path, "There is no list to add to.")
        }
        var new: [SyncValue] = []
        for value in values {
            let path = edit.path
            let one = try read { (reader) throws(DocumentMisfit) in try reader.mixed(value, path, 1) }
            let isThere = (list + new).contains { MergedContent.value($0).looksLike(.value(one)) }
            if edit.kind == .push || !isThere { new.append(one) }
        }
        guard !new.isEmpty else { return }
        list.insert(contentsOf: new, at: Self.index(position, list.count))
        draft.add(.set(draft.place(target.steps), .list(list), .real))
    }

    // MARK: $pull

    private mutating func pull(_ target: PatchTarget, _ edit: DocumentPatch.Edit) throws(DocumentMisfit) {
        var wanted = [edit.value]
        if edit.kind == .pullAll {
            guard case .array(let values) = edit.value else {
                throw DocumentMisfit(.operation, edit.path, "'$pullAll' has an array, not \(edit.value.typeName).")
            }
            wanted = values
        } else if case .document(let document) = edit.value, document.first?.key.hasPrefix("$") == true,
            document.first?.key != "$ref"
        {
            guard document.count == 1, case .array(let values)? = document["$in"] else {
                throw DocumentMisfit(.operation, edit.path, "'$pull' takes a value, fields, or {\"$in\": […]}.")
            }
            wanted = values
        }
        switch target.old {
        case .list(let elements)?:
            var matches: [Int] = []
            let tests = try tests(wanted, target.column, edit.path)
            for (index, element) in elements.enumerated() where tests.contains(where: { $0.matches(element) }) {
                matches.append(index)
            }
            guard !matches.isEmpty else { return }
            draft.add(.remove(draft.place(target.steps), matches.map { .confirmed($0) }))
        case .set(let elements)?:
            let tests = try tests(wanted, target.column, edit.path)
            let gone = elements.filter { element in tests.contains { $0.matches(.value(element.value)) } }
            guard !gone.isEmpty else { return }
            draft.add(.removeFromSet(draft.place(target.steps), ObjectChanges.sorted(gone)))
        case .value(.list(let list))?:
            let tests = try tests(wanted, target.column, edit.path)
            let left = list.filter { one in !tests.contains { $0.matches(.value(one)) } }
            guard left.count < list.count else { return }
            draft.add(.set(draft.place(target.steps), .list(left), .real))
        case nil, .value(.null)?: return
        default: throw DocumentMisfit(.operation, edit.path, "There is no list or set to remove from.")
        }
    }

    /// The test of elements for a removal.
    private enum ElementTest {
        case equal(MergedContent)
        /// An embedded object that has these fields. It may have other fields, too.
        case fields([SyncString: MergedContent])

        func matches(_ element: MergedContent) -> Bool {
            switch (self, element) {
            case (.equal(let wanted), _): wanted.looksLike(element)
            case (.fields(let wanted), .embedded(let fields)):
                wanted.allSatisfy { fields[$0.key]?.looksLike($0.value) ?? ($0.value == .value(.null)) }
            default: false
            }
        }
    }

    private mutating func tests(_ wanted: [BSONValue], _ column: ColumnSpec, _ path: [String]) throws(DocumentMisfit)
        -> [ElementTest]
    {
        var tests: [ElementTest] = []
        for value in wanted {
            if case .document(let document) = value, let target = mapping.schema.target(of: column), target.isEmbedded {
                let fields = try read { (reader) throws(DocumentMisfit) in
                    try reader.fields(document, of: target, path, depth: 0, isWhole: false)
                }
                tests.append(.fields(fields))
            } else {
                let content = try read { (reader) throws(DocumentMisfit) in try reader.element(value, column, path, 0) }
                tests.append(.equal(content))
            }
        }
        return tests
    }
}
