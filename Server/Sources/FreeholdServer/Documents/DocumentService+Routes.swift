import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Logging
import NIOCore
import NIOHTTP1

/// The routes of the documents' API. `docs/openapi.json` describes them; a test compares both.
extension DocumentService {
    /// The names of the routes with answers that may be compressed: those that read documents. Answers of writes are short.
    static let compressedOperations: Set<String> = ["listDocuments", "getDocument"]

    /// The statuses of all routes: a parameter or a query is wrong, the token isn't valid, a right is missing, the path or the document is
    /// missing, the documents don't fit the schema, the user's requests keep too many bytes, and the store fails.
    private static let commonStatuses: Set<Int> = [400, 401, 403, 404, 413, 422, 429, 503]

    var group: HTTPGroup {
        HTTPGroup(
            root: DocumentRequest.root,
            bodyLimit: DocumentRequest.bodyLimit,
            routes: [
                route(.GET, "app/{app}/{class}", operation: "listDocuments", [200]) { request, access, _ in
                    try await list(try request.needsClass(), request, access)
                },
                route(.POST, "app/{app}/{class}", operation: "insertDocuments", [200, 201, 409]) { request, access, _ in
                    try await insert(try request.needsClass(), request, access)
                },
                route(.GET, "app/{app}/{class}/{key}", operation: "getDocument", [200]) { request, access, _ in
                    try await get(try request.needsClass(), try request.needsKey(), request, access)
                },
                route(.PUT, "app/{app}/{class}/{key}", operation: "replaceDocument", Self.changeStatuses) {
                    request,
                    access,
                    _ in
                    try await change(request, access, isPatch: false)
                },
                route(.PATCH, "app/{app}/{class}/{key}", operation: "updateDocument", Self.changeStatuses) {
                    request,
                    access,
                    _ in
                    try await change(request, access, isPatch: true)
                },
                route(.DELETE, "app/{app}/{class}/{key}", operation: "deleteDocument", [200, 409, 412]) {
                    request,
                    access,
                    _ in
                    try await delete(try request.needsClass(), try request.needsKey(), request, access)
                },
                route(.GET, "app/{app}/\(DocumentRequest.changes)", operation: "followChanges", [200, 410]) {
                    try await changes($0, $1, $2)
                },
            ],
            identify: { await identify($0) },
            tooLarge: DocumentFailure.tooLarge.answer,
            noRoute: DocumentFailure.noRoute.answer,
            wrongMethod: DocumentFailure.wrongMethod.answer
        )
    }

    private static let changeStatuses: Set<Int> = [200, 201, 409, 412]

    /// - Parameters:
    ///   - statuses: The statuses in addition to those of all routes.
    ///   - handler: Answers, or throws.
    private func route(
        _ method: HTTPMethod,
        _ path: String,
        operation: String,
        _ statuses: Set<Int>,
        handler: @escaping @Sendable (DocumentRequest, StreamAccess, Identity) async throws -> HTTPAnswer
    ) -> HTTPRoute {
        HTTPRoute(
            method,
            path,
            operation: operation,
            statuses: statuses.union(Self.commonStatuses),
            compresses: Self.compressedOperations.contains(operation)
        ) { request in
            guard let identity = request.user as? Identity else { return DocumentFailure.noToken.answer }
            return await answer {
                let read = try DocumentRequest(request)
                return try await handler(read, try access(identity.user, read), identity)
            }
        }
    }

    private func answer(_ body: () async throws -> HTTPAnswer) async -> HTTPAnswer {
        do { return try await body() } catch let failure as DocumentFailure {
            return failure.answer
        } catch is WorkExceeded {
            return DocumentFailure.tooExpensive.answer
        } catch is CancellationError {
            // The client has closed the connection.
            return DocumentFailure.unavailable.answer
        } catch let error as ConditionError {
            return DocumentFailure.bad("The query isn't understood at \(error.position): \(error.text.string)").answer
        } catch let misfit as DocumentMisfit {
            return DocumentFailure(misfit, "\(misfit)").answer
        } catch let misfit as DocumentImport.Misfit {
            return DocumentFailure(misfit.misfit, "\(misfit)").answer
        } catch {
            // The error's description might contain parts of the request.
            node.logger.error("documents fail", metadata: ["kind": "\(type(of: error))"])
            return DocumentFailure.unavailable.answer
        }
    }
}

extension DocumentRequest {
    /// - Throws: `DocumentFailure` if the path names no class.
    fileprivate func needsClass() throws -> String {
        guard let className else { throw DocumentFailure.noRoute }
        return className
    }

    /// - Throws: `DocumentFailure` if the path names no key.
    fileprivate func needsKey() throws -> String {
        guard let key else { throw DocumentFailure.noRoute }
        return key
    }
}

extension DocumentService {
    private func change(_ request: DocumentRequest, _ access: StreamAccess, isPatch: Bool) async throws -> HTTPAnswer {
        try await change(try request.needsClass(), try request.needsKey(), request, access, isPatch: isPatch)
    }
}
