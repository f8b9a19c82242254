public import FreeholdBSON

/// The values of all expansions: the user of a session, and the values of the app.
public struct RuleUser: Hashable, Sendable {
    public var id: String
    /// The type of the user: `normal` or `server` in App Services.
    public var type: String
    /// The data from the providers of the user's log-ins: `%%user.data.email`.
    public var data: BSONDocument
    /// The user's document in the app's class of custom data.
    public var customData: BSONDocument
    /// The user's identities: documents with `id` and `provider_type`.
    public var identities: [BSONDocument]
    /// The values of the app: `%%values.name`.
    public var values: BSONDocument
    /// The environment of the app: `%%environment.tag`, `%%environment.values.name`.
    public var environment: BSONDocument

    public init(
        id: String,
        type: String = "normal",
        data: BSONDocument = [:],
        customData: BSONDocument = [:],
        identities: [BSONDocument] = [],
        values: BSONDocument = [:],
        environment: BSONDocument = [:]
    ) {
        self.id = id
        self.type = type
        self.data = data
        self.customData = customData
        self.identities = identities
        self.values = values
        self.environment = environment
    }
}

extension RuleUser {
    /// Returns the value of an expansion, or `nil` if the value is missing.
    ///
    /// A path that leads through an array continues in each of its documents, and returns an array of the values found.
    func value(_ expansion: Expansion) -> BSONValue? {
        switch expansion {
        case .truth(let truth): .bool(truth)
        case .values(let path): Self.follow(path[...], .document(values))
        case .environment(let path): Self.follow(path[...], .document(environment))
        case .user(let path):
            switch path[0] {
            case "id": .string(id)
            case "type": .string(type)
            case "data": Self.follow(path.dropFirst(), .document(data))
            case "custom_data": Self.follow(path.dropFirst(), .document(customData))
            default: Self.follow(path.dropFirst(), .array(identities.map { .document($0) }))
            }
        }
    }

    private static func follow(_ path: ArraySlice<String>, _ value: BSONValue) -> BSONValue? {
        guard let name = path.first else { return value }
        switch value {
        case .document(let document): return document[name].flatMap { follow(path.dropFirst(), $0) }
        case .array(let elements):
            if let index = Int(name), elements.indices.contains(index) {
                return follow(path.dropFirst(), elements[index])
            }
            let found = elements.compactMap { element -> BSONValue? in
                guard case .document = element else { return nil }
                return follow(path, element)
            }
            return found.isEmpty ? nil : .array(found)
        default: return nil
        }
    }

    /// Returns the value of an operand for this user. Returns `nil` if the value is missing or can't be converted.
    func value(_ operand: Operand) -> BSONValue? {
        switch operand {
        case .value(let value): value
        case .expansion(let expansion): value(expansion)
        case .converted(let conversion, let inner): value(inner).flatMap(conversion.value)
        }
    }

    /// Returns the values of a list. Returns `nil` if a part of the list is missing, or if it isn't a list.
    func values(_ list: OperandList) -> [BSONValue]? {
        switch list {
        case .expansion(let expansion): return value(expansion)?.arrayValue
        case .list(let operands):
            var values: [BSONValue] = []
            for operand in operands {
                guard let value = value(operand) else { return nil }
                values.append(value)
            }
            return values
        }
    }
}
