/// Replacements in the bytes of a file.
struct Edits {
    private(set) var all: [(range: Range<Int>, text: String)] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func replace(_ range: Range<Int>, with text: String) { all.append((range, text)) }
    mutating func insert(_ text: String, at offset: Int) { all.append((offset..<offset, text)) }
    mutating func remove(_ range: Range<Int>) { all.append((range, "")) }

    func contains(_ offset: Int) -> Bool { all.contains { $0.range.contains(offset) } }

    func applied(to bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 64 * all.count)
        var position = 0
        // Insertions keep their order, and are before replacements at the same place. The longest edit at a place has
        // precedence.
        let ordered = all.enumerated().sorted { a, b in
            let (x, y) = (a.element.range, b.element.range)
            if x.lowerBound != y.lowerBound { return x.lowerBound < y.lowerBound }
            if x.isEmpty != y.isEmpty { return x.isEmpty }
            return x.upperBound != y.upperBound ? x.upperBound > y.upperBound : a.offset < b.offset
        }
        for (_, edit) in ordered {
            // Edits inside a removed declaration are dropped. Removals may overlap.
            guard edit.range.lowerBound >= position else {
                if edit.text.isEmpty { position = max(position, edit.range.upperBound) }
                continue
            }
            out += bytes[position..<edit.range.lowerBound]
            out += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        return out + bytes[position...]
    }
}
