import Foundation
import FreeholdBSON
import FreeholdHTTP

/// A request to the administrator's port, with checked access to its parameters.
struct AdministratorRequest: Sendable {
    let request: HTTPRequest
    private let parameters: [String: String]

    /// - Throws: `DocumentFailure` if the parameters aren't correctly percent-encoded.
    init(_ request: HTTPRequest) throws {
        self.request = request
        parameters = try DocumentRequest.parameters(of: request)
    }

    subscript(name: String) -> String { request[name] }

    /// Returns the text of a parameter, or `nil` if it is missing or empty.
    func text(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

    func flag(_ name: String) -> Bool { parameters[name] == "true" }

    /// - Throws: `DocumentFailure` if the parameter isn't a number in the range.
    func number(_ name: String, _ range: ClosedRange<Int>, default usual: Int) throws -> Int {
        guard let text = text(name) else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw DocumentFailure.bad(
                "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// - Throws: `DocumentFailure` if the parameter isn't a number from 0 on.
    func position(_ name: String) throws -> UInt64? {
        guard let text = text(name) else { return nil }
        guard let number = UInt64(text), number < .max else {
            throw DocumentFailure.bad("'\(name)' is a number from 0 on.")
        }
        return number
    }

    /// The maximum size of a body, in bytes.
    static let bodyLimit = 1 << 20

    /// Returns the body.
    ///
    /// - Throws: `DocumentFailure` if it isn't a document in Extended JSON.
    func document() throws -> BSONDocument {
        let limits = BSONLimits(depth: 100, size: 2 * Self.bodyLimit)
        guard
            let document = try? BSONDocument(
                extendedJSON: String(decoding: request.body, as: UTF8.self),
                options: ExtendedJSONOptions(limits: limits)
            )
        else { throw DocumentFailure.bad("The body isn't a JSON object.") }
        return document
    }
}
