import Testing

@testable import FreeholdEngine

/// Full-text search in databases: kinds of indexes, paths across links.
struct FullTextDatabaseTests {
    static func database(_ name: String, _ specs: [TableSpec]) throws -> Database {
        var options = Database.Options()
        options.mapSize = 1 << 28
        let database = try Database.inMemory(identifier: "full-text-\(name)", options: options)
        let write = try database.beginWrite()
        try write.applySchema(specs)
        _ = try write.commit()
        return database
    }

    /// Alternate names of cities (GeoNames, CC BY 4.0).
    static let names = [
        "Tokyo, Edo, Tōkyō, Tokio, Τόκιο, Токио, Токіо, טוקיו, طوكيو, توکیو, टोक्यो, โตเกียว, 도쿄, 東京, 東京都",
        "Kyoto, Kyōto, Miyako, Κιότο, Киото, קיוטו, كيوتو, 교토, 京都, 京都市",
        "Athens, Athína, Athènes, Αθήνα, ΑΘΗΝΑ, Афины, אתונה, أثينا, アテネ, 雅典",
        "Moscow, Moskva, Москва, Μόσχα, מוסקבה, موسكو, モスクワ, 莫斯科",
        "Łódź, Lodz, Лодзь, Λοτζ, لودز, ウッチ",
        "Reykjavík, Reykjavik, Рейкьявик, Ρέικιαβικ, ريكيافيك, レイキャヴィーク, 雷克雅未克",
        "São Paulo, San Pablo, Сан-Паулу, Σάο Πάολο, ساو باولو, サンパウロ, 圣保罗",
    ]

    @Test(arguments: [
        ("tokyo", [0]), ("TŌKYŌ", [0]), ("αθηνα", [2]), ("Αθήνας", []), ("αθην*", [2]), ("москва", [3]), ("лодзь", [4]),
        ("рейкьявик", [5]), ("реикьявик", []), ("lodz", [4]), ("sao", [6]), ("\"são paulo\"", [6]),
        ("\"paulo são\"", []),
        ("京都", [0, 1]), ("京都市", [1]), ("京", [0, 1]), ("東京 -엉", [0]), ("-京", [2, 3, 4, 5, 6]), ("ثينا", []),
        ("اثينا", [2]), ("أَثِينَا", [2]), ("도쿄", [0]), ("쿄", [0]), ("교토 kyoto", [1]), ("เกียว", [0]), ("टोक्यो", [0]),
        ("モスクワ", [3]), ("スク", [3]), ("σαο-παολο", [6]), ("m*", [1, 3]), ("kyoto tokyo", []),
    ])
    func `cities are found by their names in every script`(search: String, expected: [Int]) throws {
        let database = try Self.database(
            "world-\(search)",
            [TableSpec("City", columns: [ColumnSpec("names", .string, index: .fullText)])]
        )
        let write = try database.beginWrite()
        let table = write.schema.table(named: "City")!
        for names in Self.names { try write.set(table.columns[0], try write.create(table), to: .string(names)) }
        let query = RowQuery(
            table: table,
            predicate: .fullText(PropertyPath(table.columns[0]), try FullTextQuery(search, for: table.columns[0]))
        )
        expectEqual(query.keys(in: write).map { Int($0.raw) }, expected)
        let snapshot = try write.commit()
        expectEqual(query.keys(in: snapshot).map { Int($0.raw) }, expected)
        expect(snapshot.verify().isEmpty)
    }

    @Test func `another kind of words rebuilds the index`() throws {
        func spec(_ index: IndexKind) -> [TableSpec] {
            [TableSpec("T", columns: [ColumnSpec("s", .string, optional: true, index: index)])]
        }
        let database = try Self.database("kinds", spec(.fullText))
        let write = try database.beginWrite()
        var table = write.schema.table(named: "T")!
        let texts: [Value] = [.string("Café Москва"), .null, .string("naïve café"), .string("Москва")]
        for text in texts { try write.set(table.columns[0], try write.create(table), to: text) }
        var snapshot = try write.commit()
        func found(_ search: String) throws -> [Int64] {
            table = snapshot.schema.table(named: "T")!
            let query = try FullTextQuery(search, for: table.columns[0])
            return RowQuery(table: table, predicate: .fullText(PropertyPath(table.columns[0]), query)).keys(
                in: snapshot
            )
            .map(\.raw)
        }
        try expectEqual(found("cafe"), [0, 2])
        try expectEqual(found("москва"), [0, 3])
        for (kind, entries) in [
            (IndexKind.fullTextLatin1, 3), (.none, 0), (.values, 4), (.fullTextLatin1, 3), (.fullText, 5),
        ] {
            let change = try database.beginWrite()
            expect(try change.applySchema(spec(kind)))
            snapshot = try change.commit()
            expect(snapshot.verify().isEmpty, "\(kind)")
            let column = snapshot.schema.table(named: "T")!.columns[0]
            expectEqual(column.indexKind, kind)
            expectEqual(snapshot.searchTree(column)?.count ?? 0, entries, "\(kind)")
            if kind == .fullTextLatin1 {
                try expectEqual(found("cafe"), [0, 2])
                #expect(throws: QueryError.self) { try found("москва") }
                #expect(throws: QueryError.self) { try found("na-ïve") }
                try expectEqual(found("-naive"), [0, 1, 3])
            }
            if kind == .none || kind == .values {
                let error = #expect(throws: QueryError.self) { try found("cafe") }
                expectEqual(error?.message.contains("has no full-text index"), true)
            }
        }
        try expectEqual(found("москва"), [0, 3])
        expect(snapshot.find(.string("cafe"), indexed: table.columns[0]).isEmpty)
        // A search with the other kind of words tests the strings.
        let latin = try FullTextQuery("cafe", matching: .latin1)
        let query = RowQuery(table: table, predicate: .fullText(PropertyPath(table.columns[0]), latin))
        expectEqual(query.keys(in: snapshot).map(\.raw), [0, 2])
    }

