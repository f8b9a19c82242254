import Foundation
import FreeholdEngine

/// The arguments of queries that are stored unchanged, which are most arguments.
///
/// A comparison of types costs a tenth of a check for the conformance to a protocol.
enum PlainArgument {
    static func isPlain(_ argument: Any) -> Bool {
        let type = Swift.type(of: argument)
        return type == String.self || type == Int.self || type == Double.self || type == Bool.self
            || type == Date.self || type == UUID.self || type == ObjectId.self
    }

    /// Returns the value, or nil for arguments of other types.
    static func value(_ argument: Any) -> Value? {
        let type = Swift.type(of: argument)
        if type == String.self { return .string(argument as! String) }
        if type == Int.self { return .int(Int64(argument as! Int)) }
        if type == Double.self { return .double(argument as! Double) }
        if type == Bool.self { return .bool(argument as! Bool) }
        if type == Date.self { return .timestamp(Timestamp(argument as! Date)) }
        if type == UUID.self { return .uuid(argument as! UUID) }
        if type == ObjectId.self { return .objectId(argument as! ObjectId) }
        if type == String?.self { return (argument as! String?).map { .string($0) } }
        if type == Int?.self { return (argument as! Int?).map { .int(Int64($0)) } }
        return nil
    }
}
