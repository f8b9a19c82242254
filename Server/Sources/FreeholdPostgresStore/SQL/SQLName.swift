#if PostgreSQL
    internal import FreeholdSyncCore

    /// Names and texts in statements.
    enum SQLName {
        /// The maximum number of bytes of a name in PostgreSQL.
        private static let mostBytes = 63

        /// Returns a name that PostgreSQL doesn't shorten. The end of a name that is too long is replaced by a hash. NUL is removed, because names
        /// can't contain it.
        static func fitting(_ name: String) -> String {
            let name = name.replacing("\u{0}", with: "")
            guard name.utf8.count > mostBytes || name.isEmpty else { return name }
            let hash = RunningHash.empty.appending(Array(name.utf8))
            var text = ""
            for character in name.unicodeScalars {
                guard text.utf8.count + String(character).utf8.count <= mostBytes - 17 else { break }
                text.unicodeScalars.append(character)
            }
            let digits = String(hash.high, radix: 16)
            return text + "_" + String(repeating: "0", count: 16 - digits.count) + digits
        }

        /// Returns different names that PostgreSQL doesn't shorten. A name that is in `taken`, or that occurs twice, gets underscores.
        static func unique(_ names: [String], taken: Set<String> = []) -> [String] {
            var taken = taken
            return names.map { name in
                var own = fitting(name)
                while !taken.insert(own).inserted { own = fitting(own + "_") }
                return own
            }
        }

        static func quoted(_ name: String) -> String { PostgresSession.quoted(name) }

        /// Returns a constant text. It doesn't depend on `standard_conforming_strings`.
        static func text(_ text: String) -> String {
            let text = text.replacing("\u{0}", with: "\u{FFFD}")
            let quoted = "'" + text.replacing("'", with: "''") + "'"
            return text.contains("\\") ? "E" + quoted.replacing("\\", with: "\\\\") : quoted
        }
    }
#endif