    @Test(arguments: [ColumnType.int, .data, .mixed, .link])
    func `only strings can have a full-text index`(type: ColumnType) throws {
        let error = #expect(throws: EngineError.self) {
            try Self.database(
                "refused-\(type)",
                [
                    TableSpec(
                        "T",
                        columns: [
                            ColumnSpec("x", type, optional: true, target: type == .link ? "T" : nil, index: .fullText)
                        ]
                    )
                ]
            )
        }
        expectEqual(error?.message.contains("can't have a full-text index"), true)
    }

    @Test func `searches go along links of every kind`() throws {
        let database = try Self.database(
            "paths",
            [
                TableSpec("Note", columns: [ColumnSpec("text", .string, optional: true, index: .fullText)]),
                TableSpec(
                    "Dog",
                    columns: [
                        ColumnSpec("note", .link, target: "Note"),
                        ColumnSpec("notes", .link, collection: .list, target: "Note"),
                        ColumnSpec("set", .link, collection: .set, target: "Note"),
                        ColumnSpec("friend", .link, target: "Dog"),
                    ]
                ),
            ]
        )
        var random = SeededRandom(seed: 7)
        let write = try database.beginWrite()
        let notes = write.schema.table(named: "Note")!
        let dogs = write.schema.table(named: "Dog")!
        let text = notes.columns[0]
        let c = dogs.columns
        let words = ["ball", "bone", "cat", "Katze"]
        for _ in 0..<30 {
            let key = try write.create(notes)
            let n = Int.random(in: 0..<4, using: &random)
            if n > 0 {
                try write.set(
                    text,
                    key,
                    to: .string((0..<n).map { _ in words.randomElement(using: &random)! }.joined(separator: " "))
                )
            }
        }
        for i in 0..<60 {
            let key = try write.create(dogs)
            func note() -> Value { .link(ObjectKey(Int64.random(in: 0..<30, using: &random))) }
            if Bool.random(using: &random) { try write.set(c[0], key, to: note()) }
            try write.listAppend(c[1], key, values: (0..<Int.random(in: 0..<4, using: &random)).map { _ in note() })
            if Bool.random(using: &random) { try write.setInsert(c[2], key, value: note()) }
            if Bool.random(using: &random) {
                try write.set(c[3], key, to: .link(ObjectKey(Int64.random(in: 0...Int64(i), using: &random))))
            }
        }
        let snapshot = try write.commit()
        let paths: [(Table, [PathStep])] = [
            (dogs, [.link(c[0])]), (dogs, [.link(c[1])]), (dogs, [.link(c[2])]), (dogs, [.link(c[3]), .link(c[1])]),
            (dogs, [.backlink(c[3]), .link(c[0])]), (notes, [.backlink(c[1]), .link(c[0])]),
            (dogs, [.element(c[1], .first)]), (dogs, [.link(c[3]), .element(c[1], .index(1))]),
        ]
        for search in ["ball", "-ball", "bone -cat", "kat*", "\"ball bone\""] {
            let query = try FullTextQuery(search, for: text)
            let matcher = FullTextMatcher(query)
            for (table, steps) in paths {
                for quantifier in [Quantifier.any, .all, .none] {
                    let path = PropertyPath(steps, text, quantifier: quantifier)
                    let expected = snapshot.keys(table).filter { key in
                        let reached = PathReader(view: snapshot).values(PropertyPath(steps, nil), key)
                        let held = reached.compactMap { value -> Bool? in
                            guard case .link(let target) = value else { return nil }
                            return snapshot.value(text, target).withText { matcher.matches($0) }
                        }
                        return switch quantifier {
                        case .any: held.contains(true)
                        case .all: !held.contains(false)
                        case .none: !held.contains(true)
                        }
                    }
                    let found = RowQuery(table: table, predicate: .fullText(path, query)).keys(in: snapshot)
                    expectEqual(found, expected, "\(search) \(steps) \(quantifier)")
                }
            }
        }
    }
}
