/// An object that one commit wrote completely, with single values only. A store needs no meta data for it except its
/// version and stamp.
package struct PlainObject {
    package let version: StreamVersion
    package let stamp: Stamp
    package let fields: [SyncString: SyncValue]

    package init(version: StreamVersion, stamp: Stamp, fields: [SyncString: SyncValue]) {
        (self.version, self.stamp, self.fields) = (version, stamp, fields)
    }
}

extension MergedObject {
    package init(_ plain: PlainObject) {
        let mark = Mark(stamp: plain.stamp, version: plain.version)
        let fields = plain.fields.map {
            NamedValues<Record.Field>.Entry(name: $0.key, value: .register(Register(.value($0.value), nil)))
        }
        self.init(
            born: plain.version,
            died: nil,
            changed: plain.version,
            record: Record(base: mark, fields: NamedValues(unique: fields)),
            makers: [plain.stamp.ident],
            deleters: []
        )
    }

    /// A Boolean value that indicates whether the object is a plain one. Then its contents, version and stamp describe
    /// it completely.
    package var isPlain: Bool {
        guard died == nil, deleters.isEmpty, born == changed, makers == [record.base.stamp.ident],
            record.base == Mark(stamp: record.base.stamp, version: born)
        else { return false }
        return record.fields.allSatisfy { field in
            guard case .register(let register) = field.value, register.isUntouched, case .value = register.held else {
                return false
            }
            return true
        }
    }

    /// The stamp of the write that created the object.
    package var stamp: Stamp { record.base.stamp }

    /// Creates an object that never merges from fields of one commit.
    public init(ingested fields: [NewField]) {
        self.init(fields, Author(stamp: Stamp(clock: .zero, ident: .me), version: 0, seen: 0))
    }
}
