internal import FreeholdEngine
public import FreeholdSyncCore

/// The versions of confirmed objects, and their checksums.
extension FileClientTransaction {
    public func version(of name: ObjectName) throws -> StreamVersion? {
        if let known = cache.versions[name] { return known }
        if let entry = cache.shadows[name] {
            if let shadow = entry.shadow { return shadow.version }
        } else if let row = shadowRow(name) {
            return write.storedVersion(tables.shadows.columns[2], row)
        }
        if let image = cache.imageVersions[name] { return image }
        guard let (found, key) = find(name) else { return nil }
        return write.storedVersion(found.version, key)
    }

    public mutating func setVersion(_ version: StreamVersion?, of name: ObjectName) throws {
        guard let found = tables.classes[name.className] else { return }
        let old = try self.version(of: name)
        if old != version {
            var sum = checksum(of: name.className)
            if let old { sum.remove(name.key, version: old) }
            if let version { sum.add(name.key, version: version) }
            cache.sums[name.className] = sum
            cache.changedSums.insert(name.className)
        }
        if let (_, key) = find(name) {
            if write.storedVersion(found.version, key) != version { write.setVersion(found, key, version) }
            cache.versions[name] = hasShadow(name) ? .some(version) : nil
        } else {
            cache.versions[name] = .some(version)
        }
    }

    /// Removes the versions of objects of a class that the file doesn't show, and computes the checksum of the objects
    /// that it shows.
    func forgetVersions(ofMissing className: SyncString) {
        guard let found = tables.classes[className] else { return }
        var sum = ClassChecksum(className: className)
        for key in write.keys(found.table) {
            guard let version = write.storedVersion(found.version, key),
                let name = FileContents.key(write.value(found.key, key))
            else { continue }
            sum.add(name, version: version)
        }
        cache.sums[className] = sum
        cache.changedSums.insert(className)
        for name in cache.versions.keys where name.className == className { cache.versions[name] = nil }
    }

    public func confirmed(in range: KeyRange) throws -> [(key: PrimaryKey, version: StreamVersion)] {
        guard let found = tables.classes[range.className] else { return [] }
        var versions: [PrimaryKey: StreamVersion] = [:]
        for key in write.keys(found.table, in: range, found.key) {
            guard let name = FileContents.key(write.value(found.key, key)),
                let version = write.storedVersion(found.version, key), range.contains(ObjectName(range.className, name))
            else { continue }
            versions[name] = version
        }
        for (name, version) in cache.imageVersions where range.contains(name) { versions[name.key] = version }
        for name in try shadowed() where range.contains(name) { versions[name.key] = try version(of: name) }
        for (name, version) in cache.versions where range.contains(name) { versions[name.key] = version }
        return versions.map { (key: $0.key, version: $0.value) }.sorted { $0.key < $1.key }
    }

    public func confirmedClasses() throws -> [SyncString] {
        var names = Set(cache.sums.keys)
        for row in write.keys(tables.sums) {
            if case .string(let name) = write.value(tables.sums.columns[0], row) { names.insert(SyncString(name)) }
        }
        return names.filter { checksum(of: $0).count > 0 }.sorted()
    }

    public func checksum(of className: SyncString) -> ClassChecksum {
        if let known = cache.sums[className] { return known }
        var sum = ClassChecksum(className: className)
        if let row = write.find(primaryKey: .string(className.string), in: tables.sums),
            case .int(let count) = write.value(tables.sums.columns[1], row),
            case .int(let total) = write.value(tables.sums.columns[2], row)
        {
            sum = ClassChecksum(className: className, count: UInt64(bitPattern: count), sum: UInt64(bitPattern: total))
        }
        cache.sums[className] = sum
        return sum
    }
}

extension WriteTransaction {
    func storedVersion(_ column: Column, _ key: ObjectKey) -> StreamVersion? {
        if case .int(let version) = value(column, key) { StreamVersion(bitPattern: version) } else { nil }
    }

    func setVersion(_ found: FileTables.Class, _ key: ObjectKey, _ version: StreamVersion?) {
        // Setting the value can't fail, because it is a column of optional integers.
        try? set(found.version, key, to: version.map { .int(Int64(bitPattern: $0)) } ?? .null)
    }

    func setImage(_ found: FileTables.Class, _ key: ObjectKey, _ isKept: Bool) {
        if value(found.image, key) != .bool(isKept) { setBool(found.image, key, to: isKept) }
    }
}
