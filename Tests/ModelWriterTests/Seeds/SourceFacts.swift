import ModelWriter

/// The declarations in a model's source code, one fact for each line, independent of layout, order and comments.
///
/// Two things are left out: the default values of new objects, and the width of integers (`int` and `long` are the same
/// column).
enum SourceFacts {
    static func of(_ text: String, _ language: ModelLanguage) -> Set<String> {
        let lines = text.split(separator: "\n").map { line in
            let code = line.firstRange(of: /(^|\s)\/\/.*/).map { line[..<$0.lowerBound] } ?? line
            return code.trimmingPrefix(while: \.isWhitespace).trimmingSuffix(while: \.isWhitespace)
        }.filter { !$0.isEmpty }
        switch language {
        case .swift: return swift(lines)
        case .objc: return objectiveC(lines)
        case .kotlin, .javaKotlin: return kotlin(lines)
        case .java: return java(lines)
        case .csharp: return csharp(lines)
        case .dart: return dart(lines)
        case .javascript, .typescript: return javaScript(lines)
        case .cpp: return cpp(lines)
        }
    }

    // MARK: Swift

    private static func swift(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var name = ""
        for line in lines {
            if let match = line.firstMatch(of: /class (\w+): (\w+) \{/) {
                name = String(match.1)
                facts.insert("\(name): \(match.2)")
            } else if let match = line.wholeMatch(
                of: /@Persisted(?:\((.*?)\))? (?:private )?var (\w+)(?:: ([^=]+?))?(?: = (.+))?/
            ) {
                let type = match.3.map(String.init) ?? inferred(match.4.map(String.init) ?? "")
                let options = match.1.map { $0.split(separator: ", ").sorted().joined(separator: ", ") } ?? ""
                facts.insert("\(name).\(match.2): \(type) (\(options))")
            } else if let match = line.wholeMatch(of: /\[?"(\w+)": "(.*?)"[,\]]*/) {
                facts.insert("\(name).\(match.1) is stored as \(match.2)")
            } else if let match = line.firstMatch(of: /func mappedName\(\) -> String\? \{ "(.*)" \}/) {
                facts.insert("\(name) is stored as \(match.1)")
            }
        }
        return facts
    }

    private static func inferred(_ value: String) -> String {
        if value.hasPrefix("\"") { return "String" }
        if value == "0" { return "Int" }
        return value.hasSuffix("()") ? String(value.dropLast(2)) : value
    }

    // MARK: Objective-C

    private static func objectiveC(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var (name, method) = ("", "")
        for line in lines {
            if let match = line.wholeMatch(of: /@interface (\w+) : (\w+)/) {
                name = String(match.1)
                facts.insert("\(name): \(match.2)")
            } else if let match = line.wholeMatch(of: /@implementation (\w+)/) {
                name = String(match.1)
            } else if let match = line.wholeMatch(of: /@property (?:\((\w+)\) )?(.+?)(\w+);/) {
                let type = match.2.replacing(" ", with: "")
                let mark = match.1.map { " \($0)" } ?? ""
                facts.insert("\(name).\(match.3): \(type == "int" ? "NSInteger" : type)\(mark)")
            } else if let match = line.wholeMatch(of: /RLM_COLLECTION_TYPE\((\w+)\)/) {
                facts.insert("\(match.1) in collections")
            } else if let match = line.firstMatch(of: /^\+ \(.*?\)(\w+)/) {
                method = String(match.1)
            }
            for match in line.matches(of: /@"(\w+)"/) where method != "" {
                facts.insert("\(name) \(method) \(match.1)")
            }
            if line == "}" { method = "" }
        }
        return facts
    }

    // MARK: Kotlin

    private static func kotlin(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var name = ""
        var annotations: [String] = []
        for line in lines {
            var rest = line[...]
            while let match = rest.prefixMatch(of: /@(\w+)(?:\((.*?)\))?\s*/) {
                let argument = match.2.map { $0.replacing("name = ", with: "").replacing("=", with: " = ") } ?? ""
                annotations.append("\(match.1)(\(argument.replacing("  =  ", with: " = ")))")
                rest = rest[match.range.upperBound...]
            }
            if rest.isEmpty { continue }
            let marks = annotations.sorted().joined(separator: " ")
            annotations = []
            if let match = rest.firstMatch(of: /class (\w+) ?: (\w+)/) {
                name = String(match.1)
                facts.insert("\(name): \(match.2) \(marks)")
            } else if let match = rest.wholeMatch(of: /(?:private )?var (\w+) ?(?:: ([^=]+?))?(?: = (.+))?/) {
                var type = match.2.map(String.init) ?? inferred(match.3.map(String.init) ?? "")
                type = type.replacing(/\bInt\b/, with: "Long")
                facts.insert("\(name).\(match.1): \(type) \(marks)")
            } else if let match = rest.wholeMatch(of: /val (\w+): (.+?) (?:by|=) (.+)/) {
                facts.insert("\(name).\(match.1): \(match.2) \(match.3) \(marks)")
            }
        }
        return facts
    }

    // MARK: Java

    private static func java(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var (name, marks) = ("", "")
        for line in lines.map({ $0.replacing(/\bint\b/, with: "long") }) {
            if line.wholeMatch(of: /@RealmClass\(.*\)/) != nil {
                marks = line
            } else if let match = line.firstMatch(of: /class (\w+) extends (\w+)/) {
                name = String(match.1)
                facts.insert("\(name): \(match.2) \(marks)")
                marks = ""
            } else if let match = line.wholeMatch(
                of: /((?:@\w+(?:\(".*?"\))? )*)private ([\w<>\[\], ]+) (\w+)(?: = .*)?;/
            ) {
                facts.insert("\(name).\(match.3): \(match.2) \(match.1)")
            } else if let match = line.firstMatch(of: /^public (?:(\S+) )?(\w+)\((.*?)\) ?\{/) {
                facts.insert("\(name) has \(match.1 ?? "") \(match.2)(\(match.3))")
            }
        }
        return facts
    }

    // MARK: C#

    private static func csharp(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var name = ""
        var attributes: [String] = []
        for line in lines {
            let marks = attributes.sorted().joined(separator: " ")
            if line.hasPrefix("[") {
                attributes.append(line)
                continue
            }
            if let match = line.firstMatch(of: /partial class (\w+) : (\w+)/) {
                name = String(match.1)
                facts.insert("\(name): \(match.2) \(marks)")
                attributes = []
            } else if let match = line.wholeMatch(
                of: /(?:public|private) (.+) (\w+) \{ get;( private)?( set;)? \}(?: = .*;)?/
            ) {
                let type = match.1.replacing(/\bint\b/, with: "long")
                facts.insert("\(name).\(match.2): \(type) \(match.4 == nil ? "read" : "") \(marks)")
                attributes = []
            }
        }
        return facts
    }

    // MARK: Dart

    private static func dart(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var name = ""
        var annotations: [String] = []
        for line in lines.map({ $0.replacing("\"", with: "'") }) {
            if line.hasPrefix("@") {
                annotations.append(line)
                continue
            }
            let marks = annotations.sorted().joined(separator: " ")
            annotations = []
            if let match = line.wholeMatch(of: /class (\w+) \{/) {
                name = String(match.1)
                facts.insert("\(name) \(marks)")
            } else if let match = line.wholeMatch(of: /(?:late |final )?([\w<>?, ]+) (\w+)(?: = .*)?;/),
                !marks.contains("@Ignored"), match.1 != "part"
            {
                facts.insert("\(name).\(match.2): \(match.1) \(marks)")
            }
        }
        return facts
    }

    // MARK: C++

    private static func cpp(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var name = ""
        // A macro's arguments may continue on the next line.
        let text = lines.joined(separator: "\n").replacing(",\n", with: ", ")
        for line in text.split(separator: "\n").map(String.init) {
            if let match = line.wholeMatch(of: /struct (\w+) \{/) {
                name = String(match.1)
            } else if line == "};" {
                name = ""
            } else if let match = line.wholeMatch(of: /(REALM_\w+)\((.*)\)/) {
                facts.insert("\(match.1)(\(match.2))")
            } else if name != "", let match = line.wholeMatch(of: /(.+?) ?(\**)(\w+)(?:\{.*\})?(?: = .*)?;/) {
                facts.insert("\(name).\(match.3): \(match.1)\(match.2)")
            }
        }
        return facts
    }
}

extension StringProtocol {
    fileprivate func trimmingPrefix(while test: (Character) -> Bool) -> SubSequence { drop(while: test) }

    fileprivate func trimmingSuffix(while test: (Character) -> Bool) -> String {
        var end = endIndex
        while end > startIndex, test(self[index(before: end)]) { end = index(before: end) }
        return String(self[..<end])
    }
}
