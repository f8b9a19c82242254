import FreeholdEngine

// Containers are compared and hashed by loops with a list of the remaining work, so nesting doesn't use the stack of
// the thread.

extension BSONValue: Hashable {
    public static func == (a: BSONValue, b: BSONValue) -> Bool {
        var left: [ContainerPair] = []
        return sameButContainers(a, and: b, left: &left) && ContainerPair.allSame(&left)
    }

    public func hash(into hasher: inout Hasher) {
        var left: [BSONValue] = []
        hash(into: &hasher, &left)
        Self.hash(&left, into: &hasher)
    }

    /// Returns whether scalars are equal. Documents and arrays are only added to the remaining work.
    fileprivate static func sameButContainers(_ a: BSONValue, and b: BSONValue, left: inout [ContainerPair]) -> Bool {
        switch (a, b) {
        case (.double(let x), .double(let y)): return x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)), (.javaScript(let x), .javaScript(let y)),
            (.symbol(let x), .symbol(let y)):
            return sameText(x, y)
        case (.document(let x), .document(let y)): left.append(.documents(x, y))
        case (.array(let x), .array(let y)): left.append(.arrays(x, y))
        case (.binary(let x), .binary(let y)): return x == y
        case (.objectId(let x), .objectId(let y)): return x == y
        case (.bool(let x), .bool(let y)): return x == y
        case (.datetime(let x), .datetime(let y)): return x == y
        case (.regex(let x), .regex(let y)): return x == y
        case (.dbPointer(let x), .dbPointer(let y)): return x == y
        case (.javaScriptWithScope(let x), .javaScriptWithScope(let y)):
            left.append(.documents(x.scope, y.scope))
            return sameText(x.code, y.code)
        case (.int32(let x), .int32(let y)): return x == y
        case (.timestamp(let x), .timestamp(let y)): return x == y
        case (.int64(let x), .int64(let y)): return x == y
        case (.decimal128(let x), .decimal128(let y)): return x.lo == y.lo && x.hi == y.hi
        case (.undefined, .undefined), (.null, .null), (.minKey, .minKey), (.maxKey, .maxKey): return true
        default: return false
        }
        return true
    }

    /// Hashes a scalar. For documents and arrays it hashes only the count, and adds them to the remaining work.
    fileprivate func hash(into hasher: inout Hasher, _ left: inout [BSONValue]) {
        hasher.combine(typeByte)
        switch self {
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value), .javaScript(let value), .symbol(let value): hasher.combine(exact: value)
        case .document(let value):
            hasher.combine(value.count)
            left.append(self)
        case .array(let value):
            hasher.combine(value.count)
            left.append(self)
        case .binary(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .datetime(let value): hasher.combine(value)
        case .regex(let value): hasher.combine(value)
        case .dbPointer(let value): hasher.combine(value)
        case .javaScriptWithScope(let value):
            hasher.combine(exact: value.code)
            left.append(.document(value.scope))
        case .int32(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .int64(let value): hasher.combine(value)
        case .decimal128(let value):
            hasher.combine(value.lo)
            hasher.combine(value.hi)
        case .undefined, .null, .minKey, .maxKey: break
        }
    }

    fileprivate static func hash(_ left: inout [BSONValue], into hasher: inout Hasher) {
        while let container = left.popLast() {
            switch container {
            case .document(let document):
                for (key, value) in document.elements {
                    hasher.combine(exact: key)
                    value.hash(into: &hasher, &left)
                }
            case .array(let values):
                for value in values { value.hash(into: &hasher, &left) }
            default: break
            }
        }
    }
}

extension BSONDocument: Hashable {
    public static func == (a: BSONDocument, b: BSONDocument) -> Bool {
        var left = [ContainerPair.documents(a, b)]
        return ContainerPair.allSame(&left)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        var left = [BSONValue.document(self)]
        BSONValue.hash(&left, into: &hasher)
    }
}

/// Two containers whose elements have to be compared.
private enum ContainerPair {
    case documents(BSONDocument, BSONDocument)
    case arrays([BSONValue], [BSONValue])

    static func allSame(_ left: inout [ContainerPair]) -> Bool {
        while let pair = left.popLast() {
            switch pair {
            case .documents(let a, let b):
                guard a.count == b.count else { return false }
                for index in a.elements.indices {
                    guard sameText(a.elements[index].key, b.elements[index].key),
                        BSONValue.sameButContainers(a.elements[index].value, and: b.elements[index].value, left: &left)
                    else { return false }
                }
            case .arrays(let a, let b):
                guard a.count == b.count else { return false }
                for index in a.indices {
                    guard BSONValue.sameButContainers(a[index], and: b[index], left: &left) else { return false }
                }
            }
        }
        return true
    }
}
