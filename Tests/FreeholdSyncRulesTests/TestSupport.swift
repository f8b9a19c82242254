import FreeholdBSON
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How often random tests run.
let soak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil ? 50 : 1

extension BSONValue {
    /// Returns the documents with their keys in rising order, because JSON has no order.
    var sorted: BSONValue {
        switch self {
        case .document(let document):
            .document(
                BSONDocument(
                    document.map { (key: $0.key, value: $0.value.sorted) }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                )
            )
        case .array(let values): .array(values.map(\.sorted))
        default: self
        }
    }
}

/// Equal as JSON values.
func expectEqualJSON(_ a: BSONValue, _ b: BSONValue, sourceLocation: SourceLocation = #_sourceLocation) {
    expectEqual(a.sorted, b.sorted, sourceLocation: sourceLocation)
}
