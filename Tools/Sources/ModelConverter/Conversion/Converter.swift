/// A conversion of models, which collects the edits of all files.
struct Converter {
    let index: ModelIndex
    var edits: [Edits]
    var findings: [Conversion.Finding] = []
    var counts = Conversion.Counts()
    var plans: [ModelIndex.Reference: ClassPlan] = [:]
    /// The files that use a name of the library for the first time.
    var needsImport: Set<Int> = []
    let callers: [String: [Caller]]

    var files: [SourceFile] { index.files }

    init(_ files: [SourceFile], bases: Set<String>) {
        index = ModelIndex(files, bases: bases)
        edits = Array(repeating: Edits(), count: files.count)
        callers = Self.callers(index)
    }

    private static let words: Set<String> = [
        "RealmOptional", "RealmProperty", "LinkingObjects", "RealmEnum", "dynamic", "objcMembers", "primaryKey",
    ]

    mutating func run() {
        for file in files {
            // Files without the older notation are irrelevant.
            guard let problem = file.problem, file.tokens.contains(where: { Self.words.contains($0.text) }) else {
                continue
            }
            let place = file.place(of: problem.offset)
            findings.append(
                .init(
                    kind: .unreadable,
                    path: file.path,
                    line: place.line,
                    column: place.column,
                    message: problem.message
                )
            )
        }
        // A superclass is converted before its subclasses, which may depend on its key.
        let models = index.models.keys.sorted {
            (index.lineage($0).count, $0.file, $0.type) < (index.lineage($1).count, $1.file, $1.type)
        }
        for model in models { plans[model] = plan(model) }
        for model in models { decideOverrides(model) }
        for model in models { convert(model) }
        convertEnums()
        convertUses()
        convertKeyPaths()
        reportUnknownBases()
        addImports()
    }

    mutating func report(_ kind: Conversion.Finding.Kind, inFile file: Int, at token: Int, _ message: String) {
        let place = files[file].place(of: files[file].tokens[token].start)
        let finding = Conversion.Finding(
            kind: kind,
            path: files[file].path,
            line: place.line,
            column: place.column,
            message: message
        )
        if !findings.contains(finding) { findings.append(finding) }
    }

    // MARK: Edits of tokens

    /// Removes tokens with the white space after them, or before them at the end of a line.
    mutating func removeWords(_ range: Range<Int>, in f: Int) {
        let file = files[f]
        var start = file.tokens[range.lowerBound].start
        var end = file.tokens[range.upperBound - 1].end
        while end < file.bytes.count, isSpace(file.bytes[end]) { end += 1 }
        if end >= file.bytes.count || isBreak(file.bytes[end]) {
            end = file.tokens[range.upperBound - 1].end
            while start > 0, isSpace(file.bytes[start - 1]) { start -= 1 }
            // The line contains no other text.
            if start == file.lineStart(of: start) { end = file.lineEnd(of: end) }
        }
        edits[f].remove(start..<end)
    }

    /// Removes a declaration with its lines, its documentation comments, and a surplus blank line.
    ///
    /// - Parameter others: Further declarations that are removed.
    mutating func removeDeclaration(_ range: Range<Int>, in f: Int, with others: [Range<Int>]) {
        let file = files[f]
        var start = file.tokens[range.lowerBound].start
        var end = file.tokens[range.upperBound - 1].end
        let lineStart = file.lineStart(of: start)
        let lineEnd = file.lineEnd(of: end)
        guard isBlank(file.bytes[lineStart..<start]), isBlank(file.bytes[end..<lineEnd]) else {
            let isLast = range.upperBound < file.tokens.count && file.tokens[range.upperBound].isMark("}")
            if isLast, range.lowerBound > 0, file.tokens[range.lowerBound - 1].isMark(";") {
                start = file.tokens[range.lowerBound - 1].start
            } else {
                while end < file.bytes.count, isSpace(file.bytes[end]) || file.bytes[end] == UInt8(ascii: ";") {
                    end += 1
                }
            }
            return edits[f].remove(start..<end)
        }
        (start, end) = (lineStart, lineEnd)
        while start > 0 {
            let above = file.lineStart(of: start - 1)
            let line = file.text(above..<start).drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("///") else { break }
            start = above
        }
        let blankAbove = start > 0 && isBlank(file.bytes[file.lineStart(of: start - 1)..<start])
        let below = end < file.bytes.count ? file.bytes[end..<file.lineEnd(of: end)] : []
        var next = range.upperBound
        while let other = others.first(where: { $0.lowerBound == next }) { next = other.upperBound }
        let isLast = next < file.tokens.count && file.tokens[next].isMark("}")
        let isFirst =
            range.lowerBound > 0
            && file.tokens[range.lowerBound - 1].isMark("{") && start > 0
            && file.lineStart(of: start - 1) <= file.tokens[range.lowerBound - 1].start
        if blankAbove, isLast {
            start = file.lineStart(of: start - 1)
        } else if !below.isEmpty, isBlank(below), blankAbove || isFirst {
            end = file.lineEnd(of: end)
        }
        edits[f].remove(start..<end)
    }

    /// Returns a Boolean value that indicates whether tokens have only white space between them.
    func isPlain(_ range: Range<Int>, in f: Int) -> Bool {
        let file = files[f]
        for i in range.dropLast() where !isBlank(file.bytes[file.tokens[i].end..<file.tokens[i + 1].start]) {
            return false
        }
        return true
    }

    func isBlank(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy { isSpace($0) || isBreak($0) } }
    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    // MARK: Imports

    private mutating func addImports() {
        let used = Set(files.flatMap { $0.imports.map(\.module) })
        let module = used.contains("Freehold") && !used.contains("RealmSwift") ? "Freehold" : "RealmSwift"
        for f in needsImport.sorted() {
            let file = files[f]
            if file.imports.contains(where: { $0.module == "RealmSwift" || $0.module == "Freehold" }) { continue }
            // If `Object` is visible, the whole module is imported.
            if file.types.indices.contains(where: { index.derivesFromLibrary(.init(file: f, type: $0)) }) { continue }
            if let last = file.imports.last(where: { !$0.isConditional }) {
                let indent = file.text(file.lineStart(of: last.start)..<last.start).prefix { $0 == " " || $0 == "\t" }
                edits[f].insert("\(file.lineBreak)\(indent)import \(module)", at: last.end)
            } else if let first = file.tokens.first {
                // Comments above a type belong to it, and those at the top belong to the file.
                let start = documentationStart(of: first, in: file)
                edits[f].insert("import \(module)\(file.lineBreak)\(file.lineBreak)", at: start)
            }
        }
    }

    private func documentationStart(of token: Token, in file: SourceFile) -> Int {
        var start = file.lineStart(of: token.start)
        if start == 0, file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        while start > 0 {
            let above = file.lineStart(of: start - 1)
            guard file.text(above..<start).drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("///") else { break }
            start = above
        }
        return start
    }
}
