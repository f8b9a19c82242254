/// Numbers in the notation for people.
enum Units {
    /// Returns `12,345,678` for `12345678`.
    static func grouped(_ number: some BinaryInteger) -> String {
        var out = ""
        let digits = String(number.magnitude)
        for (i, digit) in digits.enumerated() {
            if i > 0 && (digits.count - i) % 3 == 0 { out += "," }
            out.append(digit)
        }
        return (number < 0 ? "-" : "") + out
    }

    /// Returns `1 object` or `2,000 objects`.
    static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// Returns a text such as `11.8 MiB`.
    static func bytes(_ count: Int) -> String {
        if count < 1024 { return "\(count) bytes" }
        var size = Double(count)
        for unit in ["KiB", "MiB", "GiB", "TiB"] {
            size /= 1024
            if size < 1024 || unit == "TiB" { return "\((size * 10).rounded() / 10) \(unit)" }
        }
        return "\(count) bytes"
    }
}
