#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

/// The server's state of objects with pending work.
extension FileClientTransaction {
    func shadowRow(_ name: ObjectName) -> ObjectKey? {
        guard cache.shadowCount > 0 else { return nil }
        return write.find(primaryKey: .string(name.text), in: tables.shadows)
    }

    /// Returns whether the object has a shadow.
    func hasShadow(_ name: ObjectName) -> Bool {
        if let known = cache.shadows[name] { return known.shadow != nil }
        return shadowRow(name) != nil
    }

    public func shadow(of name: ObjectName) throws -> Shadow? {
        if let known = cache.shadows[name] { return known.shadow }
        guard let row = shadowRow(name) else { return nil }
        let shadow = try KeptBody.decode(row, of: tables.shadows, in: write, KeptBytes.shadow)
        cache.shadows[name] = Cache.Entry(shadow: shadow)
        return shadow
    }

    public mutating func setShadow(_ shadow: Shadow?, of name: ObjectName) throws {
        let hadShadow = hasShadow(name)
        if shadow == nil, !hadShadow {
            if let (found, key) = find(name) { write.setImage(found, key, false) }
            return
        }
        cache.shadows[name] = Cache.Entry(shadow: shadow, isChanged: true)
        if shadow != nil { cache.versions[name] = nil }
        if let (found, key) = find(name) { write.setImage(found, key, shadow != nil) }
    }

    /// Writes the changed shadows at the end of the transaction, each once.
    func writeShadows() throws {
        for (name, entry) in cache.shadows.sorted(by: { $0.key < $1.key }) where entry.isChanged {
            let old = shadowRow(name)
            guard let shadow = entry.shadow else {
                if let old {
                    write.delete(tables.shadows, old)
                    cache.shadowCount -= 1
                }
                continue
            }
            let row = try old ?? write.create(tables.shadows, primaryKey: .string(name.text))
            if old == nil { cache.shadowCount += 1 }
            let columns = tables.shadows.columns
            try write.set(columns[1], row, to: .string(name.className.string))
            try write.set(columns[2], row, to: shadow.version.map { .int(Int64(bitPattern: $0)) } ?? .null)
            try KeptBody.set(KeptBytes.of(shadow, name), row, of: tables.shadows, in: write)
        }
    }

    public func shadowed() throws -> [ObjectName] {
        var names = Set(cache.shadows.filter { $0.value.shadow != nil }.keys)
        if cache.shadowCount > 0 {
            for row in write.keys(tables.shadows) {
                let name = try KeptBody.decode(row, of: tables.shadows, in: write, KeptBytes.name)
                if cache.shadows[name] == nil { names.insert(name) }
            }
        }
        return names.sorted()
    }
}
