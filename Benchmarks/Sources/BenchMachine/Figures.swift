import Foundation

public func progress(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// Nanoseconds with as many places as make sense.
public func figure(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<10: String(format: "%.2f", nanoseconds)
    case ..<100: String(format: "%.1f", nanoseconds)
    default: grouped(Int(nanoseconds.rounded()))
    }
}

/// 1234567 as "1,234,567".
public func grouped(_ number: Int) -> String {
    var text = ""
    for (position, digit) in String(number).reversed().enumerated() {
        if position > 0, position % 3 == 0, digit != "-" { text.append(",") }
        text.append(digit)
    }
    return String(text.reversed())
}

/// The upper one of two in the middle.
public func median(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }
