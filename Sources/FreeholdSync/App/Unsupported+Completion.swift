// Methods with completion handlers for features that Freehold's server doesn't have. Each handler receives an
// `AppError` with the code `unsupported`.

extension Functions {
    /// A closure that receives a function's result: `user.functions.sum([1, 2]) { result in … }`.
    public typealias ResultHandler = @Sendable (Result<AnyBSON, any Error>) -> Void
    public typealias Function = @Sendable ([AnyBSON], @escaping ResultHandler) -> Void

    public subscript(dynamicMember name: String) -> Function {
        { _, handler in
            complete(handler) { throw AppError.unsupported("functions on the server, such as '\(name)'") }
        }
    }
}

extension PushClient {
    public func registerDevice(token: String, user: User, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await registerDevice(token: token, user: user) }
    }

    public func deregisterDevice(user: User, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await deregisterDevice(user: user) }
    }
}

extension MongoCollection {
    public typealias Completion<Value> = @Sendable (Result<Value, any Error>) -> Void

    public func insertOne(_ document: Document, _ completion: @escaping Completion<AnyBSON>) {
        complete(completion) { try await insertOne(document) }
    }

    public func insertMany(_ documents: [Document], _ completion: @escaping Completion<[AnyBSON]>) {
        complete(completion) { try await insertMany(documents) }
    }

    public func find(
        filter: Document,
        options: FindOptions = FindOptions(),
        _ completion: @escaping Completion<[Document]>
    ) {
        complete(completion) { try await find(filter: filter, options: options) }
    }

    public func findOneDocument(
        filter: Document,
        options: FindOptions = FindOptions(),
        _ completion: @escaping Completion<Document?>
    ) {
        complete(completion) { try await findOneDocument(filter: filter, options: options) }
    }

    public func aggregate(pipeline: [Document], _ completion: @escaping Completion<[Document]>) {
        complete(completion) { try await aggregate(pipeline: pipeline) }
    }

    public func count(filter: Document, limit: Int? = nil, _ completion: @escaping Completion<Int>) {
        complete(completion) { try await count(filter: filter, limit: limit) }
    }

    public func deleteOneDocument(filter: Document, _ completion: @escaping Completion<Int>) {
        complete(completion) { try await deleteOneDocument(filter: filter) }
    }

    public func deleteManyDocuments(filter: Document, _ completion: @escaping Completion<Int>) {
        complete(completion) { try await deleteManyDocuments(filter: filter) }
    }

    public func updateOneDocument(
        filter: Document,
        update: Document,
        upsert: Bool = false,
        _ completion: @escaping Completion<UpdateResult>
    ) {
        complete(completion) { try await updateOneDocument(filter: filter, update: update, upsert: upsert) }
    }

    public func updateManyDocuments(
        filter: Document,
        update: Document,
        upsert: Bool = false,
        _ completion: @escaping Completion<UpdateResult>
    ) {
        complete(completion) { try await updateManyDocuments(filter: filter, update: update, upsert: upsert) }
    }

    public func findOneAndUpdate(
        filter: Document,
        update: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping Completion<Document?>
    ) {
        complete(completion) { try await findOneAndUpdate(filter: filter, update: update, options: options) }
    }

    public func findOneAndReplace(
        filter: Document,
        replacement: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping Completion<Document?>
    ) {
        complete(completion) { try await findOneAndReplace(filter: filter, replacement: replacement, options: options) }
    }

    public func findOneAndDelete(
        filter: Document,
        options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping Completion<Document?>
    ) {
        complete(completion) { try await findOneAndDelete(filter: filter, options: options) }
    }
}
