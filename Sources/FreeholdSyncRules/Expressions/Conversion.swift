import FreeholdBSON
import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Conversion {
    /// Returns the converted value, or `nil` if the conversion isn't possible.
    func value(_ value: BSONValue) -> BSONValue? {
        switch self {
        case .stringToOid: value.stringValue.flatMap { ObjectId($0) }.map { .objectId($0) }
        case .oidToString: value.objectIdValue.map { .string($0.description) }
        case .stringToUuid: value.stringValue.flatMap { UUID(uuidString: $0) }.map { .binary(BSONBinary($0)) }
        case .uuidToString: value.uuidValue.map { .string($0.uuidString.lowercased()) }
        }
    }
}
