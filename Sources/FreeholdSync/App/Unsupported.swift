// Features of App Services that Freehold's server doesn't have: functions, MongoDB collections, push messages. Programs
// that use these names compile, and each call throws an `AppError` with the code `unsupported`.

extension User {
    /// Functions on the server. Each call throws, because Freehold's server has no functions.
    public var functions: Functions { Functions() }

    /// MongoDB on the server. Each call of a collection throws.
    public func mongoClient(_ serviceName: String) -> MongoClient { MongoClient(name: serviceName) }
}

extension App {
    /// Push messages. Each call throws.
    public func pushClient(serviceName: String) -> PushClient { PushClient(name: serviceName) }
}

@dynamicMemberLookup
public struct Functions: Sendable {
    public subscript(dynamicMember name: String) -> FunctionCallable { FunctionCallable(name: name) }
}

@dynamicCallable
public struct FunctionCallable: Sendable {
    let name: String

    @discardableResult
    public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
        throw AppError.unsupported("functions on the server, such as '\(name)'")
    }
}

public struct PushClient: Sendable {
    let name: String

    public func registerDevice(token: String, user: User) async throws { throw AppError.unsupported("push messages") }
    public func deregisterDevice(user: User) async throws { throw AppError.unsupported("push messages") }
}

public struct MongoClient: Sendable {
    public let name: String

    public func database(named name: String) -> MongoDatabase { MongoDatabase(name: name) }
}

public struct MongoDatabase: Sendable {
    public let name: String

    public func collection(withName name: String) -> MongoCollection {
        MongoCollection(name: name, databaseName: self.name)
    }
}

public struct FindOptions: Sendable {
    public var limit: Int?
    public var projection: Document?
    public var sorting: [Document]

    public init(_ limit: Int? = nil, _ projection: Document? = nil, _ sorting: [Document] = []) {
        (self.limit, self.projection, self.sorting) = (limit, projection, sorting)
    }
}

public struct FindOneAndModifyOptions: Sendable {
    public var projection: Document?
    public var sorting: [Document]
    public var upsert: Bool
    public var shouldReturnNewDocument: Bool

    public init(
        _ projection: Document? = nil,
        _ sorting: [Document] = [],
        _ upsert: Bool = false,
        _ shouldReturnNewDocument: Bool = false
    ) {
        (self.projection, self.sorting) = (projection, sorting)
        (self.upsert, self.shouldReturnNewDocument) = (upsert, shouldReturnNewDocument)
    }
}

public struct UpdateResult: Sendable {
    public let matchedCount: Int
    public let modifiedCount: Int
    public let documentId: AnyBSON?
}

/// A MongoDB collection, which isn't supported. A synced realm is the alternative.
public struct MongoCollection: Sendable {
    public let name: String
    public let databaseName: String

    private func refuse() -> AppError {
        .unsupported("MongoDB collections, such as '\(databaseName).\(name)'; use a realm")
    }

    @discardableResult public func insertOne(_ document: Document) async throws -> AnyBSON { throw refuse() }
    @discardableResult public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] { throw refuse() }
    public func find(filter: Document, options: FindOptions = FindOptions()) async throws -> [Document] {
        throw refuse()
    }
    public func findOneDocument(filter: Document, options: FindOptions = FindOptions()) async throws -> Document? {
        throw refuse()
    }
    public func aggregate(pipeline: [Document]) async throws -> [Document] { throw refuse() }
    public func count(filter: Document, limit: Int? = nil) async throws -> Int { throw refuse() }
    @discardableResult public func deleteOneDocument(filter: Document) async throws -> Int { throw refuse() }
    @discardableResult public func deleteManyDocuments(filter: Document) async throws -> Int { throw refuse() }
    @discardableResult
    public func updateOneDocument(filter: Document, update: Document, upsert: Bool = false) async throws -> UpdateResult
    {
        throw refuse()
    }
    @discardableResult
    public func updateManyDocuments(filter: Document, update: Document, upsert: Bool = false) async throws
        -> UpdateResult
    {
        throw refuse()
    }
    @discardableResult
    public func findOneAndUpdate(
        filter: Document,
        update: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? { throw refuse() }
    @discardableResult
    public func findOneAndReplace(
        filter: Document,
        replacement: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? { throw refuse() }
    @discardableResult
    public func findOneAndDelete(
        filter: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? { throw refuse() }
}
