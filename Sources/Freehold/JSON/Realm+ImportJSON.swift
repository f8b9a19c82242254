public import Foundation
import FreeholdEngine

extension Realm {
    /// Stores the objects of a JSON file, which contains an array of objects or one object in each line.
    ///
    /// ```swift
    /// try realm.importJSON(from: url, into: City.self)
    /// ```
    ///
    /// The file is read as a stream of objects, so its size doesn't affect the memory use. Keys are names of
    /// properties, in Swift or in the file. Properties without a value get their default, or keep the stored value if
    /// an object is updated. Numbers keep all digits. A date is a string in ISO 8601 or a number. Data is base64.
    /// ObjectIds, UUIDs and decimals are strings. A link is the linked object or its primary key. If no object with
    /// this key exists, it is created. Lists and sets are arrays, and maps are objects. In mixed values, types that
    /// JSON doesn't have are explicit: `{"$date": "…"}`.
    ///
    /// The import is one transaction, unless `options` requests batches, so an error leaves the realm unchanged. Inside
    /// a write transaction, the objects become part of that transaction, which can only be rolled back after an error.
    ///
    /// - Parameter update: The policy for an object whose primary key exists already, for classes with a primary key.
    ///   It applies to linked objects, too.
    /// - Parameter options: The options for reading the text.
    /// - Parameter type: The class of the objects.
    /// - Parameter url: The URL of the JSON file.
    /// - Returns: The number of objects of the class that were read.
    /// - Throws: ``JSONError`` with the line, object and property; a `Realm.Error` of the file or transaction.
    @discardableResult
    public func importJSON<T: Object>(
        from url: URL,
        into type: T.Type,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions()
    ) throws -> Int {
        let file = try JSONInput.open(url)
        defer { try? file.close() }
        return try importJSON(from: file, into: type, update: update, options: options)
    }

    /// Stores the objects of JSON in memory.
    @discardableResult
    public func importJSON<T: Object>(
        from data: Data,
        into type: T.Type,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions()
    ) throws -> Int {
        try JSONImport(core, type, policy: update, options: options).run(JSONInput(data))
    }

    /// Stores the objects of an open file or pipe, from its current position to its end.
    @discardableResult
    public func importJSON<T: Object>(
        from file: FileHandle,
        into type: T.Type,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions()
    ) throws -> Int {
        try JSONImport(core, type, policy: update, options: options).run(JSONInput(file))
    }

    /// Stores the objects of a stream, which is opened if necessary.
    @discardableResult
    public func importJSON<T: Object>(
        from stream: InputStream,
        into type: T.Type,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions()
    ) throws -> Int {
        try JSONImport(core, type, policy: update, options: options).run(JSONInput(stream))
    }

    /// Stores the objects of JSON whose bytes a closure returns. At the end, the closure returns no bytes.
    @discardableResult
    public func importJSON<T: Object>(
        into type: T.Type,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions(),
        from read: () throws -> Data
    ) throws -> Int {
        try withoutActuallyEscaping(read) { read in
            try JSONImport(core, type, policy: update, options: options).run(JSONInput(read))
        }
    }

    /// Stores objects of a class that is given by its name. See ``dynamicObjects(_:)``.
    ///
    /// - Precondition: The file has a class of that name, and the class isn't embedded.
    @discardableResult
    public func dynamicImportJSON(
        into typeName: String,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions(),
        from read: () throws -> Data
    ) throws -> Int {
        try withoutActuallyEscaping(read) { read in
            try dynamicImport(typeName, update, options: options).run(JSONInput(read))
        }
    }

    /// Stores objects of a class that is given by its name, from JSON in memory.
    @discardableResult
    public func dynamicImportJSON(
        from data: Data,
        into typeName: String,
        update: UpdatePolicy = .modified,
        options: JSONImportOptions = JSONImportOptions()
    ) throws -> Int {
        try dynamicImport(typeName, update, options: options).run(JSONInput(data))
    }

    private func dynamicImport(
        _ typeName: String,
        _ update: UpdatePolicy,
        options: JSONImportOptions
    ) throws(Realm.Error) -> JSONImport {
        let table = dynamicTable(typeName)
        if table.info.isEmbedded {
            programmerError("\(typeName) is a class of embedded objects, which belong to an owner. Import the owners.")
        }
        if table.info.isAsymmetric { programmerError("\(typeName) is asymmetric: use create(_:value:).") }
        return try JSONImport(table, update, options: options)
    }
}

/// An import of JSON.
private struct JSONImport {
    let core: RealmCore
    let table: ManagedTable
    let policy: Realm.UpdatePolicy
    let options: JSONImportOptions

    init(
        _ core: RealmCore,
        _ type: ObjectBase.Type,
        policy: Realm.UpdatePolicy,
        options: JSONImportOptions
    ) throws(Realm.Error) {
        core.verifyThread()
        try self.init(core.requireTable(for: type), policy, options: options)
    }

    init(
        _ table: ManagedTable,
        _ policy: Realm.UpdatePolicy,
        options: JSONImportOptions
    ) throws(Realm.Error) {
        core = table.core
        self.options = options
        self.table = table
        self.policy = table.info.primaryKeyIndex == nil ? .error : policy
        if let size = options.batchSize, size < 1 {
            throw Realm.Error(.invalidInput, "batchSize is \(size); it must be over 0")
        }
        if core.transaction != nil && options.batchSize != nil {
            throw Realm.Error(
                .invalidTransactionState,
                "An import in batches has transactions of its own: call it outside a write transaction."
            )
        }
    }

    func run(_ input: JSONInput) throws -> Int {
        let isOwner = core.transaction == nil
        if isOwner { try core.begin() }
        var committed = 0
        do {
            let count = try read(input, &committed)
            if isOwner { try core.commit() }
            return count
        } catch {
            var error = error
            if var json = error as? JSONError {
                json.committed = committed
                error = json
            }
            if isOwner {
                if core.transaction != nil { core.cancel() }
            } else {
                core.record(
                    Realm.Error(.invalidInput, "\(error)", className: table.info.className, cause: error)
                )
            }
            throw error
        }
    }

    private func read(_ input: JSONInput, _ committed: inout Int) throws -> Int {
        var reader = JSONReader(input)
        try reader.skipByteOrderMark()
        var count = 0
        func store(_ reader: inout JSONReader) throws {
            try WorkLimit.checkOften()
            let place = reader.place
            count += 1
            do throws(JSONError) {
                let value = try reader.value()
                var conversion = JSONConversion(core, options)
                try write(try conversion.convert(value, table.info, at: place), at: place)
            } catch {
                throw error.with(object: count, at: place)
            }
            if let size = options.batchSize, count % size == 0 {
                try core.commit()
                committed = count
                try core.begin()
            }
        }
        let first = try reader.nextToken()
        if options.format == .array || (options.format == .automatic && first == UInt8(ascii: "[")) {
            guard first == UInt8(ascii: "[") else { throw reader.error("the text isn't an array") }
            try reader.forEachElement(store)
            if let rest = try reader.nextToken() { throw reader.unexpected(rest, "the end of the text") }
        } else {
            while try reader.nextToken() != nil { try store(&reader) }
        }
        return count
    }

    private func write(_ values: _ObjectValues, at place: JSONPlace) throws(JSONError) {
        do throws(Realm.Error) {
            _ = core.requireWrite()
            var planner = GraphPlanner(core: core, policy: policy, adopts: false)
            try planner.plan(values, in: table)
            try planner.finish()
            _ = try planner.plan.apply(to: core, policy: policy)
        } catch {
            throw JSONError(error, at: place)
        }
    }
}
