import Freehold

/// The classes of a file and their numbers of objects, as tables.
enum ClassTable {
    static func write(_ realm: Realm) throws {
        let info = FileInfo.classes(realm)
        if info.isEmpty { return try StandardOutput.shared.line("no classes") }
        try write(info)
    }

    static func write(_ classes: [FileInfo.Class]) throws {
        var table = TextTable(["Class", "Objects", "Primary key", "Indexes"], isNumber: [false, true, false, false])
        for item in classes {
            try table.add([
                item.name + (item.embedded ? " (embedded)" : item.asymmetric ? " (asymmetric)" : ""),
                Units.grouped(item.objects), item.primaryKey ?? "",
                item.indexes.joined(separator: ", "),
            ])
        }
        try table.finish()
    }

    static func writeCounts(_ realm: Realm) throws {
        var table = TextTable(["Class", "Objects"], isNumber: [false, true])
        for object in realm.storedSchema.objectSchema {
            try table.add([object.className, Units.grouped(realm.dynamicObjects(object.className).count)])
        }
        try table.finish()
    }
}
